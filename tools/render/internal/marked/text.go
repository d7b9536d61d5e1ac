// Package marked handles lines of a record's text in which matches are marked. It selects what to show in little space, and makes the
// citation by which a quotation can be checked.
package marked

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const (
	markOpen  = "<mark>"
	markClose = "</mark>"
	markChars = len(markOpen + markClose)
)

// A Text is one line of a record's text without its marks, and where they were.
type Text struct {
	Plain string
	Marks []Range // in order, disjoint, not empty, and at borders of grapheme clusters
}

// A Range is a part of a text, in bytes.
type Range struct{ From, To int }

// Read removes the marks from a line and returns where they were. It drops marks that do not open and close in order, without nesting.
func Read(line string) Text {
	before, tag, after := nextMark(line)
	if tag == "" {
		return Text{Plain: line}
	}
	var text strings.Builder
	text.Grow(len(line))
	marks := make([]Range, 0, strings.Count(line, markOpen))
	for open := -1; tag != ""; before, tag, after = nextMark(after) {
		text.WriteString(before)
		switch at := text.Len(); {
		case tag == markOpen && open < 0:
			open = at
		case tag == markClose && open >= 0:
			if at > open {
				marks = append(marks, Range{open, at})
			}
			open = -1
		}
	}
	text.WriteString(before)
	p := Text{Plain: text.String()}
	if without := Strip(p.Plain); without != p.Plain { // removing a tag joined the pieces of another
		return Text{Plain: without}
	}
	p.Marks = p.whole(marks)
	return p
}

// whole widens marks to whole grapheme clusters. A cluster with parts of two marks belongs to the first.
func (p Text) whole(marks []Range) []Range {
	kept, end := marks[:0], 0
	for _, m := range marks {
		m.From, _ = clusterBorders(p.Plain, max(m.From, end), end)
		if _, m.To = clusterBorders(p.Plain, max(m.To, end), end); m.From < m.To {
			kept, end = append(kept, m), m.To
		}
	}
	return kept[:len(kept):len(kept)]
}

// Window selects what to show of a text in so many runes, which include tags and ellipses: its first mark in the middle, or its start if it
// has none. It cuts at a space if one is near, and never inside a grapheme cluster.
func (p Text) Window(runes int) Range {
	if p.Fits(runes) {
		return Range{0, len(p.Plain)}
	}
	var match Range
	left := runes - 2 // less both ellipses
	if len(p.Marks) > 0 {
		match, left = p.Marks[0], left-markChars
	}
	to, matched := clean.RuneCountIndex(p.Plain[match.From:match.To], max(left, 0))
	if left -= matched; match.From+to < match.To || left < 0 {
		end, _ := clusterBorders(p.Plain, match.From+to, match.From)
		return Range{match.From, end}
	}
	shown := Range{backward(p.Plain, match.From, left/2), 0}
	if shown.From == 0 {
		left++ // no ellipsis
	}
	if shown.To = p.forward(match.To, left-utf8.RuneCountInString(p.Plain[shown.From:match.From])); shown.To == len(p.Plain) {
		spent := utf8.RuneCountInString(p.Plain[match.To:]) + markChars*(len(p.Marks)-min(1, len(p.Marks)))
		shown.From = backward(p.Plain, match.From, left+1-spent)
	}
	return p.trim(shown, match)
}

// Fits reports whether so many runes can show all of the text with its tags.
func (p Text) Fits(runes int) bool {
	return !clean.LongerThan(p.Plain, runes-markChars*len(p.Marks))
}

// forward returns the index after so many runes from the end of the first mark (at). Each further mark uses up the runes of its tags.
func (p Text) forward(at, runes int) int {
	further := p.Marks[min(1, len(p.Marks)):]
	for i := range p.Plain[at:] {
		if len(further) > 0 && at+i == further[0].From {
			runes, further = runes-markChars, further[1:]
		}
		if runes--; runes < 0 {
			return at + i
		}
	}
	return len(p.Plain)
}

