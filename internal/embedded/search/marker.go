package search

import (
	"slices"
	"strings"
)

// A Marker finds the words of a query in a text.
type Marker struct {
	terms   map[string]int // number of the unit that a term matches
	phrases []markedPhrase
	rarity  [timeUnit + 1]float32 // of each unit
}

type markedPhrase struct {
	phrase phrase
	unit   int
}

// Worth returns the sum of the rarities of the units in spans: the rarer the words of a text, the more.
func (m *Marker) Worth(spans []Span) (worth float32) {
	var seen uint64
	for _, s := range spans {
		if bit := uint64(1) << s.unit; seen&bit == 0 {
			seen |= bit
			worth += m.rarity[s.unit]
		}
	}
	return worth
}

func (m *Marker) add(unit int, p phrase) {
	if len(p) > 1 {
		m.phrases = append(m.phrases, markedPhrase{p, unit})
		return
	}
	if m.terms == nil {
		m.terms = map[string]int{}
	}
	m.terms[p[0]] = unit
}

// A Span is a part of a text, in bytes, that matches a unit of the query.
type Span struct{ start, end, unit, words int }

// Find returns the matches of the query in a text, in order and without overlap.
func (m *Marker) Find(text string) []Span {
	terms := Terms(text)
	var spans []Span
	add := func(s Span) {
		if last := len(spans) - 1; last >= 0 && s.start < spans[last].end {
			spans[last].end, spans[last].words = max(spans[last].end, s.end), max(spans[last].words, s.words)
		} else {
			spans = append(spans, s)
		}
	}
	for at, t := range terms {
		unit, ok := m.terms[t.Text]
		if !ok && t.pairs != "" {
			unit, ok = m.terms[t.pairs]
		}
		if ok {
			add(Span{t.start, t.end, unit, 1})
		}
		for _, p := range m.phrases {
			if n := p.phrase.matchAt(terms[at:]); n > 0 {
				add(Span{t.start, terms[at+n-1].end, p.unit, n})
			}
		}
	}
	return spans
}

// matchAt returns how many terms at the start of terms match the phrase, 0 if it does not match.
func (p phrase) matchAt(terms []Term) int {
	want, any := p.prefix()
	last := len(want) - 1
	if len(terms) <= last || !slices.EqualFunc(terms[:last], want[:last], Term.is) {
		return 0
	}
	if t := terms[last]; t.is(want[last]) || any && (strings.HasPrefix(t.Text, want[last]) || strings.HasPrefix(t.pairs, want[last])) {
		return len(want)
	}
	return 0
}
