package clean

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Clip returns the first max runes of s; when it cuts, the last of them is "…".
func Clip(s string, max int) string {
	if !LongerThan(s, max) {
		return s
	}
	if max < 1 {
		return ""
	}
	return strings.TrimRight(s[:RuneIndex(s, max-1)], " ") + "…"
}

// LongerThan reports whether s has more than max runes.
func LongerThan(s string, max int) bool {
	return len(s) > max && (len(s) > max*utf8.UTFMax || utf8.RuneCountInString(s) > max)
}

// RuneIndex returns the byte index of the n-th rune of s, or its length.
func RuneIndex(s string, n int) int {
	index, _ := RuneCountIndex(s, n)
	return index
}

// Preview is a record's text as it stands inside a line of ours.
func Preview(s string, max int) string {
	// A text of many megabytes is not cleaned as a whole when only its start is shown.
	if cut := max*8 + 256; len(s) > cut {
		s = strings.ToValidUTF8(s[:cut], "") + "…"
	}
	return Clip(Line(s), max)
}

// Readable is JSON whose texts stand as they read: many a server writes each letter beyond ASCII as an escape, which takes
// three times the bytes and is hard to read.
func Readable(raw string) string {
	if !strings.Contains(raw, `\u`) {
		return raw
	}
	return replaceStrings(raw, func(token, _ string) string {
		if text, ok := rs.AsText(token); ok && strings.Contains(token, `\u`) {
			return rs.EncodeJSON(text)
		}
		return token
	})
}

// Name is a name exactly as it must be sent back: bare when that is unmistakable, else as a JSON string.
func Name(s string) string {
	switch {
	case Unmistakable(s):
		return s
	case s == "": // as most of those are that an answer does not use
		return `""`
	}
	return `"` + Visible(s) + `"`
}

// Unmistakable reports a name that cannot be taken for more than a name: it has letters, digits and a few signs alone.
func Unmistakable(name string) bool {
	for i, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c < utf8.RuneSelf:
			if strings.IndexByte("_-.:/@+#~", name[i]) < 0 {
				return false
			}
		case !unicode.IsLetter(c) && !unicode.IsDigit(c), !Shows(c), rs.IsUnseen(c):
			return false
		}
	}
	return name != ""
}

// Bare is a label as it reads best: as it is, unless it could be taken for more than a label.
func Bare(label string) string {
	if strings.ContainsAny(label, "|\"=:;,{}<>\\") {
		return Quote(label)
	}
	return label
}

// Quote returns s as a JSON string in which every character that does not print is escaped, so that it can stand in a
// line of ours and still be sent back exactly.
func Quote(s string) string {
	if s == "" {
		return `""`
	}
	b := append(make([]byte, 0, 128), '"') // which most fit into, without an allocation
	return string(append(AppendEscaped(b, s), '"'))
}

// AppendEscaped appends the inside of it.
func AppendEscaped(b []byte, s string) []byte {
	for s != "" {
		if size := plainBytes(s); size > 0 {
			b, s = append(b, s[:size]...), s[size:]
			continue
		}
		c, size := utf8.DecodeRuneInString(s)
		if c == blackFlag {
			size = max(size, flagBytes(s))
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case prints(c):
			b = append(b, strings.ToValidUTF8(s[:size], "\uFFFD")...)
		default:
			b = appendEscape(b, c)
		}
		s = s[size:]
	}
	return b
}

// Visible writes what does not print in a name as a visible escape, so that the name copied into JSON is the name. If a part of it would
// go otherwise, everything that is not ordinary is escaped.
func Visible(name string) string {
	escaped := string(AppendEscaped(nil, name))
	if Lines(escaped) == escaped {
		return escaped
	}
	var b []byte
	for _, c := range escaped {
		if c < utf8.RuneSelf || IsOrdinary(c) {
			b = utf8.AppendRune(b, c)
		} else {
			b = appendEscape(b, c)
		}
	}
	return string(b)
}

// plainBytes is how many bytes at the start of s are ASCII that a quotation shows as it is.
func plainBytes(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

// prints reports a character that a line shows as it is, joiners among them (D19).
func prints(c rune) bool {
	return c >= ' ' && c <= '~' || Shows(c) && (strconv.IsGraphic(c) && !unicode.IsSpace(c) || unicode.Is(unicode.Cf, c))
}

// printable reports a clean text that a line shows as it is, but for quotes and backslashes. A tag in it is part of a flag.
func printable(s string) bool {
	for _, c := range s {
		if !prints(c) && !isTag(c) {
			return false
		}
	}
	return true
}

// EscapedSpaces is a text in which the spaces that are no plain ones are escaped, as they may be in JSON.
func EscapedSpaces(s string) string {
	if !strings.ContainsFunc(s, isOtherSpace) {
		return s
	}
	var b []byte
	for _, c := range s {
		if isOtherSpace(c) {
			b = appendEscape(b, c)
		} else {
			b = utf8.AppendRune(b, c)
		}
	}
	return string(b)
}

func isOtherSpace(c rune) bool { return c > '~' && unicode.Is(unicode.Zs, c) }

func appendEscape(b []byte, c rune) []byte {
	for _, unit := range utf16.AppendRune(nil, c) {
		b = fmt.Appendf(b, `\u%04x`, unit)
	}
	return b
}

// Cell is a value as a table shows it: a text bare when nothing else could be meant, else as JSON; a long value in its first chars
// characters. left is how many characters are not shown.
func Cell(raw string, chars int) (cell string, left int) {
	b, left := AppendCell(make([]byte, 0, 128), raw, chars) // which most fit into, without an allocation
	return string(b), left
}

// AppendCell appends what [Cell] returns.
func AppendCell(b []byte, raw string, chars int) (_ []byte, left int) {
	switch rs.Kind(raw) {
	case "nothing", "null":
		return append(b, "null"...), 0
	case "string":
		text, _ := rs.AsText(raw)
		if !LongerThan(text, chars+chars/4) {
			return append(b, ShownText(Lines(text))...), 0
		}
		at := RuneIndex(text, chars)
		return append(AppendEscaped(append(b, '"'), Lines(text[:at])), `"…`...), utf8.RuneCountInString(text[at:])
	}
	text := Line(Readable(raw))
	if at := RuneIndex(text, chars); at < len(text) {
		return append(append(b, text[:at]...), "…"...), utf8.RuneCountInString(text[at:])
	}
	return append(b, text...), 0
}

// ShownText is a text in a cell: bare when nothing else could be meant, which is one line, and cannot be taken for another value, for two
// cells, or for more than a value.
func ShownText(s string) string {
	isWord := s == "" || s == "~" || s == "null" || s == "true" || s == "false"
	isNumber := strings.Trim(s, "0123456789+-.eE") == ""
	if isWord || isNumber || s[0] == '(' || s[0] == ' ' || s[len(s)-1] == ' ' || strings.ContainsAny(s, "|\"{}[]<>=\\\n\t`") ||
		strings.Contains(s, ": ") || strings.Contains(s, "(+") || !printable(s) {
		return Quote(s)
	}
	return s
}
