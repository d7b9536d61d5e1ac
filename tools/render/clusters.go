package render

import (
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/rivo/uniseg"
)

// A cutter cuts passages to size, one after the other in the same room.
type cutter struct {
	clusters clusters
	texts    texts
}

// newCutter has room for the passages of so many hits. More is made when it is needed.
func newCutter(hits int) *cutter {
	c := &cutter{clusters: clusters{runs: make([]run, 0, 64)}}
	c.texts.b.Grow(400 * min(hits, 32))
	return c
}

// around shows at most so many runes of a passage, tags and ellipses counted: its first mark in the middle, or its start
// when it has none. It cuts at spaces where one is near, and never inside a grapheme cluster, which is what a reader
// takes for one character. It returns the text with marks and ellipses, and which part of the passage that is.
func (c *cutter) around(p passage, runes int) (string, textRange) {
	if runes < 1 || p.plain == "" {
		return "", textRange{}
	}
	c.clusters.start(p, runes)
	first, last := c.clusters.choose()
	if first == last {
		return ellipsis, textRange{}
	}
	start := c.texts.b.Len()
	shown := c.clusters.write(&c.texts.b, first, last)
	return c.texts.since(start), shown
}

// clusters are the grapheme clusters of the part of a passage that may be shown. They are found as far as they are asked for.
type clusters struct {
	passage
	runs   []run
	mark   int // of the passage's marks: the first that may reach beyond the last run
	most   int // runes that are shown
	anchor int // the run with which the first mark begins, or 0
}

// A run is a part of a text: characters each of which is a cluster, as nearly all are, or one cluster of another kind.
type run struct {
	from, to int // in bytes
	runes    int // of the one cluster; 0 where each rune is one
	mark     int // number of the mark that all of it belongs to, from 1; 0 for none. What has a part of two belongs to the first.
}

// A border stands before a cluster of a run, or behind the last run.
type border struct{ run, at int } // at which byte

// start begins with a passage, so many runes before its first mark.
func (c *clusters) start(p passage, runes int) {
	match := 0
	if len(p.marks) > 0 {
		match = p.marks[0].from
	}
	c.passage, c.runs, c.mark, c.most = p, c.runs[:0], 0, runes
	c.more(p.border(match, runes))
	for c.anchor = 0; c.runs[c.anchor].to <= match; c.anchor++ {
		c.reach(c.anchor + 1)
	}
}

// reach reports whether there is a run of that number.
func (c *clusters) reach(n int) bool {
	if n == len(c.runs) && c.runs[n-1].to < len(c.plain) {
		c.more(c.runs[n-1].to)
	}
	return n < len(c.runs)
}

// more finds the run that starts at a border of the text.
func (c *clusters) more(from int) {
	for c.mark < len(c.marks) && c.marks[c.mark].to <= from {
		c.mark++
	}
	mark, next := 0, len(c.plain) // where the next mark starts or this one ends
	if c.mark < len(c.marks) {
		if m := c.marks[c.mark]; m.from > from {
			next = m.from
		} else {
			mark, next = c.mark+1, m.to
		}
	}
	to := from + rs.OrdinaryRun(c.plain[from:min(next, from+c.most)])
	if to > from {
		if _, size := utf8.DecodeLastRuneInString(c.plain[from:to]); clusterEnd(c.plain, to-size) > to {
			to -= size // what follows belongs to it
		}
	}
	if to > from {
		c.runs = append(c.runs, run{from: from, to: to, mark: mark})
		return
	}
	to = clusterEnd(c.plain, from)
	if mark == 0 && to > next {
		mark = c.mark + 1
	}
	c.runs = append(c.runs, run{from: from, to: to, runes: utf8.RuneCountInString(c.plain[from:to]), mark: mark})
}

// behind is the border behind the cluster that one stands before.
func (c *clusters) behind(b border) border {
	r := &c.runs[b.run]
	if r.runes > 0 {
		return border{b.run + 1, r.to}
	}
	_, size := utf8.DecodeRuneInString(c.plain[b.at:])
	return c.borderAt(b.run, b.at+size)
}

// before is the border before the cluster that one stands behind.
func (c *clusters) before(b border) border {
	if b.run == len(c.runs) || b.at == c.runs[b.run].from {
		b.run--
	}
	r := &c.runs[b.run]
	if r.runes > 0 {
		return border{b.run, r.from}
	}
	_, size := utf8.DecodeLastRuneInString(c.plain[:b.at])
	return border{b.run, b.at - size}
}

// borderAt is the border at a byte of a run, which may be its end.
func (c *clusters) borderAt(run, at int) border {
	if at == c.runs[run].to {
		run++
	}
	return border{run, at}
}

func (c *clusters) isSpace(b border) bool {
	return c.runs[b.run].runes == 0 && c.plain[b.at] == ' '
}

// write writes what is between two borders, with marks, and with ellipses where the text goes on, and returns which part of
// the text it is.
func (c *clusters) write(out *strings.Builder, first, last border) textRange {
	shown := textRange{first.at, last.at}
	if shown.from > 0 {
		out.WriteString(ellipsis)
	}
	mark, done := 0, shown.from
	turn := func(to, at int) {
		if to == mark {
			return
		}
		out.WriteString(c.plain[done:at])
		if mark > 0 {
			out.WriteString(markClose)
		}
		if to > 0 {
			out.WriteString(markOpen)
		}
		mark, done = to, at
	}
	for n := first.run; n < len(c.runs) && c.runs[n].from < shown.to; n++ {
		turn(c.runs[n].mark, max(c.runs[n].from, shown.from))
	}
	turn(0, shown.to)
	out.WriteString(c.plain[done:shown.to])
	if shown.to < len(c.plain) {
		out.WriteString(ellipsis)
	}
	return shown
}

