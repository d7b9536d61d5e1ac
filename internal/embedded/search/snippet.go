package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Sizes of a snippet, in code points.
const (
	snippetSize = 320
	snippetLead = 60 // shown before the first match
)

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

// A Cutting is the part of a text that a hit shows.
type Cutting struct {
	Marked     string // with the matches marked, and an ellipsis where text was left out
	Start, End int    // offsets in the text, in code points
	Truncated  bool   // text was left out
}

// Snippet returns the window of a text with the most words of the query, in which they are marked.
func Snippet(text string, spans []Span) Cutting {
	start, end := snippetWindow(text, spans)
	first := utf8.RuneCountInString(text[:start])
	cut := Cutting{Start: first, End: first + utf8.RuneCountInString(text[start:end]), Truncated: start > 0 || end < len(text)}
	var out strings.Builder
	if start > 0 {
		out.WriteString("…")
	}
	at := start
	for _, s := range spans {
		from, to := max(s.start, start), min(s.end, end)
		if from >= to {
			continue
		}
		out.WriteString(plain(text[at:from]))
		out.WriteString("<mark>" + plain(text[from:to]) + "</mark>")
		at = to
	}
	out.WriteString(plain(text[at:end]))
	if end < len(text) {
		out.WriteString("…")
	}
	cut.Marked = out.String()
	return cut
}

// plain removes mark tags that are in the text itself, so that only matches are marked.
func plain(text string) string {
	for strings.Contains(text, "<mark>") || strings.Contains(text, "</mark>") {
		text = strings.NewReplacer("<mark>", "", "</mark>", "").Replace(text)
	}
	return text
}

// snippetWindow picks the bytes to show: both ends are at rune boundaries.
func snippetWindow(text string, spans []Span) (start, end int) {
	if utf8.RuneCountInString(text) <= snippetSize {
		return 0, len(text)
	}
	if len(spans) > 0 {
		start = backward(text, spans[richest(text, spans)].start, snippetLead)
	}
	end = forward(text, start, snippetSize)
	if end == len(text) {
		start = backward(text, end, snippetSize)
	}
	return start, end
}

// richest returns the index of the span from which a window of a text has the most different units; a phrase counts as its words.
func richest(text string, spans []Span) int {
	best, most := 0, 0
	for i, first := range spans {
		var units uint64
		n, end := 0, forward(text, first.start, snippetSize-snippetLead)
		for _, s := range spans[i:] {
			if s.end > end {
				break
			}
			if bit := uint64(1) << s.unit; units&bit == 0 {
				units |= bit
				n += s.words
			}
		}
		if n > most || n == most && first.words > spans[best].words {
			best, most = i, n
		}
	}
	return best
}

func backward(text string, at, runes int) int {
	for ; runes > 0 && at > 0; runes-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

func forward(text string, at, runes int) int {
	for ; runes > 0 && at < len(text); runes-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}