func backward(text string, at, runes int) int {
	for ; at > 0 && runes > 0; runes-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// trim moves the ends of shown that cut the text to a space further inside, if one is near, and to the border of a grapheme cluster.
func (p Text) trim(shown, match Range) Range {
	const near = 12
	if shown.From > 0 {
		part := p.Plain[shown.From:match.From]
		if i := strings.IndexByte(part[:clean.RuneIndex(part, near)], ' '); i >= 0 {
			part = strings.TrimLeft(part[i:], " ")
			shown.From = match.From - len(part)
		}
		_, shown.From = clusterBorders(p.Plain, shown.From, 0)
	}
	if shown.To < len(p.Plain) {
		part := p.Plain[max(match.To, shown.From):shown.To]
		if i := strings.LastIndexByte(part, ' '); i >= backward(part, len(part), near) {
			shown.To -= len(part) - len(strings.TrimRight(part[:i], " "))
		}
		shown.To, _ = clusterBorders(p.Plain, shown.To, match.To)
	}
	return Range{shown.From, max(shown.From, shown.To)}
}

// Append appends the shown range in quotes, with marks, and with ellipses where the text continues. The function escape appends the parts
// of the text.
func (p Text) Append(b []byte, shown Range, escape func(b []byte, text string) []byte) []byte {
	b = append(b, '"')
	if shown.From > 0 || shown.From == shown.To {
		b = append(b, write.Ellipsis...)
	}
	at := shown.From
	for _, m := range p.Marks {
		if from, to := max(m.From, at), min(m.To, shown.To); from < to {
			b = append(escape(b, p.Plain[at:from]), markOpen...)
			b = append(escape(b, p.Plain[from:to]), markClose...)
			at = to
		}
	}
	b = escape(b, p.Plain[at:shown.To])
	if shown.To < len(p.Plain) && shown.From < shown.To {
		b = append(b, write.Ellipsis...)
	}
	return append(b, '"')
}

// clusterBorders returns the borders of grapheme clusters, which readers take for one character, around an index of a text: the last one at
// or before it, and the first one at or after it. known is a border before it.
func clusterBorders(text string, at, known int) (before, behind int) {
	if divides(text, at) {
		return at, at
	}
	before = at
	for before > known && !divides(text, before) {
		_, size := utf8.DecodeLastRuneInString(text[:before])
		before -= size
	}
	for before < at {
		cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text[before:], -1)
		if behind = before + len(cluster); behind > at {
			return before, behind
		}
		before = behind
	}
	return at, at
}

// divides reports whether an index is an end of the text, or is between two characters that are never in one cluster, as most are.
func divides(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	behind, _ := utf8.DecodeRuneInString(text[at:])
	return at == 0 || at == len(text) || standsAlone(before) && standsAlone(behind)
}

func standsAlone(c rune) bool { return c >= ' ' && c <= '~' || clean.IsOrdinary(c) }

// nextMark splits s at its first tag; tag is "" if there is none.
func nextMark(s string) (before, tag, rest string) {
	for at := 0; ; at++ {
		next := strings.IndexByte(s[at:], '<')
		if next < 0 {
			return s, "", ""
		}
		at += next
		switch {
		case strings.HasPrefix(s[at:], markOpen):
			return s[:at], markOpen, s[at+len(markOpen):]
		case strings.HasPrefix(s[at:], markClose):
			return s[:at], markClose, s[at+len(markClose):]
		}
	}
}

// Strip removes all marks, including those that appear when others are removed.
func Strip(s string) string {
	if !strings.Contains(s, "mark>") {
		return s
	}
	for range 3 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, markOpen, ""), markClose, "")
	}
	if _, tag, _ := nextMark(s); tag != "" {
		s = strings.ReplaceAll(s, "<", "")
	}
	return s
}
