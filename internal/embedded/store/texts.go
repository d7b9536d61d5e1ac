package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// isSearched reports whether a field is in the full-text index: lexical fields, and text fields with the role actor.
func isSearched(field model.Field) bool {
	return field.Lexical || field.Role == "actor" && (field.Type == "string" || field.Type == "text")
}

// HasMeaning reports whether a field is searched by meaning: lexical fields, but no names of actors.
func HasMeaning(field model.Field) bool { return field.Lexical && field.Role != "actor" }

// lexicalText returns the searched text of a field: all strings in it, one per line.
func lexicalText(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '"' {
		return model.Unquote(raw)
	}
	var all []string
	for _, leaf := range TextsIn(raw, "") {
		all = append(all, leaf.Text)
	}
	return strings.Join(all, "\n")
}

// A Leaf is a string in a field, with the path by which a field window reads it.
type Leaf struct{ Path, Text string }

// TextsIn lists the non-empty strings of a value, including nested ones. Array items keep their order; object members are sorted by name.
func TextsIn(raw json.RawMessage, path string) []Leaf {
	var leaves []Leaf
	switch {
	case len(raw) == 0:
	case raw[0] == '"':
		if text := model.Unquote(raw); text != "" {
			leaves = append(leaves, Leaf{path, text})
		}
	case raw[0] == '[':
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items) // it was valid when it was stored
		for i, item := range items {
			leaves = append(leaves, TextsIn(item, path+"."+strconv.Itoa(i))...)
		}
	case raw[0] == '{':
		var members map[string]json.RawMessage
		_ = json.Unmarshal(raw, &members) // it was valid when it was stored
		for _, name := range slices.Sorted(maps.Keys(members)) {
			leaves = append(leaves, TextsIn(members[name], path+"."+name)...)
		}
	}
	return leaves
}
