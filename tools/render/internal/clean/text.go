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

// Clip returns the first max runes of s; if it truncates, the last of them is "…".
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
	return len(s) > max && RuneIndex(s, max) < len(s)
}

// RuneIndex returns the byte index of the n-th rune of s, or its length.
func RuneIndex(s string, n int) int {
	index, _ := RuneCountIndex(s, n)
	return index
}

// Preview returns a record's text cleaned, on one line, and clipped to max runes.
func Preview(s string, max int) string {
	// Do not clean many megabytes when only the start is shown.
	if cut := max*8 + 256; len(s) > cut {
		s = strings.ToValidUTF8(s[:cut], "") + "…"
	}
	return Clip(Line(s), max)
}

// Readable returns JSON without needless \u escapes in its strings. Many servers escape each letter beyond ASCII, which takes three times
// the bytes and is hard to read.
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

// Name returns a name exactly as it must be sent back: bare if that is unmistakable, else as a JSON string.
func Name(s string) string {
	switch {
	case Unmistakable(s):
		return s
	case s == "": // common, as callers often discard the result
		return `""`
	}
	return `"` + Visible(s) + `"`
}

// Unmistakable reports whether a name cannot be taken for more than a name: it has only letters, digits and a few signs.
func Unmistakable(name string) bool {
	for i, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c <= '~':
			if strings.IndexByte("_-.:/@+#~", name[i]) < 0 {
				return false
			}
		case !unicode.IsLetter(c) && !unicode.IsDigit(c), !Shows(c), rs.IsInvisibleModifier(c):
			return false
		}
	}
	return name != ""
}

// Bare returns a label as is, or quoted if it could be taken for more than a label.
func Bare(label string) string {
	if strings.ContainsAny(label, "|\"=:;,{}<>\\") {
		return Quote(label)
	}
	return label
}

// Quote returns s as a JSON string in which every character that does not print is escaped, so that it can be part of a line of the
// adapter and still be sent back exactly.
func Quote(s string) string {
	if s == "" {
		return `""`
	}
	b := append(make([]byte, 0, 128), '"') // enough for most without an allocation
	return string(append(AppendEscaped(b, s), '"'))
}

// AppendEscaped appends what [Quote] writes between the quotes.
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

// Visible replaces the characters of a name that do not print by visible escapes, so that the name can be copied into JSON. If [Lines]
// would still remove something, it escapes everything that is neither ASCII nor ordinary.
func Visible(name string) string {
	escaped := string(AppendEscaped(nil, name))
	if Lines(escaped) == escaped {
		return escaped
	}
	return Escaped(escaped, func(c rune) bool { return c > '~' && !IsOrdinary(c) })
}

// plainBytes returns how many bytes at the start of s are ASCII that needs no escape.
func plainBytes(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

// prints reports whether a line shows a character as is, which includes joiners (D19).
func prints(c rune) bool {
	return c >= ' ' && c <= '~' || Shows(c) && (strconv.IsGraphic(c) && !unicode.IsSpace(c) || unicode.Is(unicode.Cf, c))
}

// printable reports whether a line shows a clean text as is, apart from quotes and backslashes. A tag in it is part of a flag.
func printable(s string) bool {
	for _, c := range s {
		if !prints(c) && !isTag(c) {
			return false
		}
	}
	return true
}

// Escaped returns a text with the characters for which is holds escaped as in JSON.
func Escaped(s string, is func(c rune) bool) string {
	if !strings.ContainsFunc(s, is) {
		return s
	}
	var b []byte
	for _, c := range s {
		if is(c) {
			b = appendEscape(b, c)
		} else {
			b = utf8.AppendRune(b, c)
		}
	}
	return string(b)
}

// IsOtherSpace reports whether a character is a space other than U+0020.
func IsOtherSpace(c rune) bool { return c != ' ' && unicode.Is(unicode.Zs, c) }

func appendEscape(b []byte, c rune) []byte {
	for _, unit := range utf16.AppendRune(nil, c) {
		b = fmt.Appendf(b, `\u%04x`, unit)
	}
	return b
}

// Cell returns a value as a table shows it: a text bare if it is unambiguous, else as JSON; of a long value the first chars characters.
// left is how many characters are not shown.
func Cell(raw string, chars int) (cell string, left int) {
	b, left := AppendCell(make([]byte, 0, 128), raw, chars) // enough for most without an allocation
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

// ShownText returns a text as a cell shows it: bare if it is one line and cannot be taken for another value, for two cells, or for more
// than a value; else quoted.
func ShownText(s string) string {
	isWord := s == "" || s == "~" || s == "null" || s == "true" || s == "false"
	isNumber := strings.Trim(s, "0123456789+-.eE") == ""
	if isWord || isNumber || s[0] == '(' || s[0] == ' ' || s[len(s)-1] == ' ' || strings.ContainsAny(s, "|\"{}[]<>=\\\n\t`") ||
		strings.Contains(s, ": ") || strings.Contains(s, "(+") || !printable(s) {
		return Quote(s)
	}
	return s
}
