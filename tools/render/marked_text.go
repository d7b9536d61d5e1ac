package render

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

const (
	markOpen  = "<mark>"
	markClose = "</mark>"
	markChars = len(markOpen + markClose)
)

// A markedText is one line of a record's text without its marks, and where they stood.
type markedText struct {
	plain string
	marks []textRange // in order, apart, none empty, none dividing what a reader takes for one character
}

// A textRange is a part of a text, in bytes.
type textRange struct{ from, to int }

// readMarkedText takes the marks out of a line, which it reads once; those that do not open and close in order, without nesting, are
// dropped.
func readMarkedText(line string) markedText {
	before, tag, after := nextMark(line)
	if tag == "" {
		return markedText{plain: line}
	}
	var text strings.Builder
	text.Grow(len(line))
	marks := make([]textRange, 0, strings.Count(line, markOpen))
	for open := -1; tag != ""; before, tag, after = nextMark(after) {
		text.WriteString(before)
		switch at := text.Len(); {
		case tag == markOpen && open < 0:
			open = at
		case tag == markClose && open >= 0:
			if at > open {
				marks = append(marks, textRange{open, at})
			}
			open = -1
		}
	}
	text.WriteString(before)
	p := markedText{plain: text.String()}
	if without := plain(p.plain); without != p.plain { // removing a tag put the pieces of another together
		return markedText{plain: without}
	}
	p.marks = p.whole(marks)
	return p
}

// whole widens marks to whole grapheme clusters. A cluster that has a part of two belongs to the first.
func (p markedText) whole(marks []textRange) []textRange {
	kept, end := marks[:0], 0
	for _, m := range marks {
		m.from, _ = clusterBorders(p.plain, max(m.from, end), end)
		if _, m.to = clusterBorders(p.plain, max(m.to, end), end); m.from < m.to {
			kept, end = append(kept, m), m.to
		}
	}
	return kept[:len(kept):len(kept)]
}

// window chooses what is shown of a text in so many runes, tags and ellipses counted: its first mark in the middle, or its start
// when it has none. It cuts at spaces where one is near, and never inside a grapheme cluster.
func (p markedText) window(runes int) textRange {
	if p.fits(runes) {
		return textRange{0, len(p.plain)}
	}
	var match textRange
	left := runes - 2 // less both ellipses
	if len(p.marks) > 0 {
		match, left = p.marks[0], left-markChars
	}
	to, matched := clean.RuneCountIndex(p.plain[match.from:match.to], max(left, 0))
	if left -= matched; match.from+to < match.to || left < 0 {
		end, _ := clusterBorders(p.plain, match.from+to, match.from)
		return textRange{match.from, end}
	}
	side := (left - markChars*p.marksWithin(match.to, left/2)) / 2
	shown := textRange{backward(p.plain, match.from, side), 0}
	if shown.from == 0 {
		left++ // no ellipsis
	}
	if shown.to = p.forward(match.to, left-utf8.RuneCountInString(p.plain[shown.from:match.from])); shown.to == len(p.plain) {
		spent := utf8.RuneCountInString(p.plain[match.to:]) + markChars*(len(p.marks)-min(1, len(p.marks)))
		shown.from = backward(p.plain, match.from, left+1-spent)
	}
	return p.trim(shown, match)
}

// fits reports whether all of the text is shown in so many runes.
func (p markedText) fits(runes int) bool {
	return !clean.LongerThan(p.plain, runes-markChars*len(p.marks))
}

// marksWithin is how many marks begin within so many runes of the end of the first.
func (p markedText) marksWithin(at, runes int) int {
	end := at + clean.RuneIndex(p.plain[at:], runes)
	n := 0
	for n+1 < len(p.marks) && p.marks[n+1].from < end {
		n++
	}
	return n
}

// forward is where so many runes end that begin behind the first mark. Each further mark takes the runes of its tags.
func (p markedText) forward(at, runes int) int {
	for i := 1; i < len(p.marks); i++ {
		m := p.marks[i]
		end, passed := clean.RuneCountIndex(p.plain[at:m.from], max(runes, 0))
		if runes -= passed + markChars; at+end < m.from || runes <= 0 {
			return at + end
		}
		end, passed = clean.RuneCountIndex(p.plain[m.from:m.to], runes)
		if at = m.from + end; at < m.to {
			return at
		}
		runes -= passed
	}
	return at + clean.RuneIndex(p.plain[at:], max(runes, 0))
}

// backward is where the last runes before a place begin.
func backward(text string, at, runes int) int {
	for ; at > 0 && runes > 0; runes-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// trim moves the ends that cut the text inward to a space, when one is near, and to the border of a grapheme cluster.
func (p markedText) trim(shown, match textRange) textRange {
	const near = 12
	if shown.from > 0 {
		part := p.plain[shown.from:match.from]
		if i := strings.IndexByte(part[:clean.RuneIndex(part, near)], ' '); i >= 0 {
			part = strings.TrimLeft(part[i:], " ")
			shown.from = match.from - len(part)
		}
		_, shown.from = clusterBorders(p.plain, shown.from, 0)
	}
	if shown.to < len(p.plain) {
		part := p.plain[max(match.to, shown.from):shown.to]
		if i := strings.LastIndexByte(part, ' '); i >= backward(part, len(part), near) {
			shown.to -= len(part) - len(strings.TrimRight(part[:i], " "))
		}
		shown.to, _ = clusterBorders(p.plain, shown.to, match.to)
	}
	return textRange{shown.from, max(shown.from, shown.to)}
}

// appendShown appends what was chosen as a string, with marks, and with ellipses where the text goes on. What is from the text is
// escaped.
func (p markedText) appendShown(b []byte, shown textRange, escape func(b []byte, text string) []byte) []byte {
	b = append(b, '"')
	if shown.from == shown.to {
		return append(append(b, ellipsis...), '"')
	}
	if shown.from > 0 {
		b = append(b, ellipsis...)
	}
	at := shown.from
	for _, m := range p.marks {
		from, to := max(m.from, at), min(m.to, shown.to)
		if from >= to {
			continue
		}
		b = append(escape(b, p.plain[at:from]), markOpen...)
		b = append(escape(b, p.plain[from:to]), markClose...)
		at = to
	}
	b = escape(b, p.plain[at:shown.to])
	if shown.to < len(p.plain) {
		b = append(b, ellipsis...)
	}
	return append(b, '"')
}

// clusterBorders are the borders of grapheme clusters, which readers take for one character, next to a place of a text: the last that
// is not behind it, and the first that is not before it. known is a border before it.
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

// divides reports places where two characters meet that are never parts of one cluster, as nearly all are, and the ends of a text.
func divides(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	behind, _ := utf8.DecodeRuneInString(text[at:])
	return at == 0 || at == len(text) || standsAlone(before) && standsAlone(behind)
}

func standsAlone(c rune) bool { return c >= ' ' && c <= '~' || clean.IsOrdinary(c) }

// nextMark splits s at its first tag; tag is "" when there is none.
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

// plain removes all marks, also those that appear when others are removed.
func plain(s string) string {
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
