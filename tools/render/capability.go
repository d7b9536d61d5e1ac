package render

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A field is what a schema document says about one field of a stream, in either of its forms: compact flags or an
// object.
type field struct {
	name, kind, role       string
	granted                bool
	line                   string // what the full text says of it, once it was said
	shortened              bool   // raw or property is not whole
	raw                    string // its capabilities as received; "" when only its JSON Schema is known
	property               string // its JSON Schema in that of the stream
	exact, lexical, vector bool
	ranges                 []string // operators
	aggregates             []string // kinds of aggregation
}

// flags reports whether the capabilities have the compact form.
func (f *field) flags() bool { return rs.Kind(f.raw) == "string" }

// jsonSchema is the field's JSON Schema, or "".
func (f *field) jsonSchema() string {
	if schema := rs.AsObject(f.raw).Get("schema"); schema != "" {
		return schema
	}
	return f.property
}

// field reads a field's capabilities.
func (r *rowReader) field(name string, raw string) field {
	f := field{name: name, raw: raw}
	if f.flags() {
		flags, _ := rs.AsText(raw)
		f.granted = r.flags(&f, flags)
		return f
	}
	o := rs.AsObject(raw)
	if o.Denied("granted") {
		return f
	}
	f.granted = true
	f.kind, f.role = o.Text("type"), o.Text("role")
	if f.kind == "" {
		f.kind = schemaType(o.Object("schema"))
	}
	f.exact = usable(o.Object("exact_filter"))
	f.lexical, f.vector = usable(o.Object("lexical_search")), usable(o.Object("semantic_search"))
	if filter := o.Object("range_filter"); usable(filter) {
		for _, op := range filter.Array("operators") {
			if s, ok := rs.AsText(op); ok {
				f.ranges = append(f.ranges, s)
			}
		}
		if len(f.ranges) == 0 {
			f.ranges = []string{"gte", "gt", "lte", "lt"}
		}
	}
	for _, m := range o.Object("aggregation") {
		if usable(rs.AsObject(m.Value)) {
			f.aggregates = append(f.aggregates, m.Name)
		}
	}
	return f
}

// flags reads the compact form: "declared", or "t=string,role=event-time,eq,r=gte|lt,lex,sem,a=min|max,g=false".
func (r *rowReader) flags(f *field, flags string) (granted bool) {
	for flag := range strings.SplitSeq(flags, ",") {
		key, value, _ := strings.Cut(flag, "=")
		switch key {
		case "t":
			f.kind = value
		case "role":
			f.role = value
		case "eq":
			f.exact = true
		case "r":
			f.ranges = r.split(value)
		case "lex":
			f.lexical = true
		case "sem":
			f.vector = true
		case "a":
			f.aggregates = r.split(value)
		case "g":
			if value == "false" {
				return false
			}
		}
	}
	return true
}

// split returns the words between bars.
func (r *rowReader) split(list string) []string {
	from := len(r.words)
	for word := range strings.SplitSeq(list, "|") {
		r.words = append(r.words, word)
	}
	return r.words[from:len(r.words):len(r.words)]
}

// usable reports a capability that works under this grant; a server that does not say counts as declared.
func usable(o object) bool {
	if o.Denied("usable") {
		return false
	}
	return o.Flag("usable") || o.Flag("declared")
}

// schemaType is the type of a JSON Schema: "string", or "string|null".
func schemaType(schema object) string {
	if t := schema.Text("x_pdpp_type", "type"); t != "" {
		return t
	}
	var types []string
	for _, raw := range schema.Array("type") {
		if s, ok := rs.AsText(raw); ok {
			types = append(types, s)
		}
	}
	return strings.Join(types, "|")
}

// advertised reports whether a field has any capability at all.
func (f *field) advertised() bool {
	return f.exact || f.lexical || f.vector || len(f.ranges) > 0 || len(f.aggregates) > 0
}
