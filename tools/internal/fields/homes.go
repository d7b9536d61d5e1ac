package fields

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A home is a connection of a stream, with those fields of a call that are granted there.
type home struct {
	rs.Connection
	row    rs.SchemaStream
	has    []string
	fields []rs.SchemaField // all that are granted there
}

// homesOf returns the connections of a stream and, by name, those of some fields that any of the connections has.
func homesOf(s *rs.Schema, stream string, names []string) (homes []home, known map[string]rs.SchemaField) {
	known = map[string]rs.SchemaField{}
	for _, row := range s.Streams {
		if row.Name != stream {
			continue
		}
		h := home{row: row, fields: granted(row)}
		for _, f := range h.fields {
			if slices.Contains(names, f.Name) {
				h.has, known[f.Name] = append(h.has, f.Name), f
			}
		}
		for _, h.Connection = range row.Connections {
			homes = append(homes, h)
		}
	}
	return homes, known
}

// Having returns the streams of a schema that have all fields of a filter; none if the schema is nil or the filter is empty.
func Having(s *rs.Schema, filter rs.Object) []string {
	if s == nil || len(filter) == 0 {
		return nil
	}
	var having []string
	read, seen := byName(s), map[string]bool{}
	for _, row := range s.Streams {
		if seen[row.Name] {
			continue
		}
		seen[row.Name] = true
		known := read(row.Name).Suited(Filters)
		if !slices.ContainsFunc(filter, func(m rs.Member) bool { return !slices.Contains(known, m.Name) }) {
			having = append(having, row.Name)
		}
	}
	return having
}

