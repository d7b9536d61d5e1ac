package render

import (
	"strings"
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
	c := &cutter{clusters: clusters{runs: make([]run, 0, 64)}}
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
	c.clusters.start(p, runes)
	first, last := c.clusters.choose(runes)
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
	most   int // clusters in a run
	anchor int // the run with which the first mark begins, or 0
}

// A run is clusters that are alike: each has so many bytes and so many runes, and all belong to one mark, or none to any.
// Most are a byte each, so most of a text is in a few runs.
type run struct {
	from  int // byte of the text
	count int // of clusters, at least 1
	bytes int // of each
	runes int // of each
	mark  int // its number from 1; 0 for none. A cluster belongs to the first mark of which it has a part.
}

// A border stands before a cluster of a run, or, when there is no such run, at the end of the text.
type border struct{ run, cluster int }

// start begins with a passage, so many runes before its first mark.
func (c *clusters) start(p passage, runes int) {
	match := 0
	if len(p.marks) > 0 {
		match = p.marks[0].from
	}
	c.passage, c.runs, c.mark, c.most = p, c.runs[:0], 0, runes
	c.more(p.border(match, runes))
	for c.anchor = 0; c.runs[c.anchor].end() <= match; c.anchor++ {
		c.reach(c.anchor + 1)
	}
}

func (r *run) end() int { return r.from + r.count*r.bytes }

// reach reports whether there is a run of that number.
func (c *clusters) reach(n int) bool {
	if n < len(c.runs) {
		return true
	}
	end := c.runs[n-1].end()
	if end == len(c.plain) {
		return false
	}
	c.more(end)
	return true
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
	alone, bytes := alike(c.plain[from:min(next, from+c.most)])
	if alone > 0 && clusterEnd(c.plain, from+(alone-1)*bytes) > from+alone*bytes {
		alone-- // what follows belongs to the last
	}
	if alone > 0 {
		c.runs = append(c.runs, run{from: from, count: alone, bytes: bytes, runes: 1, mark: mark})
		return
	}
	end := clusterEnd(c.plain, from)
	if mark == 0 && end > next {
		mark = c.mark + 1
	}
	c.runs = append(c.runs, run{from: from, count: 1, bytes: end - from, runes: utf8.RuneCountInString(c.plain[from:end]), mark: mark})
}

// alike is how many characters at the start of a text stand alone and have the same number of bytes.
func alike(text string) (count, bytes int) {
	if run := plainRun(text); run > 0 {
		return run, 1
	}
	for at := 0; ; at += bytes {
		c, size := utf8.DecodeRuneInString(text[at:])
		if !ordinary(c) || count > 0 && size != bytes {
			return count, bytes
		}
		count, bytes = count+1, size
	}
}

// at is where a border stands in the text.
func (c *clusters) at(b border) int {
	if b.run == len(c.runs) {
		return c.runs[b.run-1].end()
	}
	r := &c.runs[b.run]
	return r.from + b.cluster*r.bytes
}

// behind is the border behind the cluster that starts at one, and before the one in front of the cluster that ends there.
func (c *clusters) behind(b border) border { return c.forward(b, 1) }

func (c *clusters) before(b border) border {
	if b.cluster > 0 {
		return border{b.run, b.cluster - 1}
	}
	return border{b.run - 1, c.runs[b.run-1].count - 1}
}

// forward is the border so many clusters of its run behind one.
func (c *clusters) forward(b border, count int) border {
	if b.cluster += count; b.cluster == c.runs[b.run].count {
		return border{b.run + 1, 0}
	}
	return b
}

func (c *clusters) isSpace(b border) bool {
	return c.runs[b.run].bytes == 1 && c.plain[c.at(b)] == ' '
}

// write writes what is between two borders, with marks, and with ellipses where the text goes on, and returns which part of
// the text it is.
func (c *clusters) write(out *strings.Builder, first, last border) textRange {
	shown := textRange{c.at(first), c.at(last)}
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
func (c *clusters) choose(runes int) (first, last border) {
	s := selection{clusters: c, first: border{run: c.anchor}, last: border{run: c.anchor}, room: runes}
	for s.widenRight(1) > 0 && s.reach(s.last.run) && s.runs[s.last.run].mark > 0 && s.runs[s.last.run].mark == c.runs[c.anchor].mark {
		continue // within the first mark
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

// turns is how many turns can be taken at once, because on both sides each cluster is a rune, and there is room for all.
func (s *selection) turns() int {
	if s.first == (border{}) || !s.reach(s.last.run) || s.left != s.right {
		return 1
	}
	one := s.before(s.first)
	left, right := &s.runs[one.run], &s.runs[s.last.run]
	if left.runes > 1 || right.runes > 1 || right.mark > 0 {
		return 1
	}
	return max(1, min(one.cluster+1, right.count-s.last.cluster, s.room/2-1))
}

// widenLeft takes clusters of the next run on the left, as many as have so many runes if they fit, and returns how many runes
// they have. None there is marked: the selection begins with the first mark.
func (s *selection) widenLeft(runes int) int {
	if s.first == (border{}) {
		return 0
	}
	one := s.before(s.first)
	next := s.runs[one.run]
	room := s.room
	if s.at(s.last) < len(s.plain) {
		room--
	}
	count := next.fitting(one.cluster+1, runes, room, next.from == 0)
	if count > 0 {
		s.first = border{one.run, one.cluster + 1 - count}
	}
	s.left += count * next.runes
	s.room -= count * next.runes
	return count * next.runes
}

// widenRight does so on the right.
func (s *selection) widenRight(runes int) int {
	if !s.reach(s.last.run) {
		return 0
	}
	next, room, tags := &s.runs[s.last.run], s.room, 0
	if s.at(s.first) > 0 {
		room--
	}
	if next.mark > 0 && s.last.cluster == 0 && (s.last.run == 0 || s.runs[s.last.run-1].mark != next.mark) {
		tags = len(markOpen + markClose)
	}
	count := next.fitting(next.count-s.last.cluster, runes, room-tags, next.end() == len(s.plain))
	if count == 0 {
		return 0
	}
	s.last = s.forward(s.last, count)
	s.right += count * next.runes
	s.room -= count*next.runes + tags
	return count * next.runes
}

// fitting is how many of a run's clusters, of which so many are left, have the wanted runes, as far as there is room for them
// and for the ellipsis that stands for what is left out, if not all is shown to the end of the text.
func (r *run) fitting(left, wanted, room int, toTheEnd bool) int {
	count := min(left, (wanted+r.runes-1)/r.runes)
	if count == left && toTheEnd && count*r.runes <= room {
		return count
	}
	return max(0, min(count, (room-1)/r.runes))
}

// trim moves the borders of a selection that cut the text to the next space inward, when one is near, and past it.
func (s *selection) trim(matchFirst, matchLast border) (first, last border) {
	const near = 12
	first, last = s.first, s.last
	if s.at(first) > 0 {
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
	if s.at(last) < len(s.plain) {
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
