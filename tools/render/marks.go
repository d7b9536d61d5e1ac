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

// around shows at most so many runes of a passage, tags and ellipses counted: its first mark in the middle, or its start
// when it has none. It cuts at spaces where one is near, and never inside a grapheme cluster, which is what a reader
// takes for one character. It returns the text with marks and ellipses, and which part of the passage that is.
func (c *cutter) around(p passage, runes int) (string, textRange) {
	if runes < 1 || p.plain == "" {
		return "", textRange{}
	}
	c.clusters.divide(p, runes)
	first, last := c.clusters.window(runes)
	if first == last {
		return ellipsis, textRange{}
	}
	shown := c.clusters.bytes(first, last)
	start, at := c.texts.b.Len(), shown.from
	out := &c.texts.b
	if shown.from > 0 {
		out.WriteString(ellipsis)
	}
	for _, m := range c.clusters.marked {
		if m.to <= first || m.from >= last {
			continue
		}
		mark := c.clusters.bytes(max(m.from, first), min(m.to, last))
		out.WriteString(p.plain[at:mark.from])
		out.WriteString(markOpen)
		out.WriteString(p.plain[mark.from:mark.to])
		out.WriteString(markClose)
		at = mark.to
	}
	out.WriteString(p.plain[at:shown.to])
	if shown.to < len(p.plain) {
		out.WriteString(ellipsis)
	}
	return c.texts.since(start), shown
}

// clusters are the grapheme clusters of the part of a passage that may be shown. They are divided as far as they are asked
// for.
type clusters struct {
	passage
	borders []int            // where each cluster starts, and where the last ends, in bytes of the text
	marked  []markedClusters // in order
	mark    int              // of the passage's marks: the first that may reach beyond the last border
	anchor  int              // the first marked cluster, or 0
}

// markedClusters are those that belong to a mark, wholly or in part. One that belongs to two counts for the first.
type markedClusters struct{ mark, from, to int }

// divide finds the clusters from max runes before the first mark up to the mark's first.
func (c *clusters) divide(p passage, max int) {
	match := 0
	if len(p.marks) > 0 {
		match = p.marks[0].from
	}
	c.passage, c.mark, c.marked = p, 0, c.marked[:0]
	c.borders = append(slices.Grow(c.borders[:0], 2*max), p.border(match, max))
	for c.anchor = 0; c.reach(c.anchor+1) && c.borders[c.anchor+1] <= match; c.anchor++ {
	}
}

// reach reports whether the passage has so many borders, and divides it up to there.
func (c *clusters) reach(n int) bool { return n < len(c.borders) || c.more(n) }

// more divides the passage up to a border that is not reached yet, and somewhat further: most often the next is asked for
// next.
func (c *clusters) more(n int) bool {
	const further = 8
	text, borders := c.plain, c.borders
	at, next := borders[len(borders)-1], c.nextMark()
	for len(borders) <= n+further && at < len(text) {
		end := at + 1
		if end == len(text) || !isPrintable(rune(text[at])) || !isPrintable(rune(text[end])) {
			end = clusterEnd(text, at)
		}
		if end > next {
			c.belongs(len(borders)-1, at, end)
			next = c.nextMark()
		}
		borders = append(borders, end)
		at = end
	}
	c.borders = borders
	return n < len(borders)
}

// nextMark is where the first mark starts that may reach beyond the last border, or where the text ends.
func (c *clusters) nextMark() int {
	if c.mark == len(c.marks) {
		return len(c.plain)
	}
	return c.marks[c.mark].from
}

