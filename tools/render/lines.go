package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
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

	recordsText     = 9 << 10  // the previews of query_records
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
	reasonChars     = 500  // why a connection could not be read, with the command that mends it
	keyChars        = 120  // of a key or a value; a longer one is cut
	longestHandle   = 1200 // a cursor or first id that still fits search prose
	longestName     = 256  // bytes of a name; a longer one could not be sent back
	maxEvidenceRows = 3
	envelopeJSON    = 8 << 10 // what stands beside the records
	documentHead    = 4 << 10 // what stands beside the parts of a document that is cut
	identityBytes   = 600     // a name, id or label
)

// separator stands between the cells of a row.
const separator = " | "

const ellipsis = "…"

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
	return len(text) <= TextHard && strings.Count(text, "\n") < textLines
}

func fitsStructured[P string | json.RawMessage](out P) bool { return len(out) <= StructuredHard }

// shownName is name, or for one that is too long to be sent back its beginning and a note.
func shownName(s string) string {
	if len(s) <= longestName {
		return clean.Name(s)
	}
	return fmt.Sprintf("%s (%d bytes, cannot be named)", clean.Quote(clean.Clip(s, labelChars)), len(s))
}

// each is a list of texts, each as it is shown.
func each(list []string, show func(string) string) []string {
	shown := make([]string, len(list))
	for i, text := range list {
		shown[i] = show(text)
	}
	return shown
}

// clipped are lines none of which is too long.
func clipped(lines []string) []string {
	for i, line := range lines {
		lines[i] = clean.Clip(line, lineChars)
	}
	return lines
}

// copyable reports whether a call can be copied from a line of at most so many characters.
func copyable(call string, chars int) bool {
	return !clean.LongerThan(call, chars) && clean.Line(call) == call
}

// labelled is a connection: its id as it is shown, and its label if it has one.
func labelled(id, label string) string {
	if label == "" {
		return id
	}
	return id + " " + clean.Quote(clean.Preview(label, labelChars))
}

// plural is "1 record" or "2 records".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// thousands is a number as people write it: 2,310.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// quotedChars is where a quoted line of a record's text is continued on the next, so that no line is too long.
const quotedChars = lineChars - 100

// quoteLines returns a record's text as lines of a result: "> " starts each of its lines, and "+ " continues one that
// is too long. So the text is all there, and none of its lines can be taken for one of ours (D19).
func quoteLines(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(clean.Lines(text), "\n") {
		prefix := "> "
		for cut := clean.RuneIndex(line, quotedChars); cut < len(line); cut = clean.RuneIndex(line, quotedChars) {
			lines = append(lines, prefix+line[:cut])
			line, prefix = line[cut:], "+ "
		}
		lines = append(lines, prefix+line)
	}
	return lines
}

// minute is a time to the minute as people write it, where it is in UTC; else as it is.
func minute(t string) string {
	if len(t) > 16 && strings.HasSuffix(t, "Z") && t[10] == 'T' && day(t) != "" {
		return t[:10] + " " + t[11:16]
	}
	return t
}

// shownText is a text in a cell: bare when nothing else could be meant.
func shownText(s string) string {
	if clean.PlainCell(s) {
		return s
	}
	return clean.Quote(s)
}

// cursorLine prints a cursor alone on its line, or says where a cursor stands that no line could hold or that could be taken for
// more than a cursor.
func cursorLine(key, value string) string {
	line := key + "=" + value
	if clean.LongerThan(line, lineChars) || clean.Line(value) != value || strings.ContainsAny(value, " \"{}") {
		return key + " is in structuredContent.data." + key
	}
	return line
}

// folded is a line that ends with items, and goes on behind indent on further lines where one is too short.
func folded(line, indent string, items []string) []string {
	var lines []string
	for i, item := range items {
		if i < len(items)-1 {
			item += ", "
		}
		if clean.LongerThan(line+item, lineChars-10) && line != indent {
			lines, line = append(lines, strings.TrimRight(line, " ")), indent
		}
		line += item
	}
	return append(lines, clean.Clip(line, lineChars))
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

// day is the date of a timestamp, or "".
func day(t string) string {
	if len(t) < 10 || t[4] != '-' || t[7] != '-' {
		return ""
	}
	for i, c := range []byte(t[:10]) {
		if i != 4 && i != 7 && (c < '0' || c > '9') {
			return ""
		}
	}
	return t[:10]
}

// connectLines are the commands by which the owner grants what is missing, as lines of text.
func connectLines(commands []string) []string {
	var lines []string
	for _, command := range commands {
		if line := fmt.Sprint(toConnect, clean.Line(command)); !clean.LongerThan(line, lineChars) {
			lines = append(lines, line)
		}
	}
	return lines
}

// toConnect begins the line of a command.
const toConnect = "to have it granted, the owner runs in a terminal: "

// shownValue is a value as tables show it, or its beginning. A text is as a filter takes it: where a table would clean it, it is escaped.
func shownValue(raw string) string {
	b, left := clean.AppendCell(nil, withoutRounding(raw), keyChars)
	value := string(b)
	if text, _ := rs.AsText(raw); rs.Kind(raw) == "string" && (clean.Line(text) != text || strings.ContainsAny(text, ";'()")) {
		shown := text[:clean.RuneIndex(text, keyChars)]
		value, left = clean.Quote(shown), utf8.RuneCountInString(text[len(shown):])
	}
	if left > 0 {
		return fmt.Sprintf("%s… (%s more characters)", strings.TrimSuffix(value, ellipsis), thousands(left))
	}
	return value
}

// withoutRounding rounds off the error of binary addition behind the fifteenth digit: 80.2 for 80.19999999999999. A number that was sent
// with that many digits keeps them.
func withoutRounding(raw string) string {
	const digits, fewer = 15, 4
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || !strings.Contains(raw, ".") || strings.ContainsAny(raw, "eE") {
		return raw
	}
	if clean := strconv.FormatFloat(f, 'g', digits, 64); len(clean)+fewer <= len(raw) && len(raw) > digits {
		return clean
	}
	return raw
}

func quoteEach(words []string) string { return strings.Join(each(words, clean.Quote), ", ") }