// A selection is what is shown of a passage: the clusters between two borders.
type selection struct {
	*clusters
	first, last border
	left, right int // runes on either side of the match
	room        int // runes that are left for more, ellipses included
}

// choose selects the clusters to show: the first mark as far as it fits, then as much on either side of it: the side that
// shows less is the next to get a cluster. It shows nothing when not even the first cluster fits.
func (c *clusters) choose() (first, last border) {
	start := border{c.anchor, c.runs[c.anchor].from}
	s := selection{clusters: c, first: start, last: start, room: c.most}
	if mark := c.runs[c.anchor].mark; mark == 0 {
		s.widenRight(1)
	} else {
		for s.reach(s.last.run) && s.runs[s.last.run].mark == mark && s.widenRight(c.most) > 0 {
			continue
		}
	}
	match := s
	s.right = 0
	for left, right := s.first != s.last, s.first != s.last; left || right; {
		wanted := s.room
		if left && (s.left <= s.right || !right) {
			if right {
				wanted = s.right - s.left + s.turns()
			}
			left = s.widenLeft(wanted) > 0
		} else {
			if left {
				wanted = s.left - s.right
			}
			right = s.widenRight(wanted) > 0
		}
	}
	return s.trim(match.first, match.last)
}

// turns is how many turns can be taken at once, because on both sides each rune is a cluster, and there is room for all.
func (s *selection) turns() int {
	if s.first.at == s.runs[0].from || !s.reach(s.last.run) || s.left != s.right {
		return 1
	}
	left, right := &s.runs[s.before(s.first).run], &s.runs[s.last.run]
	if left.runes > 0 || right.runes > 0 || right.mark > 0 {
		return 1
	}
	_, most := rs.RuneIndex(s.plain[left.from:s.first.at], s.room/2-1)
	_, most = rs.RuneIndex(s.plain[s.last.at:right.to], most)
	return max(1, most)
}

// widenLeft takes clusters of the next run on the left, as many as have so many runes if they fit, and returns how many runes
// they have. None there is marked: the selection begins with the first mark.
func (s *selection) widenLeft(wanted int) int {
	if s.first.at == s.runs[0].from {
		return 0
	}
	room := s.room
	if s.last.at < len(s.plain) {
		room--
	}
	n := s.before(s.first).run
	next := &s.runs[n]
	from, runes := next.from, next.runes
	if runes == 0 {
		from, runes = backward(s.plain, next.from, s.first.at, min(wanted, room))
		if runes == room && from > 0 && runes > 0 { // an ellipsis takes the place of the first
			_, size := utf8.DecodeRuneInString(s.plain[from:])
			from, runes = from+size, runes-1
		}
	}
	if runes == 0 || runes > room || runes == room && from > 0 {
		return 0
	}
	s.first, s.left, s.room = border{n, from}, s.left+runes, s.room-runes
	return runes
}

// widenRight does so on the right.
func (s *selection) widenRight(wanted int) int {
	if !s.reach(s.last.run) {
		return 0
	}
	room, tags := s.room, 0
	if s.first.at > 0 {
		room--
	}
	n := s.last.run
	next := &s.runs[n]
	if next.mark > 0 && s.last.at == next.from && (n == 0 || s.runs[n-1].mark != next.mark) {
		tags = len(markOpen + markClose)
		room -= tags
	}
	to, runes := next.to, next.runes
	if runes == 0 {
		to, runes = rs.RuneIndex(s.plain[s.last.at:next.to], min(wanted, room))
		to += s.last.at
		if runes == room && to < len(s.plain) && runes > 0 { // an ellipsis takes the place of the last
			_, size := utf8.DecodeLastRuneInString(s.plain[:to])
			to, runes = to-size, runes-1
		}
	}
	if runes == 0 || runes > room || runes == room && to < len(s.plain) {
		return 0
	}
	s.last, s.right, s.room = s.borderAt(n, to), s.right+runes, s.room-runes-tags
	return runes
}

// backward is where the runes of a text start that end at a place, so many of them or fewer from the first place on, and how
// many there are.
func backward(text string, first, to, most int) (from, runes int) {
	for from = to; from > first && runes < most; runes++ {
		for from--; !utf8.RuneStart(text[from]); from-- {
		}
	}
	return from, runes
}

// trim moves the borders of a selection that cut the text to the next space inward, when one is near, and past it.
func (s *selection) trim(matchFirst, matchLast border) (first, last border) {
	const near = 12
	first, last = s.first, s.last
	if first.at > 0 {
		for b, n := first, 0; n < near && b != matchFirst; b, n = s.behind(b), n+1 {
			if s.isSpace(b) {
				first = b
				break
			}
		}
		for first != last && s.isSpace(first) {
			first = s.behind(first)
		}
	}
	if last.at < len(s.plain) {
		for b, n := last, 0; n < near && b != matchLast && b != first; n++ {
			if b = s.before(b); s.isSpace(b) {
				last = b
				break
			}
		}
		for first != last && s.isSpace(s.before(last)) {
			last = s.before(last)
		}
	}
	return first, last
}

// border is a place so far before at that the clusters from there on are those of the whole text: its start, or, more than
// max runes away, between two characters that stand alone.
func (p passage) border(at, max int) int {
	for runes := 0; at > 0; at-- {
		if !utf8.RuneStart(p.plain[at]) {
			continue
		}
		if runes++; runes <= max+1 {
			continue
		}
		c, _ := utf8.DecodeRuneInString(p.plain[at:])
		last, _ := utf8.DecodeLastRuneInString(p.plain[:at])
		if standsAlone(last) && standsAlone(c) {
			break
		}
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
