package store

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// isSearched reports whether words are looked for in a field: what is declared to be, and who sent or made the record.
func isSearched(field model.Field) bool {
	return field.Lexical || field.Role == "actor" && (field.Type == "string" || field.Type == "text")
}

// HasMeaning reports whether a field has texts to search by meaning. A name has none.
func HasMeaning(field model.Field) bool { return field.Lexical && field.Role != "actor" }

// lexicalText is the text of a field that is searched: all strings in it, one to a line.
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

// A Leaf is a string in a field, with the path that a field window is read by.
type Leaf struct{ Path, Text string }

// TextsIn lists the strings of a value, those in arrays and objects too, in the order in which they are written; the names of
// an object are sorted.
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
