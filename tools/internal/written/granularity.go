package written

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// adverbs maps adverbs to the granularity that they mean; beforeSpans are the words after which a unit of time is one.
var (
	adverbs     = lexicon.Meanings("granularity")
	beforeSpans = lexicon.Of("per")
)

// Granularity returns the granularity of the numbers that a query asks for by time, such as per month, and its words for that in lower
// case; "" and none if it asks for no such numbers.
func Granularity(query string) (granularity string, words []string) {
	fields := strings.Fields(query)
	for i := range fields {
		before, word := bareWord(fields, i-1), bareWord(fields, i)
		switch {
		case adverbs[word] != "":
			return adverbs[word], []string{word}
		case beforeSpans[before] && units[english(word)] != (length{}) && english(word) != "half":
			return english(word), []string{before, word}
		}
	}
	return "", nil
}
