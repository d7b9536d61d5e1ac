package render

import (
	"unicode/utf8"
)

// A selection is what is shown of a passage: the clusters between two borders.
type selection struct {
	*clusters
	first, last border
	left, right int // runes on either side of the match
	remaining   int // runes that are left for more, ellipses included
}

// choose selects the clusters to show: the first mark as far as it fits, then as much on either side of it: the side that
// shows less is the next to get a cluster. It shows nothing when not even the first cluster fits.
func (c *clusters) choose() (first, last border) {
	start := border{c.anchor, c.runs[c.anchor].from}
	s := selection{clusters: c, first: start, last: start, remaining: c.most}
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
		switch {
		case left && right && s.left <= s.right:
			left = s.widenLeft(s.right-s.left+s.turns()) > 0
		case left && right:
			right = s.widenRight(s.left-s.right) > 0
		case left:
			left = s.widenLeft(s.remaining) > 0
		default:
			right = s.widenRight(s.remaining) > 0
		}
	}
	return s.trim(match.first, match.last)
}

// turns is how many turns can be taken at once, because on both sides each rune is a cluster, and all fit.
func (s *selection) turns() int {
	if s.first.at == s.runs[0].from || !s.reach(s.last.run) || s.left != s.right {
		return 1
	}
	left, right := &s.runs[s.before(s.first).run], &s.runs[s.last.run]
	if left.runes > 0 || right.runes > 0 || right.mark > 0 {
		return 1
	}
	_, most := runeCountIndex(s.plain[left.from:s.first.at], s.remaining/2-1)
	_, most = runeCountIndex(s.plain[s.last.at:right.to], most)
	return max(1, most)
}

// widenLeft takes clusters of the next run on the left, as many as have so many runes if they fit, and returns how many runes
// they have. None there is marked: the selection begins with the first mark.
func (s *selection) widenLeft(wanted int) int {
	if s.first.at == s.runs[0].from {
		return 0
	}
	remaining := s.remaining
	if s.last.at < len(s.plain) {
		remaining--
	}
	n := s.before(s.first).run
	next := &s.runs[n]
	from, runes := next.from, next.runes
	if runes == 0 {
		from, runes = backward(s.plain, next.from, s.first.at, min(wanted, remaining))
		if runes == remaining && from > 0 && runes > 0 { // an ellipsis takes the place of the first
			_, size := utf8.DecodeRuneInString(s.plain[from:])
			from, runes = from+size, runes-1
		}
	}
	if runes == 0 || runes > remaining || runes == remaining && from > 0 {
		return 0
	}
	s.first, s.left, s.remaining = border{n, from}, s.left+runes, s.remaining-runes
	return runes
}

// widenRight does so on the right.
func (s *selection) widenRight(wanted int) int {
	if !s.reach(s.last.run) {
		return 0
	}
	remaining, tags := s.remaining, 0
	if s.first.at > 0 {
		remaining--
	}
	n := s.last.run
	next := &s.runs[n]
	if next.mark > 0 && s.last.at == next.from && (n == 0 || s.runs[n-1].mark != next.mark) {
		tags = len(markOpen + markClose)
		remaining -= tags
	}
	to, runes := next.to, next.runes
	if runes == 0 {
		to, runes = runeCountIndex(s.plain[s.last.at:next.to], min(wanted, remaining))
		to += s.last.at
		if runes == remaining && to < len(s.plain) && runes > 0 { // an ellipsis takes the place of the last
			_, size := utf8.DecodeLastRuneInString(s.plain[:to])
			to, runes = to-size, runes-1
		}
	}
	if runes == 0 || runes > remaining || runes == remaining && to < len(s.plain) {
		return 0
	}
	s.last, s.right, s.remaining = s.borderAt(n, to), s.right+runes, s.remaining-runes-tags
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
