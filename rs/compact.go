package rs

import (
	"slices"
	"strings"
)

// isCompact reports whether a document already has the compact form: it says so, or its field capabilities are flags.
func isCompact(document Object) bool {
	if StringMember(document, "detail") == "compact" {
		return true
	}
	seen := false
	for _, connector := range document.Array("connectors") {
		for _, stream := range AsObject(connector).Array("streams") {
			for _, field := range AsObject(stream).Object("field_capabilities") {
				if Kind(field.Value) != "string" {
					return false
				}
				seen = true
			}
		}
	}
	return seen
}

// projectCompact writes a full schema document in the compact form of GET /v1/schema?view=compact: capability
// flags instead of objects, connections once per connector, no JSON Schema (S3-7b).
func projectCompact(document Object) (Object, error) {
	var p projection
	compact := Object{}
	for _, m := range document {
		var err error
		switch m.Name {
		case "connectors":
			m.Value, _, err = NarrowList(m.Value, func(c Object) (Object, bool, error) {
				projected, err := p.connector(c)
				return projected, true, err
			})
		case "streams":
			m.Value, err = p.streams(m.Value, true) // no connector stands above these to hold their connections
		case "detail":
			continue
		}
		if err != nil {
			return nil, err
		}
		compact = append(compact, m)
	}
	if p.wrong {
		return nil, InvalidSchema()
	}
	return compact.With("detail", `"compact"`), nil
}

// A projection writes a document in the compact form.
type projection struct {
	strictReader
	connections []string // that the streams of the connector at hand repeat, each once
}

func (p *projection) connector(connector Object) (Object, error) {
	compact := Object{}
	p.connections = nil
	for _, m := range connector {
		if m.Name == "streams" {
			var err error
			if m.Value, err = p.streams(m.Value, false); err != nil {
				return nil, err
			}
		}
		compact = append(compact, m)
	}
	if len(p.connections) > 0 && !connector.Has("granted_connections") {
		compact = compact.With("granted_connections", JoinArray(p.connections))
	}
	return compact, nil
}

func (p *projection) streams(raw string, keepConnections bool) (string, error) {
	seen := map[string]bool{}
	list, _, err := NarrowList(raw, func(stream Object) (Object, bool, error) {
		compact := Object{}
		for _, m := range stream {
			switch m.Name {
			case "granted_connections":
				if !keepConnections {
					p.gather(m.Value, seen)
					continue
				}
			case "field_capabilities":
				if m.Value == "null" {
					continue
				}
				m.Value = p.capabilities(m.Value)
			case "name", "primary_key", "cursor_field", "expand_capabilities", "connector_key", "connection_id", "display_name":
			default:
				continue
			}
			compact = append(compact, m)
		}
		return compact, true, nil
	})
	return list, err
}

// gather remembers the connections of a stream that no stream before it has.
func (p *projection) gather(raw string, seen map[string]bool) {
	list, _ := AsArray(raw)
	for _, connection := range list {
		if id := StringMember(AsObject(connection), "connection_id"); id != "" && !seen[id] {
			seen[id] = true
			p.connections = append(p.connections, connection)
		}
	}
}

func (p *projection) capabilities(raw string) string {
	if Kind(raw) != "object" {
		p.wrong = true
		return "null"
	}
	compact := AsObject(raw)
	for i, f := range compact {
		compact[i].Value = EncodeJSON(p.flagsOf(f.Value))
	}
	return compact.JSON()
}

// flagsOf are one field's capabilities as flags: t=type, role=…, g=false, eq, r=operators, lex, sem, a=kinds.
func (p *projection) flagsOf(raw string) string {
	switch Kind(raw) {
	case "string": // flags already
		text, _ := AsText(raw)
		return text
	case "null":
		return ""
	}
	field := p.object(raw)
	var flags []string
	if kind := p.fieldType(field); kind != "" {
		flags = append(flags, "t="+kind)
	}
	if role := p.text(field, "role"); role != "" {
		flags = append(flags, "role="+role)
	}
	if !p.boolean(field, "granted", true) {
		flags = append(flags, "g=false")
	}
	if p.usable(field.Get("exact_filter")) {
		flags = append(flags, "eq")
	}
	if capability := field.Get("range_filter"); p.usable(capability) {
		flags = append(flags, "r="+strings.Join(p.operators(capability), "|"))
	}
	if p.usable(field.Get("lexical_search")) {
		flags = append(flags, "lex")
	}
	if p.usable(field.Get("semantic_search")) {
		flags = append(flags, "sem")
	}
	if kinds := p.aggregations(field); len(kinds) > 0 {
		flags = append(flags, "a="+strings.Join(kinds, "|"))
	}
	if len(flags) == 0 {
		return "declared"
	}
	return strings.Join(flags, ",")
}

// fieldType names the field's type: the declared one, else the JSON Schema's, alternatives joined by '|'.
func (p *projection) fieldType(field Object) string {
	declared := p.text(field, "type")
	schema := p.object(field.Get("schema"))
	if declared != "" {
		return declared
	}
	if Kind(schema.Get("type")) != "array" {
		return StringMember(schema, "type")
	}
	var words []string
	for _, raw := range schema.Array("type") {
		if Kind(raw) == "string" {
			text, _ := AsText(raw)
			words = append(words, text)
		}
	}
	return strings.Join(words, "|")
}

// usable reports whether a capability works under the grant.
func (p *projection) usable(raw string) bool {
	return p.boolean(p.object(raw), "usable", false)
}

// operators are those of a range filter.
func (p *projection) operators(capability string) []string {
	var words []string
	for _, raw := range p.array(p.object(capability).Get("operators")) {
		text := ""
		if p.is(raw, "string") {
			text, _ = AsText(raw)
		}
		words = append(words, text)
	}
	return words
}

// aggregations are the kinds of aggregation that work, in alphabetical order.
func (p *projection) aggregations(field Object) []string {
	var kinds []string
	for _, kind := range p.object(field.Get("aggregation")) {
		if p.usable(kind.Value) {
			kinds = append(kinds, kind.Name)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
