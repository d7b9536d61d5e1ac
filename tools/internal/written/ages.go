package written

import "github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"

var (
	// ages are words for what is before or after a time, without accents. Those of ageLinks are between them; those of comparedLinks only
	// after a word such as plus: messages récents de mai are of May.
	ages          = lexicon.Meanings("age")
	ageLinks      = lexicon.Of("age-link")
	comparedLinks = lexicon.Of("age-link-compared")
)

// agedTime returns the bound, before or after, that words such as older than, which end before the word at from, make of a time, and the
// place of the first of them; "" if there are no such words.
func agedTime(fields []string, from int) (bound string, first int) {
	first = from - 1
	for ageLinks[bareWord(fields, first)] || comparedLinks[bareWord(fields, first)] {
		first--
	}
	compares := comparatives[bareWord(fields, first-1)] != "" || bareWord(fields, first-1) == "more"
	if first == from-1 || !compares && !ageLinks[bareWord(fields, first+1)] {
		return "", 0
	}
	if bound = ages[withoutAccents.Replace(bareWord(fields, first))]; compares {
		first--
	}
	return bound, first
}
