package relax

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The words by which one asks whether somebody has time, without accents: what is planned answers that, whether or not it has these words.
var (
	free  = lexicon.Of("free")
	spare = lexicon.Of("spare-time")
	haves = lexicon.Of("have")
)

// AsksFree reports whether a question is whether somebody is free or busy, or has time. A free ticket is something else, as is the time of
// something.
func AsksFree(query string) bool {
	terms, _ := split(query)
	terms = append(append([]term{{}}, terms...), term{})
	topic, has := Topic(query), false
	says := func(t term) bool { // what is free
		word := written.Folded(t.text)
		return slices.Contains(topic, t.text) && !free[word] && !spare[word] && !haves[word]
	}
	for i, t := range terms[1 : len(terms)-1] {
		before, after, word := terms[i], terms[i+2], written.Folded(t.text)
		has = has || haves[word]
		isName := before.text != before.folded // is Ida free
		if (free[word] || spare[word] && has && !beforeOccasions[before.folded]) && !says(after) && (isName || !says(before)) {
			return true
		}
	}
	return false
}
