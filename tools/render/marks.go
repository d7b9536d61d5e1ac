package render

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	markOpen  = "<mark>"
	markClose = "</mark>"
	ellipsis  = "…"
)

// A passage is one line of a record's text without its marks, and where they stood.
type passage struct {
	plain string
	marks []textRange // in order, apart, none empty
}

// A textRange is a part of a text, in bytes.
type textRange struct{ from, to int }

// readPassage takes the marks out of a line; those that do not open and close in order are dropped.
func readPassage(line string) passage {
	var p passage
	plain := make([]byte, 0, len(line))
	open := 0
	for rest := balance(line); ; {
		before, tag, after := nextMark(rest)
		plain = append(plain, before...)
		switch {
		case tag == "":
			p.plain = string(plain)
			return p
		case tag == markOpen:
			open = len(plain)
		case len(plain) > open:
			p.marks = append(p.marks, textRange{open, len(plain)})
		}
		rest = after
	}
}

// around shows at most max runes of a passage, tags and ellipses counted: its first mark in the middle, or its start
// when it has none. It cuts at spaces where one is near, and never inside a grapheme cluster, which is what a reader
// takes for one character. It returns the text with marks and ellipses, and which part of the passage that is.
func (p passage) around(max int) (string, textRange) {
	if max < 1 || p.plain == "" {
		return "", textRange{}
	}
	c := p.clusters(max)
	first, last := c.window(max)
	if first == last {
		return ellipsis, textRange{}
	}
	var b strings.Builder
	shown := textRange{c.borders[first], c.borders[last]}
	if shown.from > 0 {
		b.WriteString(ellipsis)
	}
	for n := first; n < last; n++ {
		mark := c.marks[n]
		if mark > 0 && (n == first || c.marks[n-1] != mark) {
			b.WriteString(markOpen)
		}
		b.WriteString(c.at(n))
		if mark > 0 && (n+1 == last || c.marks[n+1] != mark) {
			b.WriteString(markClose)
		}
	}
	if shown.to < len(p.plain) {
		b.WriteString(ellipsis)
	}
	return b.String(), shown
}

// clusters are the grapheme clusters of the part of a passage that may be shown.
type clusters struct {
	text    string
	borders []int // where each cluster starts, in bytes of text, and where the last ends
	runes   []int // how many runes stand before each border, from the first one on
	marks   []int // the number of the mark that a cluster belongs to, from 1; 0 when it belongs to none
	groups  []int // how many marks start before each border
	anchor  int   // the first marked cluster, or 0
}

// clusters divides the passage for as far as max runes on either side of the first mark reach. A cluster that is marked
// in part is marked.
func (p passage) clusters(max int) clusters {
	match := textRange{}
	if len(p.marks) > 0 {
		match = p.marks[0]
	}
	c := clusters{text: p.plain, anchor: -1}
	at := p.border(match.from, max)
	most := min(len(p.plain)-at, 8*max) // clusters that are usually looked at
	c.borders, c.runes, c.groups = append(make([]int, 0, most+1), at), append(make([]int, 0, most+1), 0), append(make([]int, 0, most+1), 0)
	c.marks = make([]int, 0, most)
	state, mark := -1, 0
	for beyond := 0; at < len(p.plain) && beyond <= max; {
		cluster, _, _, next := uniseg.FirstGraphemeClusterInString(p.plain[at:], state)
		state = next
		start := at
		at += len(cluster)
		for mark < len(p.marks) && p.marks[mark].to <= start {
			mark++
		}
		of := 0
		if mark < len(p.marks) && p.marks[mark].from < at {
			of = mark + 1
		}
		group := c.groups[len(c.groups)-1]
		if of > 0 && (len(c.marks) == 0 || c.marks[len(c.marks)-1] != of) {
			group++
		}
		runes := utf8.RuneCountInString(cluster)
		c.borders, c.marks, c.groups = append(c.borders, at), append(c.marks, of), append(c.groups, group)
		c.runes = append(c.runes, c.runes[len(c.runes)-1]+runes)
		if c.anchor < 0 && at > match.from {
			c.anchor = len(c.marks) - 1
		}
		if c.anchor >= 0 {
			beyond += runes
		}
	}
	return c
}

