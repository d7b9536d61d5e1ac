package render

import (
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
	keyChars        = 120  // of a key or a value; a longer one is cut
	longestHandle   = 1200 // a cursor or first id that still fits search prose
	longestName     = 256  // bytes of a name; a longer one could not be sent back
	maxEvidenceRows = 3
)

// separator stands between the cells of a row.
const separator = " | "

// size is how many bytes lines take.
func size(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line) + 1
	}
	return n
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
