package render

import (
	"slices"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

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
	first, last := c.clusters.choose(runes)
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

// A selection is what is shown of a passage: the clusters from first up to last.
type selection struct {
	*clusters
	first, last int
	size        int // in runes, with the tags of marks
	tags        int // how many marks are in it
	max         int // of size with the ellipses
}

// choose selects the clusters to show: the first mark as far as it fits, then as much on either side of it. It shows
// nothing when not even the first cluster fits.
func (c *clusters) choose(max int) (first, last int) {
	s := selection{clusters: c, first: c.anchor, last: c.anchor, max: max}
	for s.widenRight() > 0 && c.reach(s.last+1) && len(c.marked) > 0 && s.last < c.marked[0].to {
		continue // within the first mark
	}
	match := textRange{s.first, s.last}
	if match.from == match.to {
		return 0, 0
	}
	before, after := 0, 0
	for left, right := true, true; left || right; {
		if left && (before <= after || !right) {
			runes := s.widenLeft()
			left, before = runes > 0, before+runes
		} else {
			runes := s.widenRight()
			right, after = runes > 0, after+runes
		}
	}
	return s.trim(match)
}

// widenLeft takes one more cluster on the left, and returns its runes, or 0 when there is none or it does not fit. None
// there is marked: the selection begins with the first mark.
func (s *selection) widenLeft() int {
	if s.first == 0 {
		return 0
	}
	runes := s.runes(s.first - 1)
	if s.size+runes+s.ellipses(s.borders[s.first-1], s.borders[s.last]) > s.max {
		return 0
	}
	s.first--
	s.size += runes
	return runes
}

// widenRight takes one more cluster on the right.
func (s *selection) widenRight() int {
	c, n := s.clusters, s.last
	if !c.reach(n + 1) {
		return 0
	}
	runes, size := c.runes(n), s.size
	begins := s.tags < len(c.marked) && c.marked[s.tags].from == n
	if begins {
		size += len(markOpen + markClose)
	}
	if size += runes; size+c.ellipses(c.borders[s.first], c.borders[n+1]) > s.max {
		return 0
	}
	s.last, s.size = n+1, size
	if begins {
		s.tags++
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

// trim moves the borders of a selection that cut the text to the next space inward, when one is near, and past it.
func (s *selection) trim(match textRange) (first, last int) {
	const near = 12
	first, last = s.first, s.last
	if s.borders[first] > 0 {
		for n := first; n < min(match.from, first+near); n++ {
			if s.isSpace(n) {
				first = n
				break
			}
		}
		for first < last && s.isSpace(first) {
			first++
		}
	}
	if s.borders[last] < len(s.plain) {
		for n := last - 1; n >= max(first, match.to, last-near); n-- {
			if s.isSpace(n) {
				last = n
				break
			}
		}
		for first < last && s.isSpace(last-1) {
			last--
		}
	}
	return first, last
}
