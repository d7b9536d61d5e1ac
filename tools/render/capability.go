package render

import "strings"

// A field is what a schema document says about one field of a stream, in either of its forms: compact flags or an
// object.
type field struct {
	name, kind, role       string
	exact, lexical, vector bool
	ranges                 []string // operators
	aggregates             []string // kinds of aggregation
}

// readField reads a field's capabilities. ok is false for a field that is not granted.
func readField(name string, raw []byte) (f field, ok bool) {
	f.name = name
	if kind(raw) == "string" {
		flags, _ := asText(raw)
		return f, f.readFlags(flags)
	}
	o := asObject(raw)
	if o.denied("granted") {
		return f, false
	}
	f.kind, f.role = o.text("type"), o.text("role")
	if f.kind == "" {
		f.kind = schemaType(o.object("schema"))
	}
	f.exact = usable(o.object("exact_filter"))
	f.lexical, f.vector = usable(o.object("lexical_search")), usable(o.object("semantic_search"))
	if r := o.object("range_filter"); usable(r) {
		for _, op := range r.array("operators") {
			if s, ok := asText(op); ok {
				f.ranges = append(f.ranges, s)
			}
		}
		if len(f.ranges) == 0 {
			f.ranges = []string{"gte", "gt", "lte", "lt"}
		}
	}
	for _, m := range o.object("aggregation") {
		if usable(asObject(m.raw)) {
			f.aggregates = append(f.aggregates, m.key)
		}
	}
	return f, true
}

// readFlags reads the compact form: "declared", or "t=string,role=event-time,eq,r=gte|lt,lex,sem,a=min|max,g=false".
func (f *field) readFlags(flags string) (granted bool) {
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
			f.ranges = strings.Split(value, "|")
		case "lex":
			f.lexical = true
		case "sem":
			f.vector = true
		case "a":
			f.aggregates = strings.Split(value, "|")
		case "g":
			if value == "false" {
				return false
			}
		}
	}
	return true
}

// usable reports a capability that works under this grant; a server that does not say counts as declared.
func usable(o object) bool {
	if o.denied("usable") {
		return false
	}
	return o.flag("usable") || o.flag("declared")
}

// schemaType is the type of a JSON Schema: "string", or "string|null".
func schemaType(schema object) string {
	if t := schema.text("x_pdpp_type", "type"); t != "" {
		return t
	}
	var types []string
	for _, raw := range schema.array("type") {
		if s, ok := asText(raw); ok {
			types = append(types, s)
		}
	}
	return strings.Join(types, "|")
}

// advertised reports whether a field has any capability at all.
func (f *field) advertised() bool {
	return f.exact || f.lexical || f.vector || len(f.ranges) > 0 || len(f.aggregates) > 0
}
