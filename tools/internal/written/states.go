package written

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// states maps words in other languages for states of records and for the fields that have them, without their endings, to the English word.
var states = lexicon.Meanings("state")

// StateWord returns the English word for a word that says in which state a record is or names the field with it, such as cancelled for
// storniert; any other word in lower case.
func StateWord(word string) string {
	const least, ending = 5, 2 // bytes of what has an ending, and of that
	word = strings.ToLower(word)
	for end := len(word); end == len(word) || end >= max(least, len(word)-ending); end-- {
		if state := states[word[:end]]; state != "" {
			return state
		}
	}
	return word
}
