package correct

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// connectionsOf are the connections with a stream, each once.
func (g Grant) connectionsOf(stream string) []rs.Connection {
	var all []rs.Connection
	for _, s := range g.Sources {
		if (stream == "" || s.Stream == stream) && s.Connection.ID != "" &&
			!slices.ContainsFunc(all, func(c rs.Connection) bool { return c.ID == s.Connection.ID }) {
			all = append(all, s.Connection)
		}
	}
	return all
}

// displayed names the connections of a stream in brackets, if there are several in the grant.
func (g Grant) displayed(stream string) string {
	var names []string
	for _, c := range g.connectionsOf(stream) {
		if c.DisplayName != "" {
			names = append(names, quote.Line(c.DisplayName))
		}
	}
	if len(names) == 0 || len(names) > 4 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// missingConnection says which connections are near one that the grant does not have.
func (g Grant) missingConnection(t Tool, args rs.Object, about touched) *rs.Error {
	e := &rs.Error{Code: rs.UnknownConnection, Param: "connection_id", RetryWith: "connection_id", Hint: grantHint}
	streams, known := g.likeliest(about.streams, "")
	var having []rs.Connection
	for _, c := range g.connectionsOf("") {
		if !known || !slices.ContainsFunc(about.streams, func(s string) bool { return !g.has(streams[s], c.ID) }) {
			having = append(having, c)
		}
	}
	near := nearConnections(about.connection, having)
	e.Message = fmt.Sprintf("no connection %s in this grant.", quote.Text(about.connection))
	e.Connections, e.ConnectionTotal = firstOf(near, having), len(having)
	switch {
	case len(near) > 0:
		e.Message += " Nearest: " + shownConnections(near) + "."
		e.Send = Call{t.Name, replaceNames(args, streams, near[0].ID)}.String()
	case !known, args.Has("id"): // the id may be another record's elsewhere
		e.Send = Call{"schema", rs.Object{}}.String()
	case len(having) == 1 || !g.OneConnection || t.Name == "search":
		e.Send = Call{t.Name, replaceNames(args, streams, "")}.String()
	case len(having) > 0:
		e.Send = Call{t.Name, replaceNames(args, streams, having[0].ID)}.String()
	}
	return e
}

// firstOf puts some connections before the others, at most as many as an error lists.
func firstOf(some, all []rs.Connection) []rs.Connection {
	ordered := slices.Clone(some)
	for _, c := range all {
		if !slices.Contains(some, c) {
			ordered = append(ordered, c)
		}
	}
	return ordered[:min(len(ordered), rs.MaxConnectionOptions)]
}

// nearConnections are the connections whose id, display name or connector is like a name.
func nearConnections(name string, connections []rs.Connection) []rs.Connection {
	var labels, ids []string
	of := map[string][]rs.Connection{}
	for _, c := range connections {
		ids = append(ids, c.ID)
	}
	prefix := shared(append(ids, name)) // which tells nothing
	name = name[len(prefix):]
	for _, c := range connections {
		for _, label := range []string{c.ID[len(prefix):], c.DisplayName, c.ConnectorKey} {
			if label != "" {
				labels = append(labels, label)
				of[label] = append(of[label], c)
			}
		}
	}
	var near []rs.Connection
	for _, label := range written.Nearest(name, labels, 6) {
		for _, c := range of[label] {
			if !slices.Contains(near, c) && len(near) < 3 {
				near = append(near, c)
			}
		}
	}
	return near
}

// shared is what all of some names begin with, up to a '_'.
func shared(names []string) string {
	prefix := names[0]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix[:strings.LastIndexByte(prefix, '_')+1]
}

func shownConnections(connections []rs.Connection) string {
	var shown []string
	for _, c := range connections[:min(len(connections), 3)] {
		label := quote.Names([]string{c.ID}, 1)
		if c.DisplayName != "" {
			label += " " + quote.Text(c.DisplayName)
		}
		shown = append(shown, label)
	}
	return strings.Join(shown, ", ")
}

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
func (t Tool) Lacks(s *rs.Schema, stream string, args rs.Object) (lacks []string) {
	names := fieldsNamed(args)
	homes := homesOf(s, stream, names)
	known := map[string]rs.SchemaField{}
	for _, h := range homes {
		for _, f := range h.fields {
			if slices.Contains(h.has, f.Name) {
				known[f.Name] = f
			}
		}
	}
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
		if lack = append(lack, rs.Member{Name: "fields", Value: listed(missing)}); all {
			same := Call{t.Name, renamedFields(args, there).With("connection_id", rs.EncodeJSON(h.ID)).Without("cursor")}
			lack = append(lack, rs.Member{Name: "instead", Value: same.JSON()})
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

// Homes says which connections of a stream have the fields of a call, where the connection that it names, or each of them if it names none,
// lacks one that another has; "" where that is not so. instead is the call on the connection that has them all, unless each that is missing has
// a counterpart in its own connection, such as another name of the sender. s is the schema of all connections of the stream.
func (t Tool) Homes(s *rs.Schema, stream, connection string, args rs.Object) (sentence string, instead Call) {
	names := fieldsNamed(args)
	homes := homesOf(s, stream, names)
	var missing []string
	counterparts := true
	for _, name := range names {
		there := slices.ContainsFunc(homes, func(h home) bool { return slices.Contains(h.has, name) })
		here := slices.ContainsFunc(homes, func(h home) bool {
			return (h.ID == connection || connection == "" && len(h.has) == len(names)) && slices.Contains(h.has, name)
		})
		switch {
		case !there && connection == "": // that is what is to be said of it
			return "", Call{}
		case there && !here:
			missing = append(missing, name)
			counterparts = counterparts && hasCounterpart(homes, connection, name)
		}
	}
	if len(missing) == 0 || len(homes) < 2 {
		return "", Call{}
	}
	var parts []string
	for _, name := range missing[:min(len(missing), 4)] {
		var in []rs.Connection
		for _, h := range homes {
			if slices.Contains(h.has, name) {
				in = append(in, h.Connection)
			}
		}
		parts = append(parts, quote.Text(name)+" is a field of "+shownConnections(in))
	}
	sentence = strings.Join(parts, "; ") + "."
	if connection == "" {
		sentence = fmt.Sprintf("No connection of %s has all of these fields: %s", quote.Text(stream), sentence)
	}
	for _, h := range homes {
		if len(h.has) == len(names) && !counterparts {
			return sentence, Call{t.Name, args.With("connection_id", rs.EncodeJSON(h.ID)).Without("cursor")}
		}
	}
	return sentence, Call{}
}

// hasCounterpart reports whether a connection has a field of the role that a field has elsewhere.
func hasCounterpart(homes []home, connection, field string) bool {
	return slices.ContainsFunc(homes, func(h home) bool {
		at := slices.IndexFunc(h.fields, func(f rs.SchemaField) bool { return f.Name == field })
		return at >= 0 && slices.ContainsFunc(homes, func(own home) bool { return own.ID == connection && own.counterpart(h.fields[at]) != "" })
	})
}

func homesOf(s *rs.Schema, stream string, names []string) (homes []home) {
	for i := range s.Streams {
		row := &s.Streams[i]
		if row.Name != stream {
			continue
		}
		var has []string
		fields := slices.DeleteFunc(row.Fields(), func(f rs.SchemaField) bool { return !f.Granted })
		for _, f := range fields {
			if slices.Contains(names, f.Name) {
				has = append(has, f.Name)
			}
		}
		for _, c := range row.Connections {
			homes = append(homes, home{c, has, fields})
		}
	}
	return homes
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
