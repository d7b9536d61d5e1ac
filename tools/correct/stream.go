package correct

import (
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A KnownStream is what the fields and relations of a call are compared with.
type KnownStream struct {
	Name      string
	Fields    []rs.SchemaField
	Relations []rs.Relation
	Views     []string
	Related   []KnownStream // of the relations, where they were looked up
}

// ReadStream reads a stream out of a schema document; a field of several connections counts once.
func ReadStream(name string, s *rs.Schema) KnownStream {
	stream := KnownStream{Name: name}
	fields, relations := map[string]bool{}, map[string]bool{} // a schema may have thousands
	for _, row := range s.Streams {
		if row.Name != name {
			continue
		}
		for _, f := range row.Fields() {
			if f.Granted && !fields[f.Name] {
				fields[f.Name] = true
				stream.Fields = append(stream.Fields, f)
			}
		}
		for _, r := range row.Relations() {
			if !relations[r.Name] {
				relations[r.Name] = true
				stream.Relations = append(stream.Relations, r)
			}
		}
		for _, raw := range row.Members.Array("views") {
			if id := rs.AsObject(raw).Text("id", "name"); id != "" {
				stream.Views = append(stream.Views, id)
			}
		}
	}
	return stream
}

func (s KnownStream) relations() (names []string) {
	for _, r := range s.Relations {
		names = append(names, r.Name)
	}
	return names
}

// Time is the one field that says when a record is; "" where there is none, or several.
func (s KnownStream) Time() string {
	found := ""
	for _, f := range s.Fields {
		switch {
		case f.Role == "event-time" && found != "":
			return ""
		case f.Role == "event-time":
			found = f.Name
		}
	}
	return found
}

func (s KnownStream) field(name string) *rs.SchemaField {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

func (s KnownStream) isNumber(name string) bool {
	f := s.field(name)
	return f != nil && isNumber(*f)
}

func isNumber(f rs.SchemaField) bool { return f.Type == "number" || f.Type == "integer" }

func isTime(f rs.SchemaField) bool {
	return f.Role == "event-time" || strings.Contains(f.Type, "time") || strings.Contains(f.Type, "date")
}

// kindOf is the kind of field that a condition is of: a number's, a time's, or nil where any may be meant.
func kindOf(condition string) use {
	values := []string{condition}
	if bounds := rs.AsObject(condition); bounds != nil {
		values = nil
		for _, bound := range bounds {
			values = append(values, bound.Value)
		}
	}
	notNumber := func(raw string) bool {
		s, _ := rs.AsText(raw)
		return !written.IsNumber(s) || written.IsDate(raw) && len(s) >= 10
	}
	notDate := func(raw string) bool { return !written.IsDate(raw) }
	switch {
	case len(values) > 0 && !slices.ContainsFunc(values, notNumber):
		return isNumber
	case len(values) > 0 && !slices.ContainsFunc(values, notDate):
		return isTime
	}
	return nil
}

// A use is what an argument needs of a field; nil takes any.
type use func(rs.SchemaField) bool

// aggregates takes the fields of a kind of aggregate; an average is made of a sum and a count.
func aggregates(kind string) use {
	return func(f rs.SchemaField) bool {
		return slices.Contains(f.Aggregates, kind) || kind == "avg" && slices.Contains(f.Aggregates, "sum")
	}
}

func hasRanges(f rs.SchemaField) bool { return len(f.Ranges) > 0 }

func filters(f rs.SchemaField) bool { return f.Exact || len(f.Ranges) > 0 }

// suited lists the names of the fields for a use. A schema that says of no field what it can do says so of all.
func (s KnownStream) suited(u use) []string {
	var all, suited []string
	for _, f := range s.Fields {
		all = append(all, f.Name)
		if u == nil || u(f) {
			suited = append(suited, f.Name)
		}
	}
	silent := !slices.ContainsFunc(s.Fields, func(f rs.SchemaField) bool { return filters(f) || len(f.Aggregates) > 0 })
	if silent {
		return all
	}
	return suited
}

// bodies are words for the text that a record is about.
var bodies = written.Set("body content text message description details notes body_text")

// roles are words for what a field is, beside the roles and types by which a schema says so, the likeliest first.
var roles = []struct {
	words map[string]bool
	is    []use
}{
	{written.Set("date time timestamp day when datetime created received sent start starts occurred created_at updated_at created_time",
		"start_time start_date sent_at received_at occurred_at timestamp_at event_time"),
		[]use{func(f rs.SchemaField) bool { return f.Role == "event-time" }}},
	{written.Set("from sender author user who by username sender_name from_user organizer writer"),
		[]use{func(f rs.SchemaField) bool { return f.Role == "actor" }}},
	{written.Set("title subject name headline summary label vendor store shop seller"),
		[]use{func(f rs.SchemaField) bool { return f.Role == "primary-title" }}},
	{written.Set("amount price cost value sum total total_amount total_price"),
		[]use{func(f rs.SchemaField) bool { return f.Type == "number" || slices.Contains(f.Aggregates, "sum") }}},
	{bodies, []use{
		func(f rs.SchemaField) bool { return bodies[f.Name] }, func(f rs.SchemaField) bool { return f.Role == "secondary" },
		func(f rs.SchemaField) bool { return f.Type == "text" },
	}},
}

// named are the names of the fields and, where one in a filter is near to none of these, the words for what a field is, such as the amount
// of min_amount.
func (s KnownStream) named(filter rs.Object) []string {
	known := s.suited(nil)
	if !slices.ContainsFunc(filter, func(m rs.Member) bool { return s.misses(m.Name) }) {
		return known
	}
	for _, role := range roles {
		known = append(known, slices.Collect(maps.Keys(role.words))...)
	}
	return known
}

// near are the fields that a name may mean, those for the use first.
func (s KnownStream) near(name string, u use) []string {
	known := s.suited(u)
	for _, prefix := range []string{"data.", "record.", s.Name + ".", "fields."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && slices.Contains(known, rest) {
			return []string{rest}
		}
	}
	found, plain := written.Nearest(name, known, 3), written.Snake(name)
	own := strings.TrimPrefix(plain, strings.TrimSuffix(s.Name, "s")+"_") // the value of order_value
	for _, role := range roles {
		for _, is := range role.is {
			for _, f := range s.Fields {
				if (role.words[plain] || role.words[own]) && is(f) && slices.Contains(known, f.Name) && !slices.Contains(found, f.Name) {
					found = append(found, f.Name)
				}
			}
		}
	}
	return found[:min(len(found), 3)]
}

// ReadRelated reads the streams that are related out of a schema document of all.
func (s *KnownStream) ReadRelated(all *rs.Schema) {
	for _, r := range s.Relations {
		s.Related = append(s.Related, ReadStream(r.Target, all))
	}
}

// relationIn is the relation before the dot of a name, such as message_bodies.body_text, and the name behind it; -1 for none.
func (s KnownStream) relationIn(name string) (relation int, field string) {
	before, field, dotted := strings.Cut(strings.TrimPrefix(name, s.Name+"."), ".")
	if near := written.Nearest(before, s.relations(), 1); dotted && len(near) > 0 && s.field(name) == nil {
		return slices.Index(s.relations(), near[0]), field
	}
	return -1, field
}

// misses reports whether the stream has no field of a name, nor of a similar one.
func (s KnownStream) misses(name string) bool {
	relation, _ := s.relationIn(name)
	own := strings.TrimPrefix(name, s.Name+".")
	return relation >= 0 || s.field(own) == nil && len(written.Nearest(own, s.suited(nil), 1)) == 0
}

// Misses reports whether a call names a field that may be in a stream related to this one.
func (s KnownStream) Misses(args rs.Object) bool {
	fields := args.Array("fields")
	names := append(slices.Clone(fields[:min(len(fields), maxShown)]), args.Get("field"))
	for _, m := range args.Object("filter") {
		names = append(names, rs.EncodeJSON(m.Name))
	}
	return len(s.Relations) > 0 && slices.ContainsFunc(names, func(raw string) bool {
		name, ok := written.Text(raw)
		return ok && s.misses(name)
	})
}

// Having lists the streams of a schema that have all fields of a filter.
func Having(s *rs.Schema, filter rs.Object) []string {
	var having []string
	for _, row := range s.Streams {
		if slices.Contains(having, row.Name) || len(filter) == 0 {
			continue
		}
		known := ReadStream(row.Name, s)
		if !slices.ContainsFunc(filter, func(m rs.Member) bool { return !slices.Contains(known.suited(filters), m.Name) }) {
			having = append(having, row.Name)
		}
	}
	return having
}