// belongs notes which mark a cluster belongs to, if any.
func (c *clusters) belongs(n, at, end int) {
	for c.mark < len(c.marks) && c.marks[c.mark].to <= at {
		c.mark++
	}
	if c.mark == len(c.marks) || c.marks[c.mark].from >= end {
		return
	}
	if k := len(c.marked); k == 0 || c.marked[k-1].mark != c.mark {
		c.marked = append(c.marked, markedClusters{mark: c.mark, from: n})
	}
	c.marked[len(c.marked)-1].to = n + 1
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

// clusterEnd is where the grapheme cluster ends that starts at a border.
func clusterEnd(text string, at int) int {
	c, size := utf8.DecodeRuneInString(text[at:])
	if end := at + size; standsAlone(c) {
		if end == len(text) || isPrintable(rune(text[end])) {
			return end
		}
		if next, _ := utf8.DecodeRuneInString(text[end:]); ordinary(next) {
			return end
		}
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text[at:], -1)
	return at + len(cluster)
}

// standsAlone reports characters that are never parts of one cluster.
func standsAlone(c rune) bool { return isPrintable(c) || ordinary(c) }

func isPrintable(c rune) bool { return c >= ' ' && c <= '~' }

// bytes is where the clusters from first up to last stand.
func (c *clusters) bytes(first, last int) textRange {
	return textRange{c.borders[first], c.borders[last]}
}

func (c *clusters) isSpace(n int) bool {
	return c.plain[c.borders[n]] == ' ' && c.borders[n+1] == c.borders[n]+1
}

// runes is how many runes a cluster has, which is mostly one of one byte.
func (c *clusters) runes(n int) int {
	from, to := c.borders[n], c.borders[n+1]
	if to == from+1 {
		return 1
	}
	return utf8.RuneCountInString(c.plain[from:to])
}

// A window is what is shown of a passage: the clusters from first up to last.
type window struct {
	*clusters
	first, last int
	size        int // in runes, with the tags of marks
	tags        int // how many marks are in it
	max         int // of size with the ellipses
}

// window chooses the clusters to show: the first mark as far as it fits, then as much on either side of it. It shows
// nothing when not even the first cluster fits.
func (c *clusters) window(max int) (first, last int) {
	w := window{clusters: c, first: c.anchor, last: c.anchor, max: max}
	for w.widenRight() > 0 && c.reach(w.last+1) && len(c.marked) > 0 && w.last < c.marked[0].to {
	}
	match := textRange{w.first, w.last}
	if match.from == match.to {
		return 0, 0
	}
	before, after := 0, 0
	for left, right := true, true; left || right; {
		if left && (before <= after || !right) {
			runes := w.widenLeft()
			left, before = runes > 0, before+runes
		} else {
			runes := w.widenRight()
			right, after = runes > 0, after+runes
		}
	}
	return w.trim(match)
}

// widenLeft takes one more cluster on the left, and returns its runes, or 0 when there is none or it does not fit. No mark
// stands there.
func (w *window) widenLeft() int {
	if w.first == 0 {
		return 0
	}
	runes := w.runes(w.first - 1)
	if w.size+runes+w.ellipses(w.borders[w.first-1], w.borders[w.last]) > w.max {
		return 0
	}
	w.first--
	w.size += runes
	return runes
}

// widenRight takes one more cluster on the right.
func (w *window) widenRight() int {
	c, n := w.clusters, w.last
	if !c.reach(n + 1) {
		return 0
	}
	runes, size := c.runes(n), w.size
	begins := w.tags < len(c.marked) && c.marked[w.tags].from == n
	if begins {
		size += len(markOpen + markClose)
	}
	if size += runes; size+c.ellipses(c.borders[w.first], c.borders[n+1]) > w.max {
		return 0
	}
	w.last, w.size = n+1, size
	if begins {
		w.tags++
	}
	return runes
}

// ellipses is how many runes say that something stands before and behind a part of the text.
func (c *clusters) ellipses(from, to int) int {
	n := 0
	if from > 0 {
		n++
	}
	if to < len(c.plain) {
		n++
	}
	return n
}

// trim moves the borders of a window that cut the text to the next space inward, when one is near, and past it.
func (w *window) trim(match textRange) (first, last int) {
	const near = 12
	first, last = w.first, w.last
	if w.borders[first] > 0 {
		for n := first; n < min(match.from, first+near); n++ {
			if w.isSpace(n) {
				first = n
				break
			}
		}
		for first < last && w.isSpace(first) {
			first++
		}
	}
	if w.borders[last] < len(w.plain) {
		for n := last - 1; n >= max(first, match.to, last-near); n-- {
			if w.isSpace(n) {
				last = n
				break
			}
		}
		for first < last && w.isSpace(last-1) {
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
