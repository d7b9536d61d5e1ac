package search

import (
	"strings"
	"unicode/utf8"
)

// Sizes of a snippet, in code points.
const (
	snippetSize = 320
	snippetLead = 60 // shown before the first match
)

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
