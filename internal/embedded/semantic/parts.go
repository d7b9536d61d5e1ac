package semantic

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// partSize is how many code points of a text get a separate vector: fewer than small models accept.
const partSize = 1000

// A Part is a piece of a text of a record.
type Part struct {
	Column int    // index of its field among the searched ones
	Path   string // by which a field window reads the text
	Start  int    // offset in the text, in code points
	Text   string
}

// PartsOf splits the texts of a record. The result must be the same each time: a vector only has the number of its part.
func PartsOf(t *store.Table, fields rs.Object) []Part {
	var parts []Part
	for column, field := range t.Lexical {
		if !store.HasMeaning(field) {
			continue
		}
		for _, leaf := range store.TextsIn(json.RawMessage(fields.Get(field.Name)), field.Name) {
			start := 0
			for rest := leaf.Text; rest != ""; {
				size := partEnd(rest)
				if strings.TrimSpace(rest[:size]) != "" {
					parts = append(parts, Part{Column: column, Path: leaf.Path, Start: start, Text: rest[:size]})
				}
				start += utf8.RuneCountInString(rest[:size])
				rest = rest[size:]
			}
		}
	}
	return parts
}

// partEnd returns the length of the first part of a text in bytes. The part ends after white space if there is any in its second half.
func partEnd(text string) int {
	runes, space := 0, 0
	for at, r := range text {
		if runes == partSize {
			if space > 0 {
				return space
			}
			return at
		}
		if runes++; runes > partSize/2 && (r == ' ' || r == '\n') {
			space = at + 1
		}
	}
	return len(text)
}
