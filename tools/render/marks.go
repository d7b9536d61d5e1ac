package render

import (
	"slices"
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

// A passageReader reads passages, one after the other in the same room.
type passageReader struct {
	texts texts // of all that had marks
	marks []textRange
}

// read takes the marks out of a line; those that do not open and close in order are dropped.
func (r *passageReader) read(line string) passage {
	line = balance(line)
	before, tag, after := nextMark(line)
	if tag == "" {
		return passage{plain: line}
	}
	start, first := r.texts.b.Len(), len(r.marks)
	for open := 0; ; before, tag, after = nextMark(after) {
		r.texts.b.WriteString(before)
		switch at := r.texts.b.Len() - start; {
		case tag == "":
			return passage{plain: r.texts.since(start), marks: r.marks[first:len(r.marks):len(r.marks)]}
		case tag == markOpen:
			open = at
		case at > open:
			r.marks = append(r.marks, textRange{open, at})
		}
	}
}

// A cutter cuts passages to size, one after the other in the same room.
type cutter struct {
	clusters clusters
	texts    texts
}

// newCutter has room for the passages of so many hits. More is made when it is needed.
func newCutter(hits int) *cutter {
	c := new(cutter)
	c.texts.b.Grow(512 * min(hits, 100))
	return c
}

// around shows at most max runes of a passage, tags and ellipses counted: its first mark in the middle, or its start
// when it has none. It cuts at spaces where one is near, and never inside a grapheme cluster, which is what a reader
// takes for one character. It returns the text with marks and ellipses, and which part of the passage that is.
func (c *cutter) around(p passage, max int) (string, textRange) {
	if max < 1 || p.plain == "" {
		return "", textRange{}
	}
	c.clusters.divide(p, max)
	first, last := c.clusters.window(max)
	if first == last {
		return ellipsis, textRange{}
	}
	borders := c.clusters.borders
	shown := textRange{borders[first].at, borders[last].at}
	start := c.texts.b.Len()
	out := &c.texts.b
	if shown.from > 0 {
		out.WriteString(ellipsis)
	}
	for n := first; n < last; {
		mark, from := borders[n].mark, borders[n].at
		for n < last && borders[n].mark == mark {
			n++
		}
		if mark > 0 {
			out.WriteString(markOpen)
		}
		out.WriteString(p.plain[from:borders[n].at])
		if mark > 0 {
			out.WriteString(markClose)
		}
	}
	if shown.to < len(p.plain) {
		out.WriteString(ellipsis)
	}
	return c.texts.since(start), shown
}

// clusters are the grapheme clusters of the part of a passage that may be shown. They are divided as far as they are asked
// for.
type clusters struct {
	passage
	borders []border // where each cluster starts, and where the last ends
	mark    int      // of the passage's marks: the first that may reach beyond the last border
	anchor  int      // the first marked cluster, or 0
}

// A border stands between two clusters.
type border struct {
	at     int  // in bytes of the text
	runes  int  // before it, from the first border on
	cost   int  // of these, with the tags of the marks that start before it
	mark   int  // the number of the mark that the cluster behind it belongs to, from 1; 0 when it belongs to none
	inside bool // that mark starts before it
}

// divide finds the clusters from max runes before the first mark up to the mark's first.
func (c *clusters) divide(p passage, max int) {
	match := 0
	if len(p.marks) > 0 {
		match = p.marks[0].from
	}
	c.passage, c.mark = p, 0
	c.borders = append(slices.Grow(c.borders[:0], max+max/2), border{at: p.border(match, max)})
	for c.anchor = 0; c.reach(c.anchor+1) && c.borders[c.anchor+1].at <= match; c.anchor++ {
	}
}

// reach reports whether the passage has so many borders, and divides it up to there.
func (c *clusters) reach(n int) bool { return n < len(c.borders) || c.more(n) }

// more divides the passage up to a border that is not reached yet, and somewhat further: most often the next is asked for
// next. A cluster that is marked in part is marked.
func (c *clusters) more(n int) bool {
	const further = 8
	for last := len(c.borders) - 1; last < n+further && c.borders[last].at < len(c.plain); last++ {
		c.borders = append(c.borders, border{})
		start, end := &c.borders[last], &c.borders[last+1]
		runes := 1
		end.at = start.at + 1
		if end.at == len(c.plain) || !isPrintable(rune(c.plain[start.at])) || !isPrintable(rune(c.plain[end.at])) {
			end.at, runes = clusterEnd(c.plain, start.at)
		}
		end.runes, end.cost = start.runes+runes, start.cost+runes
		for c.mark < len(c.marks) && c.marks[c.mark].to <= start.at {
			c.mark++
		}
		if c.mark < len(c.marks) && c.marks[c.mark].from < end.at {
			start.mark = c.mark + 1
			if start.inside = last > 0 && c.borders[last-1].mark == start.mark; !start.inside {
				end.cost += len(markOpen + markClose)
			}
		}
	}
	return n < len(c.borders)
}

// border is a place so far before at that the clusters from there on are those of the whole text: its start, or, more than
// max runes away, between two characters that stand alone.
func (p passage) border(at, max int) int {
	for runes := 0; at > 0; runes++ {
		c, _ := utf8.DecodeRuneInString(p.plain[at:])
		last, size := utf8.DecodeLastRuneInString(p.plain[:at])
		if runes > max && standsAlone(last) && standsAlone(c) {
			break
		}
		at -= size
	}
	return at
}

// clusterEnd is where the grapheme cluster ends that starts at a border, and how many runes it has.
func clusterEnd(text string, at int) (end, runes int) {
	c, size := utf8.DecodeRuneInString(text[at:])
	if end := at + size; standsAlone(c) {
		if end == len(text) || isPrintable(rune(text[end])) {
			return end, 1
		}
		if next, _ := utf8.DecodeRuneInString(text[end:]); ordinary(next) {
			return end, 1
		}
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text[at:], -1)
	return at + len(cluster), utf8.RuneCountInString(cluster)
}

// standsAlone reports characters that are never parts of one cluster.
func standsAlone(c rune) bool { return isPrintable(c) || ordinary(c) }

func isPrintable(c rune) bool { return c >= ' ' && c <= '~' }

func (c *clusters) at(n int) string { return c.plain[c.borders[n].at:c.borders[n+1].at] }

// cost is how many runes the clusters from first up to last take with their tags and ellipses.
func (c *clusters) cost(first, last int) int {
	from, to := &c.borders[first], &c.borders[last]
	cost := to.cost - from.cost
	if from.at > 0 {
		cost++
	}
	if to.at < len(c.plain) {
		cost++
	}
	if from.inside && last > first {
		cost += len(markOpen + markClose)
	}
	return cost
}

// fit reports whether there are clusters from first up to last, and they take at most max runes.
func (c *clusters) fit(first, last, max int) bool {
	return first >= 0 && c.reach(last) && c.cost(first, last) <= max
}

// window chooses the clusters to show: the first mark as far as it fits, then as much on either side of it. It shows
// nothing when not even the first cluster fits.
func (c *clusters) window(max int) (first, last int) {
	first, last = c.anchor, c.anchor
	for c.fit(first, last+1, max) && (last == first || c.borders[last].mark > 0 && c.borders[last].mark == c.borders[first].mark) {
		last++
	}
	match := textRange{first, last}
	if first == last {
		return first, last
	}
	left, right := true, true
	for left && right {
		before, after := c.borders[match.from].runes-c.borders[first].runes, c.borders[last].runes-c.borders[match.to].runes
		if before <= after {
			if left = c.fit(first-1, last, max); left {
				first--
			}
		} else if right = c.fit(first, last+1, max); right {
			last++
		}
	}
	for left && c.fit(first-1, last, max) {
		first--
	}
	for right && c.fit(first, last+1, max) {
		last++
	}
	return c.trim(first, last, match)
}

// trim moves the borders of a window that cut the text to the next space inward, when one is near, and past it.
func (c *clusters) trim(first, last int, match textRange) (int, int) {
	const near = 12
	if c.borders[first].at > 0 {
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
	if c.borders[last].at < len(c.plain) {
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
	if balanced(s) {
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
