package write

import (
	"sort"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// Limits of hosts for one result, in bytes unless noted (D18, design/HOSTS.md). No host reports that it truncated a result. So this program
// keeps within the limits, and counts and names in the text what does not fit.
const (
	// TextTarget bounds what is needed to act; some hosts cut the middle of longer text.
	TextTarget = 10 << 10
	// TextHard bounds content[] of one result.
	TextHard = 24 << 10
	// TextLines is how many lines some hosts show at most.
	TextLines = 256
	// LineChars bounds one line of text, in runes. A fetched document is JSON, so it is one line of any length.
	LineChars = 2000
	// StructuredTarget is what structuredContent should stay under.
	StructuredTarget = 24 << 10
	// StructuredHard is where hosts stop showing structuredContent to a model.
	StructuredHard = 45000
)

// Bounds of the parts of an answer.
const (
	TitleChars    = 120
	LabelChars    = 60
	KeyChars      = 120     // of a key or a value; a longer one is truncated
	LongestHandle = 1200    // a cursor or first id that still fits search prose
	LongestName   = 256     // bytes of a name; a longer one could not be sent back
	EnvelopeJSON  = 8 << 10 // bytes of the members around a list
	DocumentHead  = 4 << 10 // bytes of a truncated document without the parts of which it shows some
)

// Size returns how many bytes lines take, each with its line break.
func Size(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line) + 1
	}
	return n
}

// Fullest returns the page with the first n of total items, for the largest n that fits, and n. If not even one item fits, it returns the
// page with one.
func Fullest(total int, page func(n int) string, fits func(page string) bool) (string, int) {
	if whole := page(total); total == 0 || fits(whole) {
		return whole, total
	}
	n := max(1, sort.Search(total, func(n int) bool { return !fits(page(n + 1)) }))
	return page(n), n
}

// Fitting returns how many of the first texts take at most so many bytes and lines together, each with its line break.
func Fitting(texts []string, bytes, lines int) int {
	for i, text := range texts {
		bytes, lines = bytes-len(text)-1, lines-1-strings.Count(text, "\n")
		if bytes < 0 || lines < 0 {
			return i
		}
	}
	return len(texts)
}

// FitsText reports whether a text is within the bytes and lines of the text channel.
func FitsText(text string) bool {
	return len(text) <= TextHard && strings.Count(text, "\n") < TextLines
}

// FitsStructured reports whether structured output is within its bytes.
func FitsStructured(out string) bool { return len(out) <= StructuredHard }

// Clipped truncates lines in place to LineChars and returns them.
func Clipped(lines []string) []string {
	for i, line := range lines {
		lines[i] = clean.Clip(line, LineChars)
	}
	return lines
}
