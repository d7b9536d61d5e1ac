package render

import (
	"encoding/json"
	"sort"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// What hosts take of one result, in bytes unless said otherwise (D18, design/HOSTS.md). No host says that it cut
// a result, so nothing here relies on a host: what does not fit is counted and named in the text.
const (
	// textTarget holds everything that is needed to act; some hosts cut the middle of longer text.
	textTarget = 10 << 10
	// textHard bounds content[] of one result.
	textHard = 24 << 10
	// textLines is how many lines some hosts show.
	textLines = 256
	// lineChars bounds one line of text, in runes. A fetched document is JSON, so it is one line of any length.
	lineChars = 2000
	// structuredTarget is what structuredContent should stay under.
	structuredTarget = 24 << 10
	// structuredHard is where hosts stop showing structuredContent to a model.
	structuredHard = 45000
)

// Bounds of the parts of an answer.
const (
	titleChars    = 120
	labelChars    = 60
	keyChars      = 120     // of a key or a value; a longer one is cut
	longestHandle = 1200    // a cursor or first id that still fits search prose
	longestName   = 256     // bytes of a name; a longer one could not be sent back
	envelopeJSON  = 8 << 10 // what stands beside a list
	documentHead  = 4 << 10 // what stands beside the parts of a document that is cut
)

// size is how many bytes lines take.
func size(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line) + 1
	}
	return n
}

// fullest returns the page with the first n of some things, n as large as fits allows, and n. Of things of which not one fits it is the
// page with that one.
func fullest[P string | json.RawMessage](total int, page func(n int) P, fits func(page P) bool) (P, int) {
	if whole := page(total); total == 0 || fits(whole) {
		return whole, total
	}
	n := max(1, sort.Search(total, func(n int) bool { return !fits(page(n + 1)) }))
	return page(n), n
}

func fitsText(text string) bool {
	return len(text) <= textHard && strings.Count(text, "\n") < textLines
}

func fitsStructured[P string | json.RawMessage](out P) bool { return len(out) <= structuredHard }

// clipped are lines none of which is too long.
func clipped(lines []string) []string {
	for i, line := range lines {
		lines[i] = clean.Clip(line, lineChars)
	}
	return lines
}
