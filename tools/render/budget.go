package render

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// What hosts take of one result, in bytes unless said otherwise (D18, design/HOSTS.md). No host says that it cut
// a result, so nothing here relies on a host: what does not fit is counted and named in the text.
const (
	// TextTarget holds everything that is needed to act; some hosts cut the middle of longer text.
	TextTarget = 10 << 10
	// TextHard bounds content[] of one result.
	TextHard = 24 << 10
	// TextLines is how many lines some hosts show.
	TextLines = 256
	// LineChars bounds one line of text, in runes. A fetched document is JSON, so it is one line of any length.
	LineChars = 2000
	// StructuredTarget is what structuredContent should stay under.
	StructuredTarget = 24 << 10
	// StructuredHard is where hosts stop showing structuredContent to a model.
	StructuredHard = 45000
	// SearchTarget and SearchHard bound the prose of a search (S2-10).
	SearchTarget = 1800
	SearchHard   = 2400
	// SearchAsked bounds the prose of a search whose limit the caller named (D36).
	SearchAsked = 6000
	// ErrorText bounds the text of an error.
	ErrorText = 2 << 10

	recordsText     = 8 << 10  // the previews of query_records
	listText        = 8 << 10  // the rows of list_streams
	documentJSON    = 20 << 10 // a fetched document, which stands on both channels
	cutsJSON        = 3 << 10  // the calls that read on, in a document's metadata
	windowField     = 2 << 10  // what a resource server says of the field of a window
	windowText      = 20 << 10 // a field window, which stands on both channels
	blobText        = 16 << 10 // an inline blob
	maxPlainID      = 1000     // a longer record id is not repeated beside the id that holds it
	previewIDChars  = 200      // a longer id is left out of search previews (D15)
	excerptChars    = 200      // an evidence excerpt or snippet
	titleChars      = 120
	labelChars      = 60
	longestHandle   = 1200 // a cursor or first id that still fits search prose
	maxEvidenceRows = 3
)

// A boundedText is text under construction: whole lines, at most max bytes together, each at most LineChars runes.
type boundedText struct {
	text  strings.Builder
	max   int
	lines int
}

func newBoundedText(max int) *boundedText {
	p := &boundedText{max: max}
	p.text.Grow(max)
	return p
}

// add appends a line, clipped if it is too long, and reports whether it fitted.
func (p *boundedText) add(line string) bool { return p.put(clip(line, LineChars)) }

// whole appends a line that is worthless when cut, such as one with a handle, and reports whether it fitted.
func (p *boundedText) whole(line string) bool {
	return !longerThan(line, LineChars) && p.put(line)
}

// block appends lines that belong together, each with its line break: all of them or none.
func (p *boundedText) block(lines []byte) bool {
	count := 0
	for line := range bytes.Lines(lines) {
		if len(line) > LineChars && utf8.RuneCount(line) > LineChars+1 {
			return false
		}
		count++
	}
	if p.text.Len()+len(lines) > p.max || p.lines+count > TextLines {
		return false
	}
	if p.lines > 0 {
		p.text.WriteByte('\n')
	}
	p.text.Write(lines[:len(lines)-1])
	p.lines += count
	return true
}

// reserve keeps bytes for lines that must come last; release gives them back.
func (p *boundedText) reserve(lines ...string) {
	for _, line := range lines {
		p.max -= len(line) + 1
	}
}

func (p *boundedText) release(lines ...string) {
	for _, line := range lines {
		p.max += len(line) + 1
	}
}

func (p *boundedText) left() int { return p.max - p.text.Len() }

func (p *boundedText) put(line string) bool {
	if p.text.Len()+len(line)+1 > p.max || p.lines >= TextLines {
		return false
	}
	if p.lines > 0 {
		p.text.WriteByte('\n')
	}
	p.text.WriteString(line)
	p.lines++
	return true
}

func (p *boundedText) String() string { return p.text.String() }

// folded is a line that ends with items, and goes on behind indent on further lines where one is too short.
func folded(line, indent string, items []string) []string {
	var lines []string
	for i, item := range items {
		if i < len(items)-1 {
			item += ", "
		}
		if longerThan(line+item, LineChars-10) && line != indent {
			lines, line = append(lines, strings.TrimRight(line, " ")), indent
		}
		line += item
	}
	return append(lines, clip(line, LineChars))
}

// within returns the first texts of a list that have at most max bytes together, and how many others there are.
func within(list []string, max int) []string {
	for i, text := range list {
		if max -= len(text) + len(", "); max < 0 {
			return append(slices.Clone(list[:i]), fmt.Sprintf("and %d more", len(list)-i))
		}
	}
	return list
}

// fullest returns the page with the first n of some things, n as large as fits allows, and n. Of things of which not one fits it is the
// page with that one.
func fullest(total int, page func(n int) string, fits func(page string) bool) (string, int) {
	if whole := page(total); total == 0 || fits(whole) {
		return whole, total
	}
	n := max(1, sort.Search(total, func(n int) bool { return !fits(page(n + 1)) }))
	return page(n), n
}

func fitsText(text string) bool {
	return len(text) <= TextHard && strings.Count(text, "\n") < TextLines
}

func fitsStructured(out string) bool { return len(out) <= StructuredHard }
