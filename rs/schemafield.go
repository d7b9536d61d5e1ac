package rs

import (
	"slices"
	"strings"
)

// A SchemaField describes one field of a stream as a schema document does, in either of its forms: flags or an object.
type SchemaField struct {
	Name         string
	Capabilities string // as sent; "" when only its JSON Schema is known
	Schema       string // its own JSON Schema, or ""
	Property     string // its JSON Schema inside the stream's, or ""

	Type, Role string // "" when unknown; alternatives of a type are joined by '|'
	Granted    bool
	Exact      bool     // an exact filter works under the grant
	Lexical    bool     // lexical search works
	Semantic   bool     // semantic search works
	Ranges     []string // the operators of a range filter; empty if it does not work
	Aggregates []string // the kinds of aggregation that work
}

// HasBounds reports whether a filter can compare the field with a bound.
func (f SchemaField) HasBounds() bool {
	return slices.ContainsFunc(f.Ranges, func(operator string) bool { return slices.Contains(Bounds, operator) })
}

// Fields returns the fields of the stream in the order of the document: those with capabilities, then those that only the stream's JSON
// Schema has.
func (r *SchemaStream) Fields() []SchemaField {
	var s shape
	capabilities := r.Members.Object("field_capabilities")
	fields := make([]SchemaField, 0, len(capabilities))
	for _, m := range capabilities {
		fields = append(fields, s.field(m.Name, m.Value))
	}
	properties := r.Members.Object("schema").Object("properties")
	if len(properties) == 0 {
		return fields
	}
	described := make(map[string]int, len(fields))
	for i := range fields {
		described[fields[i].Name] = i
	}
	for _, m := range properties {
		at, ok := described[m.Name]
		if !ok {
			at = len(fields)
			fields = append(fields, SchemaField{Name: m.Name, Type: schemaType(AsObject(m.Value)), Granted: true})
		}
		fields[at].Property = m.Value
	}
	return fields
}

// HasFlags reports whether the capabilities are flags, not an object.
func (f *SchemaField) HasFlags() bool { return Kind(f.Capabilities) == "string" }

// JSONSchema returns the field's JSON Schema, or "".
func (f *SchemaField) JSONSchema() string {
	if f.Schema != "" {
		return f.Schema
	}
	return f.Property
}

func (s *shape) field(name, raw string) SchemaField {
	f := SchemaField{Name: name, Capabilities: raw, Granted: true}
	if f.HasFlags() {
		flags, _ := AsText(raw)
		f.readFlags(flags)
		return f
	}
	o := s.object(raw)
	f.Granted = s.boolean(o, "granted", true)
	f.Type, f.Role, f.Schema = s.text(o, "type"), s.text(o, "role"), o.Get("schema")
	if schema := s.object(f.Schema); f.Type == "" {
		f.Type = schemaType(schema)
	}
	f.Exact, f.Lexical, f.Semantic = s.usable(o.Get("exact_filter")), s.usable(o.Get("lexical_search")), s.usable(o.Get("semantic_search"))
	if capability := o.Get("range_filter"); s.usable(capability) {
		for _, raw := range s.array(AsObject(capability).Get("operators")) {
			if s.is(raw, "string") {
				f.Ranges = append(f.Ranges, unquoted(raw))
			}
		}
		if len(f.Ranges) == 0 {
			f.Ranges = Bounds
		}
	}
	for _, m := range s.object(o.Get("aggregation")) {
		if s.usable(m.Value) {
			f.Aggregates = append(f.Aggregates, m.Name)
		}
	}
	return f
}

// usable reports whether a capability works under the grant. If "usable" is absent, "declared" decides.
func (s *shape) usable(raw string) bool {
	o := s.object(raw)
	return s.boolean(o, "usable", o.Flag("declared"))
}

// schemaType returns the type that a JSON Schema declares: "string", or "string|null".
func schemaType(schema Object) string {
	if t := schema.Text("x_pdpp_type", "type"); t != "" {
		return t
	}
	var words []string
	for _, raw := range schema.Array("type") {
		if Kind(raw) == "string" {
			words = append(words, unquoted(raw))
		}
	}
	return strings.Join(words, "|")
}

// readFlags reads flags: "declared", or "t=string,role=event-time,g=false,eq,r=gte|lt,lex,sem,a=min|max".
func (f *SchemaField) readFlags(flags string) {
	for flag := range strings.SplitSeq(flags, ",") {
		switch key, value, _ := strings.Cut(flag, "="); key {
		case "t":
			f.Type = value
		case "role":
			f.Role = value
		case "g":
			f.Granted = value != "false"
		case "eq":
			f.Exact = true
		case "r":
			f.Ranges = strings.Split(value, "|")
		case "lex":
			f.Lexical = true
		case "sem":
			f.Semantic = true
		case "a":
			f.Aggregates = strings.Split(value, "|")
		}
	}
}

// flags returns the field's capabilities as flags, with the kinds of aggregation in alphabetical order.
func (f *SchemaField) flags() string {
	switch Kind(f.Capabilities) {
	case "string": // flags already
		return unquoted(f.Capabilities)
	case "null":
		return ""
	}
	var flags []string
	add := func(flag string, holds bool) {
		if holds {
			flags = append(flags, flag)
		}
	}
	kinds := slices.Compact(slices.Sorted(slices.Values(f.Aggregates)))
	add("t="+f.Type, f.Type != "")
	add("role="+f.Role, f.Role != "")
	add("g=false", !f.Granted)
	add("eq", f.Exact)
	add("r="+strings.Join(f.Ranges, "|"), len(f.Ranges) > 0)
	add("lex", f.Lexical)
	add("sem", f.Semantic)
	add("a="+strings.Join(kinds, "|"), len(kinds) > 0)
	if len(flags) == 0 {
		return "declared"
	}
	return strings.Join(flags, ",")
}
