package period

import (
	"cmp"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// A foundAt is a hit with the time of its record; the zero time if that is unknown.
type foundAt struct {
	rs.Item
	at     time.Time
	match  int     // which words of the query it has
	words  int     // how many of them it has, if not all
	within bool    // it is known to be a part of a record within the filter
	parent *parent // the source whose records it may be a part of; nil if unknown

	ordinal int // among the hits of this source
}

// Which words of a query a hit has. A resource server returns hits with all words first.
const (
	allWords = iota
	someWords
	nearestWord // only one that resembles a word that no record has
)

func newFound(hit rs.Item, at time.Time) foundAt {
	match := slices.Index([]string{allWords: "", someWords: "some", nearestWord: "nearest"}, hit.Members.Text("match"))
	return foundAt{Item: hit, at: at, match: max(allWords, match), words: len(hit.Members.Array("matched_words"))}
}

func (f foundAt) stream() string { return f.Members.Text("stream", "stream_name") }

// hitsOf returns the hits of all sources. A timeline has the newest first. A search has those with all words first, then those with more
// words than others, then the best of each source in turn; each source keeps its order, so that the next page, which reads more of each,
// begins with the same hits. Hits of equal times are in the order of the sources, which the next page repeats.
func hitsOf(pages []sourcePage, timeline bool) (all []foundAt) {
	if timeline {
		for _, page := range pages {
			all = append(all, page.hits...)
		}
		slices.SortStableFunc(all, func(a, b foundAt) int { return b.at.Compare(a.at) })
		return all
	}
	ranks := make([]int, len(pages)) // of the next hit of each source
	compare := func(i, j int) int {
		a, b := pages[i].hits[ranks[i]], pages[j].hits[ranks[j]]
		return cmp.Or(cmp.Compare(a.match, b.match), cmp.Compare(b.words, a.words), cmp.Compare(ranks[i], ranks[j]))
	}
	for {
		best := -1
		for i, page := range pages {
			if ranks[i] < len(page.hits) && (best < 0 || compare(i, best) < 0) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		all = append(all, pages[best].hits[ranks[best]])
		ranks[best]++
	}
	slices.SortStableFunc(all, func(a, b foundAt) int { return cmp.Compare(a.match, b.match) }) // parts may not be in this order
	return all
}

// A parent is a source whose records have parts among the hits.
type parent struct {
	known.Source
	relation string
	records  map[string]rs.Object // by id, in the form of hits: those in the period and within the filter
	complete bool                 // records has all of them
	proven   bool                 // a part is known to have the id of its record
	wrong    bool                 // a part is known not to have it
}
