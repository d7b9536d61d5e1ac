package rs

import (
	"encoding/json"
	"slices"
	"strings"
)

// isCompact reports whether a document already has the compact form: it says so, or its field capabilities are flags.
func isCompact(document Object) bool {
	if stringMember(document, "detail") == "compact" {
		return true
	}
	var connectors []struct {
		Streams []struct {
			Fields map[string]json.RawMessage `json:"field_capabilities"`
		} `json:"streams"`
	}
	_ = json.Unmarshal([]byte(document.Get("connectors")), &connectors)
	seen := false
	for _, c := range connectors {
		for _, s := range c.Streams {
			for _, field := range s.Fields {
				if len(field) == 0 || field[0] != '"' {
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
	compact := Object{}
	for _, m := range document {
		switch m.Name {
		case "connectors":
			list, _, err := narrowList(m.Value, func(c Object) (Object, bool, error) {
				projected, err := compactConnector(c)
				return projected, true, err
			})
			if err != nil {
				return nil, err
			}
			m.Value = list
		case "streams":
			list, err := compactStreams(m.Value, true) // no connector stands above these to hold their connections
			if err != nil {
				return nil, err
			}
			m.Value = list
		case "detail":
			continue
		}
		compact = append(compact, m)
	}
	return compact.With("detail", `"compact"`), nil
}

func compactConnector(connector Object) (Object, error) {
	compact := Object{}
	var connections []string
	for _, m := range connector {
		if m.Name == "streams" {
			streams, err := compactStreams(m.Value, false)
			if err != nil {
				return nil, err
			}
			if connector.Get("granted_connections") == "" {
				connections = streamConnections(m.Value)
			}
			m.Value = streams
		}
		compact = append(compact, m)
	}
	if len(connections) > 0 {
		compact = compact.With("granted_connections", JoinArray(connections))
	}
	return compact, nil
}

// streamConnections gathers the connections that streams repeat, each once.
func streamConnections(raw string) []string {
	var streams []struct {
		Connections []json.RawMessage `json:"granted_connections"`
	}
	_ = json.Unmarshal([]byte(raw), &streams)
	var all []string
	seen := map[string]bool{}
	for _, s := range streams {
		for _, connection := range s.Connections {
			object, err := ReadObject(string(connection))
			if err != nil {
				continue
			}
			if id := stringMember(object, "connection_id"); id != "" && !seen[id] {
				seen[id] = true
				all = append(all, string(connection))
			}
		}
	}
	return all
}

func compactStreams(raw string, keepConnections bool) (string, error) {
	list, _, err := narrowList(raw, func(stream Object) (Object, bool, error) {
		compact := Object{}
		for _, m := range stream {
			switch m.Name {
			case "name", "primary_key", "cursor_field", "expand_capabilities", "connector_key", "connection_id", "display_name":
				compact = append(compact, m)
			case "granted_connections":
				if keepConnections {
					compact = append(compact, m)
				}
			case "field_capabilities":
				if m.Value == "null" {
					continue
				}
				flags, err := compactFields(m.Value)
				if err != nil {
					return nil, false, err
				}
				compact = append(compact, Member{m.Name, flags})
			}
		}
		return compact, true, nil
	})
	return list, err
}

func compactFields(raw string) (string, error) {
	fields, err := ReadObject(raw)
	if err != nil {
		return "", invalidSchema()
	}
	compact := Object{}
	for _, field := range fields {
		flags, err := compactField(field.Value)
		if err != nil {
			return "", err
		}
		compact = append(compact, Member{field.Name, EncodeJSON(flags)})
	}
	return compact.JSON(), nil
}

type capability struct {
	Declared  bool     `json:"declared"`
	Usable    bool     `json:"usable"`
	Operators []string `json:"operators"`
}

// compactField writes one field's capabilities as flags: t=type, role=…, g=false, eq, r=operators, lex, sem, a=kinds.
func compactField(raw string) (string, error) {
	var text string
	if json.Unmarshal([]byte(raw), &text) == nil {
		return text, nil // already flags
	}
	var field struct {
		Type        string                `json:"type"`
		Role        string                `json:"role"`
		Granted     *bool                 `json:"granted"`
		Schema      map[string]any        `json:"schema"`
		Exact       capability            `json:"exact_filter"`
		Range       capability            `json:"range_filter"`
		Lexical     capability            `json:"lexical_search"`
		Semantic    capability            `json:"semantic_search"`
		Aggregation map[string]capability `json:"aggregation"`
	}
	if json.Unmarshal([]byte(raw), &field) != nil {
		return "", invalidSchema()
	}
	var flags []string
	if kind := fieldType(field.Type, field.Schema["type"]); kind != "" {
		flags = append(flags, "t="+kind)
	}
	if field.Role != "" {
		flags = append(flags, "role="+field.Role)
	}
	if field.Granted != nil && !*field.Granted {
		flags = append(flags, "g=false")
	}
	if field.Exact.Usable {
		flags = append(flags, "eq")
	}
	if field.Range.Usable {
		flags = append(flags, "r="+strings.Join(field.Range.Operators, "|"))
	}
	if field.Lexical.Usable {
		flags = append(flags, "lex")
	}
	if field.Semantic.Usable {
		flags = append(flags, "sem")
	}
	var kinds []string
	for kind, c := range field.Aggregation {
		if c.Usable {
			kinds = append(kinds, kind)
		}
	}
	if slices.Sort(kinds); len(kinds) > 0 {
		flags = append(flags, "a="+strings.Join(kinds, "|"))
	}
	if len(flags) == 0 {
		return "declared", nil
	}
	return strings.Join(flags, ","), nil
}

// fieldType names a field's type: the declared one, else the JSON Schema's, alternatives joined by '|'.
func fieldType(declared string, schema any) string {
	if declared != "" {
		return declared
	}
	switch t := schema.(type) {
	case string:
		return t
	case []any:
		var names []string
		for _, name := range t {
			if text, ok := name.(string); ok {
				names = append(names, text)
			}
		}
		return strings.Join(names, "|")
	}
	return ""
}
