package render

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// What hosts take of one result, in bytes unless said otherwise (D18, design/HOSTS.md). No host says that it cut
// a result, so nothing here relies on a host: what does not fit is counted and named in the text.
const (
	// textTarget holds everything that is needed to act; some hosts cut the middle of longer text.
	textTarget = 10 << 10
	// TextHard bounds content[] of one result.
	TextHard = 24 << 10
	// textLines is how many lines some hosts show.
	textLines = 256
	// lineChars bounds one line of text, in runes. A fetched document is JSON, so it is one line of any length.
	lineChars = 2000
	// structuredTarget is what structuredContent should stay under.
	structuredTarget = 24 << 10
	// StructuredHard is where hosts stop showing structuredContent to a model.
	StructuredHard = 45000
	// searchTarget and searchHard bound the prose of a search (S2-10).
	searchTarget = 1800
	searchHard   = 2400
	// searchAsked bounds the prose of a search whose limit the caller named (D36).
	searchAsked = 6000
	// errorBytes bounds the text of an error.
	errorBytes = 2 << 10

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

// folded is a line that ends with items, and goes on behind indent on further lines where one is too short.
func folded(line, indent string, items []string) []string {
	var lines []string
	for i, item := range items {
		if i < len(items)-1 {
			item += ", "
		}
		if longerThan(line+item, lineChars-10) && line != indent {
			lines, line = append(lines, strings.TrimRight(line, " ")), indent
		}
		line += item
	}
	return append(lines, clip(line, lineChars))
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

// firstFitting is how many of the first sizes fit in remaining bytes together.
func firstFitting(sizes []int, remaining int) int {
	for i, size := range sizes {
		if remaining -= size; remaining < 0 {
			return i
		}
	}
	return len(sizes)
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
	return len(text) <= TextHard && strings.Count(text, "\n") < textLines
}

func fitsStructured(out string) bool { return len(out) <= StructuredHard }
