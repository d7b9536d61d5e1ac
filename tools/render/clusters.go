package render

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// A cutter cuts passages to size, one after the other in the same buffers.
type cutter struct {
	clusters    clusters
	first, last border // of what is shown of the passage at hand
}

// around chooses what is shown of a passage in so many runes, tags and ellipses counted: its first mark in the middle, or its start
// when it has none. It cuts at spaces where one is near, and never inside a grapheme cluster, which is what a reader
// takes for one character. It returns which part of the passage that is, and false when there is nothing to show; append writes it.
func (c *cutter) around(p passage, runes int) (shown textRange, ok bool) {
	if runes < 1 || p.plain == "" {
		return textRange{}, false
	}
	c.clusters.start(p, runes)
	if c.first, c.last = c.clusters.choose(); c.first == c.last {
		return textRange{}, true
	}
	return textRange{c.first.at, c.last.at}, true
}

// whole reports whether all of the passage was chosen.
func (c *cutter) whole() bool { return c.first.at == 0 && c.last.at == len(c.clusters.plain) }

// append appends what was chosen as a string, with marks, and with ellipses where the text goes on. What is of the passage is
// escaped.
func (c *cutter) append(b []byte, escape func(b []byte, text string) []byte) []byte {
	b = append(b, '"')
	if c.first == c.last {
		b = append(b, ellipsis...)
	} else {
		b = c.clusters.append(b, textRange{c.first.at, c.last.at}, c.first.run, escape)
	}
	return append(b, '"')
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
	to := from + ordinaryPrefix(c.plain[from:min(next, from+c.most)])
	if _, size := utf8.DecodeLastRuneInString(c.plain[from:to]); size > 0 && clusterEnd(c.plain, to-size) > to {
		to -= size // what follows belongs to it
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

// append appends a part of the text, which begins in a run.
func (c *clusters) append(b []byte, shown textRange, first int, escape func(b []byte, text string) []byte) []byte {
	if shown.from > 0 {
		b = append(b, ellipsis...)
	}
	mark, done := 0, shown.from
	turn := func(to, at int) {
		if to == mark {
			return
		}
		b = escape(b, c.plain[done:at])
		if mark > 0 {
			b = append(b, markClose...)
		}
		if to > 0 {
			b = append(b, markOpen...)
		}
		mark, done = to, at
	}
	for n := first; n < len(c.runs) && c.runs[n].from < shown.to; n++ {
		turn(c.runs[n].mark, max(c.runs[n].from, shown.from))
	}
	turn(0, shown.to)
	b = escape(b, c.plain[done:shown.to])
	if shown.to < len(c.plain) {
		b = append(b, ellipsis...)
	}
	return b
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
		_, before := utf8.DecodeLastRuneInString(p.plain[:at])
		_, behind := utf8.DecodeRuneInString(p.plain[at:])
		if standsAlone(p.plain[at-before:at]) && standsAlone(p.plain[at:at+behind]) {
			break
		}
	}
	return at
}

// clusterEnd is where the grapheme cluster ends that starts at a border.
func clusterEnd(text string, at int) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	end := at + size
	_, next := utf8.DecodeRuneInString(text[end:])
	if standsAlone(text[at:end]) && standsAlone(text[end:end+next]) {
		return end
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text[at:], -1)
	return at + len(cluster)
}

// standsAlone reports characters that are never parts of one cluster, and that there is none.
func standsAlone(char string) bool { return linePrefix(char) == len(char) }
