// Package homes says which connections of a stream have the fields of a call, and which lack them.
package homes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A home is a connection of a stream, with the fields of a call that are granted there.
type home struct {
	rs.Connection
	has    []string
	fields []rs.SchemaField // all that are granted
}

// counterpart is the field of a connection that means what a field means elsewhere, such as another name of the sender; "" for none.
func (h home) counterpart(f rs.SchemaField) string {
	for _, own := range h.fields {
		if own.Role != "" && own.Role == f.Role && own.Type == f.Type {
			return own.Name
		}
	}
	return ""
}

// Lacks lists, each as JSON, the connections of a stream that lack fields of a call which names no connection, with the call that reads
// the same there if each of these fields has a counterpart. A field that no connection has is not among them: the resource server refuses
// that.
func Lacks(tool string, s *rs.Schema, stream string, args rs.Object) (lacks []string) {
	names := fieldsNamed(args)
	homes, known := homesOf(s, stream, names)
	for _, h := range homes {
		var missing []string
		there, all := map[string]string{}, true
		for _, name := range names {
			f, ok := known[name]
			if !ok || slices.Contains(h.has, name) {
				continue
			}
			missing = append(missing, name)
			there[name] = h.counterpart(f)
			all = all && there[name] != ""
		}
		if len(missing) == 0 {
			continue
		}
		lack := rs.Object{{Name: "connection_id", Value: rs.EncodeJSON(h.ID)}}
		if h.DisplayName != "" {
			lack = append(lack, rs.Member{Name: "display_name", Value: rs.EncodeJSON(h.DisplayName)})
		}
		if lack = append(lack, rs.Member{Name: "fields", Value: rs.EncodeJSON(missing)}); all {
			same := renamedFields(args, there).With("connection_id", rs.EncodeJSON(h.ID)).Without("cursor")
			call := rs.Object{{Name: "tool", Value: rs.EncodeJSON(tool)}, {Name: "arguments", Value: same.JSON()}}
			lack = append(lack, rs.Member{Name: "instead", Value: call.JSON()})
		}
		lacks = append(lacks, lack.JSON())
	}
	return lacks
}

// renamedFields are arguments that name other fields.
func renamedFields(args rs.Object, to map[string]string) rs.Object {
	renamed := func(raw string) string {
		name, ok := written.Text(raw)
		bare := strings.TrimPrefix(name, "-")
		if there, known := to[bare]; ok && known {
			return rs.EncodeJSON(strings.TrimSuffix(name, bare) + there)
		}
		return raw
	}
	for _, name := range []string{"sort", "group_by", "group_by_time", "field"} {
		if args.Has(name) {
			args = args.With(name, renamed(args.Get(name)))
		}
	}
	if args.Has("fields") {
		var fields []string
		for _, raw := range args.Array("fields") {
			if raw = renamed(raw); !slices.Contains(fields, raw) {
				fields = append(fields, raw)
			}
		}
		args = args.With("fields", rs.JoinArray(fields))
	}
	if filter := args.Object("filter"); filter != nil {
		filter = slices.Clone(filter)
		for i, m := range filter {
			filter[i].Name = cmp.Or(to[m.Name], m.Name)
		}
		args = args.With("filter", filter.JSON())
	}
	return args
}

// Having says which connections of a stream have the fields of a call, where the connection that it names, or each of them if it names
// none, lacks one that another has; "" where that is not so. instead are the arguments for the connection that has them all; none where
// each that is missing has a counterpart in its own connection, such as another name of the sender. s is the schema of all connections of
// the stream.
func Having(s *rs.Schema, stream, connection string, args rs.Object) (sentence string, instead rs.Object) {
	names := fieldsNamed(args)
	homes, known := homesOf(s, stream, names)
	var missing []string
	counterparts := true
	for _, name := range names {
		f, there := known[name]
		here := slices.ContainsFunc(homes, func(h home) bool {
			return (h.ID == connection || connection == "" && len(h.has) == len(names)) && slices.Contains(h.has, name)
		})
		switch {
		case !there && connection == "": // that is what is to be said of it
			return "", nil
		case there && !here:
			missing = append(missing, name)
			own := func(h home) bool { return h.ID == connection && h.counterpart(f) != "" }
			counterparts = counterparts && slices.ContainsFunc(homes, own)
		}
	}
	if len(missing) == 0 || len(homes) < 2 {
		return "", nil
	}
	var parts []string
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
	for _, h := range homes {
		if len(h.has) == len(names) && !counterparts {
			return sentence, args.With("connection_id", rs.EncodeJSON(h.ID)).Without("cursor")
		}
	}
	return sentence, nil
}

// homesOf are the connections of a stream, and those of some fields that any of them has, by name.
func homesOf(s *rs.Schema, stream string, names []string) (homes []home, known map[string]rs.SchemaField) {
	known = map[string]rs.SchemaField{}
	for i := range s.Streams {
		row := &s.Streams[i]
		if row.Name != stream {
			continue
		}
		var has []string
		fields := slices.DeleteFunc(row.Fields(), func(f rs.SchemaField) bool { return !f.Granted })
		for _, f := range fields {
			if slices.Contains(names, f.Name) {
				has, known[f.Name] = append(has, f.Name), f
			}
		}
		for _, c := range row.Connections {
			homes = append(homes, home{c, has, fields})
		}
	}
	return homes, known
}

// fieldsNamed are the fields of a stream that a call names, each once.
func fieldsNamed(args rs.Object) (names []string) {
	add := func(raw string) {
		if name, ok := written.Text(raw); ok {
			if name = strings.TrimPrefix(name, "-"); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, m := range args.Object("filter") {
		add(rs.EncodeJSON(m.Name))
	}
	for _, raw := range args.Array("fields") {
		add(raw)
	}
	for _, name := range []string{"sort", "group_by", "group_by_time", "field"} {
		add(args.Get(name))
	}
	return names
}