// border is a place at most so far before at that the clusters from there on are those of the whole text: its start, or
// between two printable ASCII characters, which are never parts of one cluster.
func (p passage) border(at, max int) int {
	if at < 8*max {
		return 0
	}
	apart := func(a, b byte) bool { return a >= ' ' && a <= '~' && b >= ' ' && b <= '~' }
	at -= 4 * max
	for at > 0 && !apart(p.plain[at-1], p.plain[at]) {
		at--
	}
	return at
}

func (c clusters) at(n int) string { return c.text[c.borders[n]:c.borders[n+1]] }

// cost is how many runes the clusters from first up to last take with their tags and ellipses.
func (c clusters) cost(first, last int) int {
	cost := c.runes[last] - c.runes[first]
	if c.borders[first] > 0 {
		cost++
	}
	if c.borders[last] < len(c.text) {
		cost++
	}
	marks := c.groups[last] - c.groups[first]
	if last > first && c.marks[first] > 0 && c.groups[first+1] == c.groups[first] {
		marks++ // the mark started before
	}
	return cost + marks*len(markOpen+markClose)
}

// window chooses the clusters to show: the first mark as far as it fits, then as much on either side of it. It shows
// nothing when not even the first cluster fits.
func (c clusters) window(max int) (first, last int) {
	count := len(c.marks)
	first, last = c.anchor, c.anchor
	for last < count && (last == first || c.marks[last] > 0 && c.marks[last] == c.marks[first]) && c.cost(first, last+1) <= max {
		last++
	}
	match := textRange{first, last}
	if first == last {
		return first, last
	}
	for left, right := true, true; left || right; {
		left = left && first > 0 && c.cost(first-1, last) <= max
		right = right && last < count && c.cost(first, last+1) <= max
		before, after := c.runes[match.from]-c.runes[first], c.runes[last]-c.runes[match.to]
		switch {
		case left && (before <= after || !right):
			first--
		case right:
			last++
		}
	}
	return c.trim(first, last, match)
}

// trim moves the borders of a window that cut the text to the next space inward, when one is near, and past it.
func (c clusters) trim(first, last int, match textRange) (int, int) {
	const near = 12
	if c.borders[first] > 0 {
		for n := first; n < min(match.from, first+near); n++ {
			if c.at(n) == " " {
				first = n
				break
			}
		}
		for first < last && c.at(first) == " " {
			first++
		}
	}
	if c.borders[last] < len(c.text) {
		for n := last - 1; n >= max(match.to, last-near); n-- {
			if c.at(n) == " " {
				last = n
				break
			}
		}
		for first < last && c.at(last-1) == " " {
			last--
		}
	}
	return first, last
}

// balance removes every mark that does not open and close in order, without nesting. It reads s once: record text may
// hold any number of tags.
func balance(s string) string {
	if !strings.Contains(s, "mark>") {
		return s
	}
	out := make([]byte, 0, len(s))
	open := -1 // where the open mark stands in out
	for {
		before, tag, rest := nextMark(s)
		out = append(out, before...)
		switch {
		case tag == markOpen && open < 0:
			open = len(out)
			out = append(out, tag...)
		case tag == markClose && open >= 0:
			open = -1
			out = append(out, tag...)
		}
		if tag == "" {
			break
		}
		s = rest
	}
	if open >= 0 { // never closed
		out = append(out[:open], out[open+len(markOpen):]...)
	}
	if !balanced(string(out)) {
		return plain(string(out)) // removing a tag put the pieces of another together
	}
	return string(out)
}

// balanced reports whether marks alternate, opening first.
func balanced(s string) bool {
	open := false
	for {
		_, tag, rest := nextMark(s)
		if tag == "" {
			return !open
		}
		if open == (tag == markOpen) {
			return false
		}
		open, s = !open, rest
	}
}

// nextMark splits s at its first tag; tag is "" when there is none.
func nextMark(s string) (before, tag, rest string) {
	for from := 0; ; {
		at := strings.IndexByte(s[from:], '<')
		if at < 0 {
			return s, "", ""
		}
		at += from
		for _, tag := range []string{markOpen, markClose} {
			if strings.HasPrefix(s[at:], tag) {
				return s[:at], tag, s[at+len(tag):]
			}
		}
		from = at + 1
	}
}

// plain removes all marks, also those that appear when others are removed.
func plain(s string) string {
	for range 3 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, markOpen, ""), markClose, "")
	}
	if _, tag, _ := nextMark(s); tag != "" {
		s = strings.ReplaceAll(s, "<", "")
	}
	return s
}
