package relax

import (
	"slices"
	"strings"
	"unicode"
)

// ExclusionNote says of a query with an excluded word what a search of single records leaves out; "" for any other query.
func ExclusionNote(query string) string {
	if !strings.Contains(query, "-") && !strings.Contains(query, " NOT ") {
		return ""
	}
	_, excluded := split(query)
	isWord := func(word string) bool { return unicode.IsLetter([]rune(word)[1]) } // -5 is a number
	if !slices.ContainsFunc(excluded, isWord) && !strings.Contains(query, " NOT ") {
		return ""
	}
	return "An excluded word leaves out the records that have it themselves: a message stays if only its body or thread has it."
}
