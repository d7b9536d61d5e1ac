package render

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// appendValue appends a value as a table shows it: a text bare when nothing else could be meant, else as JSON; a long value in its
// first chars characters. left is how many characters are not shown.
func appendValue(b []byte, raw string, chars int) (_ []byte, left int) {
	switch rs.Kind(raw) {
	case "nothing", "null":
		return append(b, "null"...), 0
	case "number", "boolean", "array", "object":
		text := oneLine(readable(raw))
		if longerThan(text, chars) {
			at := runeIndex(text, chars)
			return append(append(b, text[:at]...), ellipsis...), utf8.RuneCountInString(text[at:])
		}
		return append(b, text...), 0
	}
	value, _ := rs.AsText(raw)
	if longerThan(value, chars+chars/4) {
		at := runeIndex(value, chars)
		return append(appendQuoted(b, manyLines(value[:at])), ellipsis...), utf8.RuneCountInString(value[at:])
	}
	if value = manyLines(value); plainCell(value) {
		return append(b, value...), 0
	}
	return appendQuoted(b, value), 0
}

// plainCell reports a text that a cell shows as it is: it is one line, and nobody can take it for another value, for two cells, or
// for more than a value.
func plainCell(s string) bool {
	if s == "" || s == "null" || s == "true" || s == "false" || strings.ContainsAny(s, "|\"{}[]<>=\\\n\t`") || strings.Contains(s, ": ") ||
		s[0] == '(' || s[0] == ' ' || s[len(s)-1] == ' ' || !printable(s) {
		return false
	}
	return strings.Trim(s, "0123456789+-.eE") != "" // else a number could be meant
}

// thousands is a number as people write it: 2,310.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
