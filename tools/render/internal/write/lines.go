package write

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// Separator separates the cells of a row.
const Separator = " | "

// Ellipsis marks where a text was truncated.
const Ellipsis = "…"

// ShownName returns a name as [clean.Name] does, or the beginning of one that is too long to be sent back, with a note.
func ShownName(s string) string {
	if len(s) <= LongestName {
		return clean.Name(s)
	}
	return fmt.Sprintf("%s (%d bytes, cannot be named)", clean.Quote(clean.Clip(s, LabelChars)), len(s))
}

// When returns text if a condition holds, else "".
func When(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// Lead returns lead followed by text, or "" if the text is empty.
func Lead(lead, text string) string { return When(text != "", lead+text) }

// Each returns what show returns for each element of a list.
func Each[T any](list []T, show func(T) string) []string {
	shown := make([]string, len(list))
	for i, one := range list {
		shown[i] = show(one)
	}
	return shown
}

// Offer returns lead followed by a call, or "" if the call has more than chars characters or could not be copied from a line exactly. It
// escapes spaces other than U+0020.
func Offer(lead, call string, chars int) string {
	call = clean.Escaped(call, clean.IsOtherSpace)
	return When(call != "" && !clean.LongerThan(call, chars) && clean.Line(call) == call, lead+call)
}

// EachOf returns what show returns for each of the first most elements of a list, without empty texts.
func EachOf[T any](list []T, most int, show func(T) string) []string {
	return NotEmpty(Each(list[:min(len(list), most)], show)...)
}

// NotEmpty returns the lines that are not empty.
func NotEmpty(lines ...string) []string {
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// Label returns the first LabelChars characters of a text, such as a display name, on one line.
func Label(s string) string { return clean.Preview(s, LabelChars) }

// Labelled returns an id as given and its quoted label, if it has one.
func Labelled(id, label string) string {
	return id + When(label != "", " "+clean.Quote(Label(label)))
}

// Plural returns "1 record" or "2 records".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Have returns "has" for 1, else "have".
func Have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// Thousands returns a number with commas: 2,310.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// quotedChars is after how many characters a quoted line of a record's text continues on the next, so that no line is too long.
const quotedChars = LineChars - 100

// QuoteLines returns a record's text as lines of a result. Each of its lines starts with "> ", and a line that is too long continues with
// "+ ". So the text is complete, and none of its lines can be taken for a line of the adapter (D19).
func QuoteLines(text string) []string {
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

// Minute shortens a timestamp in UTC to the minute, "2026-11-20 10:00". It returns any other text unchanged.
func Minute(t string) string {
	if len(t) > 16 && strings.HasSuffix(t, "Z") && t[10] == 'T' && Day(t) != "" {
		return t[:10] + " " + t[11:16]
	}
	return t
}

// Folded returns a line followed by items, wrapped into lines of which all but the first start with indent.
func Folded(line, indent string, items []string) []string {
	var lines []string
	for i, item := range items {
		comma := When(i < len(items)-1, ", ")
		longer := line + item + comma
		if line != indent && clean.LongerThan(longer, LineChars-10) {
			lines, longer = append(lines, strings.TrimRight(line, " ")), indent+item+comma
		}
		line = longer
	}
	return append(lines, clean.Clip(line, LineChars))
}

// Within returns the first texts of a list that have at most max bytes together, then "and N more" if there are others.
func Within(list []string, max int) []string {
	for i, text := range list {
		if max -= len(text) + len(", "); max < 0 {
			return append(slices.Clone(list[:i]), fmt.Sprintf("and %d more", len(list)-i))
		}
	}
	return list
}

// First returns the first most texts of a list, then the number of the others in a format such as "%d others".
func First(list []string, most int, others string) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf(others, len(list)-most))
}

// Day returns the date of a timestamp, or "".
func Day(t string) string {
	if len(t) < len(time.DateOnly) {
		return ""
	}
	day := t[:len(time.DateOnly)]
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}

// ShownValue returns a JSON value, or its beginning, as tables show it. A text is written so that it can be copied into a filter: it is
// quoted and escaped where a table would change it.
func ShownValue(raw string) string {
	value, left := clean.Cell(withoutRounding(raw), KeyChars)
	if text, _ := rs.AsText(raw); rs.Kind(raw) == "string" && (clean.Line(text) != text || strings.ContainsAny(text, ";'()")) {
		shown := text[:clean.RuneIndex(text, KeyChars)]
		value, left = clean.Quote(shown), utf8.RuneCountInString(text[len(shown):])
	}
	if left > 0 {
		return fmt.Sprintf("%s… (%s more characters)", strings.TrimSuffix(value, Ellipsis), Thousands(left))
	}
	return value
}

// withoutRounding removes the error of binary addition after the fifteenth digit: 80.2 for 80.19999999999999. A number that really has so
// many digits keeps them.
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

// QuoteEach quotes words and joins them with commas.
func QuoteEach(words []string) string { return strings.Join(Each(words, clean.Quote), ", ") }

// SendableName reports whether tools accept a name of a stream or connection.
func SendableName(s string) bool { return len(s) <= LongestName && rs.UnsafeName(s) == "" }

// SendableField reports whether tools accept a name of a field.
func SendableField(s string) bool { return len(s) <= LongestName && rs.UnsafeField(s) == "" }

// JSONText returns JSON for a line of text: it escapes the characters that do not print.
func JSONText(raw string) string {
	return clean.Escaped(raw, func(c rune) bool { return !clean.Shows(c) })
}

// Limits of a list of words, which may come from a query or from records.
const (
	maxWords  = 6
	WordChars = 40
)

// Words returns the first strings of the list in a member, each shortened to WordChars.
func Words(o rs.Object, name string) []string {
	return EachOf(o.Array(name), maxWords, func(raw string) string {
		word, _ := rs.AsText(raw)
		return clean.Preview(word, WordChars)
	})
}
