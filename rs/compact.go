package rs

import (
	"slices"
	"strings"
)

// isCompact reports whether a document already has the compact form: it says so, or its field capabilities are flags.
func isCompact(document Object) bool {
	if stringMember(document, "detail") == "compact" {
		return true
	}
	var connector, stream, fields Object
	seen := false
	for _, raw := range document.Array("connectors") {
		connector = connector.Reread(raw)
		for _, raw := range connector.Array("streams") {
			stream = stream.Reread(raw)
			fields = fields.Reread(stream.Get("field_capabilities"))
			for _, field := range fields {
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
			m.Value, _, err = narrowList(m.Value, func(c Object) (Object, bool, error) {
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
		return nil, invalidSchema()
	}
	return compact.With("detail", `"compact"`), nil
}

// A projection writes a document in the compact form, one part after the other in the same room.
type projection struct {
	strictReader
	stream      Object   // as it is written
	connections []string // that the streams of the connector at hand repeat, each once
	// What is read of a field, and what is written of it and of all fields of a stream.
	fields, field, part, inner Object
	list, words                []string
	flags, written             []byte
}

func (p *projection) connector(connector Object) (Object, error) {
	compact := Object{}
	p.connections = p.connections[:0]
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
	list, _, err := narrowList(raw, func(stream Object) (Object, bool, error) {
		p.stream = p.stream[:0]
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
			p.stream = append(p.stream, m)
		}
		return p.stream, true, nil
	})
	return list, err
}

// gather remembers the connections of a stream that no stream before it has.
func (p *projection) gather(raw string, seen map[string]bool) {
	p.list, _ = RereadArray(p.list, raw)
	for _, connection := range p.list {
		p.part = p.part.Reread(connection)
		if id := stringMember(p.part, "connection_id"); id != "" && !seen[id] {
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
	p.fields = p.fields.Reread(raw)
	p.written = append(p.written[:0], '{')
	for i, f := range p.fields {
		if i > 0 {
			p.written = append(p.written, ',')
		}
		p.written = append(AppendText(p.written, f.Name), ':')
		p.written = AppendText(p.written, p.flagsOf(f.Value))
	}
	return string(append(p.written, '}'))
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
	p.field, p.flags = p.object(p.field, raw), p.flags[:0]
	if kind := p.fieldType(); kind != "" {
		p.flag("t=", kind)
	}
	if role := p.text(p.field, "role"); role != "" {
		p.flag("role=", role)
	}
	if !p.boolean(p.field, "granted", true) {
		p.flag("g=false")
	}
	if p.usable(p.field.Get("exact_filter")) {
		p.flag("eq")
	}
	if p.usable(p.field.Get("range_filter")) {
		p.flag("r=", p.operators()...)
	}
	if p.usable(p.field.Get("lexical_search")) {
		p.flag("lex")
	}
	if p.usable(p.field.Get("semantic_search")) {
		p.flag("sem")
	}
	if kinds := p.aggregations(); len(kinds) > 0 {
		p.flag("a=", kinds...)
	}
	if len(p.flags) == 0 {
		return "declared"
	}
	return string(p.flags)
}

func (p *projection) flag(key string, words ...string) {
	if len(p.flags) > 0 {
		p.flags = append(p.flags, ',')
	}
	p.flags = append(p.flags, key...)
	for i, word := range words {
		if i > 0 {
			p.flags = append(p.flags, '|')
		}
		p.flags = append(p.flags, word...)
	}
}

// fieldType names the field's type: the declared one, else the JSON Schema's, alternatives joined by '|'.
func (p *projection) fieldType() string {
	declared := p.text(p.field, "type")
	p.part = p.object(p.part, p.field.Get("schema"))
	if declared != "" {
		return declared
	}
	kind := p.part.Get("type")
	if Kind(kind) != "array" {
		return stringMember(p.part, "type")
	}
	p.list, _ = RereadArray(p.list, kind)
	p.words = p.words[:0]
	for _, raw := range p.list {
		if Kind(raw) == "string" {
			text, _ := AsText(raw)
			p.words = append(p.words, text)
		}
	}
	return strings.Join(p.words, "|")
}

// usable reads a capability, and reports whether it works under the grant.
func (p *projection) usable(raw string) bool {
	p.part = p.object(p.part, raw)
	return p.boolean(p.part, "usable", false)
}

// operators are those of the capability that was read last.
func (p *projection) operators() []string {
	p.list, p.words = p.array(p.list, p.part.Get("operators")), p.words[:0]
	for _, raw := range p.list {
		text := ""
		if p.is(raw, "string") {
			text, _ = AsText(raw)
		}
		p.words = append(p.words, text)
	}
	return p.words
}

// aggregations are the kinds of aggregation that work, in alphabetical order.
func (p *projection) aggregations() []string {
	p.inner, p.words = p.object(p.inner, p.field.Get("aggregation")), p.words[:0]
	for _, kind := range p.inner {
		if p.usable(kind.Value) {
			p.words = append(p.words, kind.Name)
		}
	}
	slices.Sort(p.words)
	return slices.Compact(p.words)
}