// HavingAll returns the ids of the connections of a stream that have all fields and relations of a call; none if the call names neither.
func HavingAll(stream string, args rs.Object, schema func() *rs.Schema) (ids []string) {
	names, expanded := named(args), args.Array("expand")
	if len(names)+len(expanded) == 0 {
		return nil
	}
	homes, _ := homesOf(cmp.Or(schema(), &rs.Schema{}), stream, names)
	for _, h := range homes {
		relations := Stream{Relations: h.row.Relations()}.RelationNames()
		lacks := func(raw string) bool { name, _ := written.Text(raw); return !slices.Contains(relations, name) }
		if len(h.has) == len(names) && !slices.ContainsFunc(expanded, lacks) {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// counterpart returns the field that means the same in this connection, such as another name of the sender; "" if there is none.
func (h home) counterpart(f rs.SchemaField) string {
	for _, own := range h.fields {
		if own.Role != "" && own.Role == f.Role && own.Type == f.Type {
			return own.Name
		}
	}
	return ""
}

// Lacks returns, each as JSON, the connections of a stream that lack fields of a call, which names no connection. If each of these fields
// has a counterpart there and nothing is expanded, it adds the call that reads the same from that connection. It leaves out fields that no
// connection has: the resource server refuses these.
func Lacks(tool string, s *rs.Schema, stream string, args rs.Object) (lacks []string) {
	names := named(args)
	homes, known := homesOf(s, stream, names)
	for _, h := range homes {
		var missing []string
		there, all := map[string]string{}, !args.Has("expand") // relations may not exist there
		for _, name := range names {
			if f, ok := known[name]; ok && !slices.Contains(h.has, name) {
				missing, there[name] = append(missing, name), h.counterpart(f)
				all = all && there[name] != ""
			}
		}
		if missing == nil {
			continue
		}
		lack := rs.Object{{Name: "connection_id", Value: rs.EncodeJSON(h.ID)}}
		if h.DisplayName != "" {
			lack = append(lack, rs.Member{Name: "display_name", Value: rs.EncodeJSON(h.DisplayName)})
		}
		if lack = append(lack, rs.Member{Name: "fields", Value: rs.EncodeJSON(missing)}); all {
			same := renamed(args, func(name string) string { return cmp.Or(there[name], name) })
			same = same.With("connection_id", rs.EncodeJSON(h.ID)).Without("cursor")
			call := rs.Object{{Name: "tool", Value: rs.EncodeJSON(tool)}, {Name: "arguments", Value: same.JSON()}}
			lack = append(lack, rs.Member{Name: "instead", Value: call.JSON()})
		}
		lacks = append(lacks, lack.JSON())
	}
	return lacks
}

// TimesOf returns a sentence about which field has the time of a record in which connections of a stream.
func TimesOf(s *rs.Schema, stream string) string {
	var times []string
	in := map[string][]rs.Connection{}
	homes, _ := homesOf(s, stream, nil)
	for _, h := range homes {
		for _, time := range (Stream{Fields: h.fields}).Times() {
			if in[time] == nil {
				times = append(times, time)
			}
			in[time] = append(in[time], h.Connection)
		}
	}
	for i, time := range times {
		times[i] = quote.Line(time) + " in " + quote.Connections(in[time])
	}
	return "What says when a record is: " + strings.Join(times, "; ") + "."
}

// AtHome returns a sentence about which connections of a stream have the fields of a call, if the connection that the call names, or every
// connection if it names none, lacks a field that another connection has; otherwise "". instead has the arguments for a connection with all
// fields; it is nil if there is none, or if each missing field has a counterpart in the named connection, such as another name of the
// sender. s is the schema of all connections of the stream.
func AtHome(s *rs.Schema, stream, connection string, args rs.Object) (sentence string, instead rs.Object) {
	names := named(args)
	homes, known := homesOf(s, stream, names)
	own := func(h home) bool { return h.ID == connection || connection == "" && len(h.has) == len(names) }
	var missing, parts []string
	counterparts := true
	for _, name := range names {
		f, there := known[name]
		if !there && connection == "" { // another error reports this
			return "", nil
		}
		if there && !slices.ContainsFunc(homes, func(h home) bool { return own(h) && slices.Contains(h.has, name) }) {
			missing = append(missing, name)
			counterparts = counterparts && slices.ContainsFunc(homes, func(h home) bool { return own(h) && h.counterpart(f) != "" })
		}
	}
	if len(missing) == 0 || len(homes) < 2 {
		return "", nil
	}
	for _, name := range missing[:min(len(missing), 4)] {
		var in []rs.Connection
		for _, h := range homes {
			if slices.Contains(h.has, name) {
				in = append(in, h.Connection)
			}
		}
		parts = append(parts, quote.Text(name)+" is a field of "+quote.Connections(in))
	}
	sentence = strings.Join(parts, "; ") + "."
	if connection == "" {
		sentence = fmt.Sprintf("No connection of %s has all of these fields: %s", quote.Text(stream), sentence)
	}
	all := slices.IndexFunc(homes, func(h home) bool { return len(h.has) == len(names) })
	if all < 0 || counterparts {
		return sentence, nil
	}
	return sentence, args.With("connection_id", rs.EncodeJSON(homes[all].ID)).Without("cursor")
}

// renamed returns arguments with other names for the fields.
func renamed(args rs.Object, other func(name string) string) rs.Object {
	with := func(raw string) string {
		name, ok := written.Text(raw)
		if !ok {
			return raw
		}
		bare := strings.TrimPrefix(name, "-")
		return rs.EncodeJSON(strings.TrimSuffix(name, bare) + other(bare))
	}
	if filter := slices.Clone(args.Object("filter")); filter != nil {
		for i, m := range filter {
			filter[i].Name = other(m.Name)
		}
		args = args.With("filter", filter.JSON())
	}
	if args.Has("fields") {
		var fields []string
		for _, raw := range args.Array("fields") {
			if raw = with(raw); !slices.Contains(fields, raw) {
				fields = append(fields, raw)
			}
		}
		args = args.With("fields", rs.JoinArray(fields))
	}
	for _, name := range []string{"sort", "group_by", "group_by_time", "field"} {
		if args.Has(name) {
			args = args.With(name, with(args.Get(name)))
		}
	}
	return args
}

// named returns the fields that a call names, each once.
func named(args rs.Object) (names []string) {
	renamed(args, func(name string) string {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return name
	})
	return names
}
