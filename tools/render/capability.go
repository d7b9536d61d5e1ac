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
	schema                 string // its own JSON Schema
	property               string // its JSON Schema in that of the stream
	exact, lexical, vector bool
	ranges                 []string // operators
	aggregates             []string // kinds of aggregation
}

// flags reports whether the capabilities have the compact form.
func (f *field) flags() bool { return rs.Kind(f.raw) == "string" }

// jsonSchema is the field's JSON Schema, or "".
func (f *field) jsonSchema() string {
	if f.schema != "" {
		return f.schema
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
	r.capability = rs.AsObject(raw)
	o := r.capability
	if o.Denied("granted") {
		return f
	}
	f.granted = true
	f.kind, f.role, f.schema = o.Text("type"), o.Text("role"), o.Get("schema")
	if f.kind == "" {
		f.kind = r.schemaType(f.schema)
	}
	f.exact, f.lexical, f.vector = r.usable(o.Get("exact_filter")), r.usable(o.Get("lexical_search")), r.usable(o.Get("semantic_search"))
	if r.usable(o.Get("range_filter")) {
		if f.ranges = r.texts(r.inner.Get("operators")); len(f.ranges) == 0 {
			f.ranges = rs.RangeOperators
		}
	}
	from := len(r.words)
	r.part = rs.AsObject(o.Get("aggregation"))
	for _, m := range r.part {
		if r.usable(m.Value) {
			r.words = append(r.words, m.Name)
		}
	}
	f.aggregates = r.wordsFrom(from)
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
	return r.wordsFrom(from)
}

// texts returns the texts, numbers and booleans of an array.
func (r *rowReader) texts(array string) []string {
	from := len(r.words)
	r.list, _ = rs.AsArray(array)
	for _, raw := range r.list {
		if text, ok := rs.AsText(raw); ok {
			r.words = append(r.words, text)
		}
	}
	return r.wordsFrom(from)
}

func (r *rowReader) wordsFrom(from int) []string { return r.words[from:len(r.words):len(r.words)] }

// usable reads a capability and reports whether it works under this grant; a server that does not say counts as declared.
func (r *rowReader) usable(capability string) bool {
	r.inner = rs.AsObject(capability)
	if r.inner.Denied("usable") {
		return false
	}
	return r.inner.Flag("usable") || r.inner.Flag("declared")
}

// schemaType is the type of a JSON Schema: "string", or "string|null".
func (r *rowReader) schemaType(schema string) string {
	r.inner = rs.AsObject(schema)
	if t := r.inner.Text("x_pdpp_type", "type"); t != "" {
		return t
	}
	return strings.Join(r.texts(r.inner.Get("type")), "|")
}

// advertised reports whether a field has any capability at all.
func (f *field) advertised() bool {
	return f.exact || f.lexical || f.vector || len(f.ranges) > 0 || len(f.aggregates) > 0
}
