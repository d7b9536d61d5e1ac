package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// shownName is name, or for one that is too long to be sent back its beginning and a note.
func shownName(s string) string {
	if len(s) <= longestName {
		return clean.Name(s)
	}
	return fmt.Sprintf("%s (%d bytes, cannot be named)", clean.Quote(clean.Clip(s, labelChars)), len(s))
}

func shownNames(names []string) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = shownName(name)
	}
	return shown
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
