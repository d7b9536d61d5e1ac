package embedded

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

// A phrase is the terms of one word or quoted phrase of a query, which must stand together.
type phrase []string

// parseQuery reads words and "quoted phrases". Nothing in a query is an operator.
func parseQuery(query string) []phrase {
	var phrases []phrase
	for i, part := range strings.Split(query, `"`) {
		words := []string{part}
		if i%2 == 0 {
			words = strings.Fields(part)
		}
		for _, word := range words {
			if p := phraseOf(word); len(p) > 0 {
				phrases = append(phrases, p)
			}
		}
	}
	return phrases
}

func phraseOf(text string) phrase {
	var p phrase
	for _, t := range termsOf(text) {
		p = append(p, t.text)
	}
	return p
}

// A span is a part of a text, in bytes.
type span struct{ start, end int }

// matches finds where phrases stand in a text, in order and without overlap.
func matches(text string, phrases []phrase) []span {
	terms := termsOf(text)
	var spans []span
	for _, p := range phrases {
		for at := 0; at+len(p) <= len(terms); at++ {
			if slices.EqualFunc(terms[at:at+len(p)], p, func(t term, want string) bool { return t.text == want }) {
				spans = append(spans, span{terms[at].start, terms[at+len(p)-1].end})
			}
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	return joinSpans(spans)
}

func joinSpans(spans []span) []span {
	var joined []span
	for _, s := range spans {
		if last := len(joined) - 1; last >= 0 && s.start < joined[last].end {
			joined[last].end = max(joined[last].end, s.end)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// A cutting is the part of a text that a hit shows.
type cutting struct {
	marked     string // with the matches marked, and an ellipsis where text was left out
	start, end int    // in code points of the text
	truncated  bool   // text was left out
}

// snippet cuts a window around the first match and marks the matches in it.
func snippet(text string, spans []span) cutting {
	start, end := snippetWindow(text, spans)
	first := utf8.RuneCountInString(text[:start])
	cut := cutting{start: first, end: first + utf8.RuneCountInString(text[start:end]), truncated: start > 0 || end < len(text)}
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
	cut.marked = out.String()
	return cut
}

// plain leaves out tags that the text itself has, so that none is taken for a mark and what is shown are words of the text.
func plain(text string) string {
	for strings.Contains(text, "<mark>") || strings.Contains(text, "</mark>") {
		text = strings.NewReplacer("<mark>", "", "</mark>", "").Replace(text)
	}
	return text
}

// snippetWindow picks the bytes to show: both ends are at rune boundaries.
func snippetWindow(text string, spans []span) (start, end int) {
	if utf8.RuneCountInString(text) <= snippetSize {
		return 0, len(text)
	}
	if len(spans) > 0 {
		start = backward(text, spans[0].start, snippetLead)
	}
	end = forward(text, start, snippetSize)
	if end == len(text) {
		start = backward(text, end, snippetSize)
	}
	return start, end
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
