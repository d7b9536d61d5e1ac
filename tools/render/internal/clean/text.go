package clean

import (
	"strconv"
	"strings"
	"unicode"
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
			return quoted(text)
		}
		return token
	})
}

// Name is a name exactly as it must be sent back: bare when that is unmistakable, else as a JSON string.
func Name(s string) string {
	if Unmistakable(s) {
		return s
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
		case !unicode.IsLetter(c) && !unicode.IsDigit(c), !Shows(c), isUnseen(c):
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
func Quote(s string) string { return string(AppendQuoted(make([]byte, 0, len(s)+2), s)) }

// AppendQuoted appends what [Quote] returns.
func AppendQuoted(b []byte, s string) []byte {
	return append(AppendEscaped(append(b, '"'), s), '"')
}

// AppendEscaped is the inside of it.
func AppendEscaped(b []byte, s string) []byte {
	for s != "" {
		if size := plainBytes(s); size > 0 {
			b, s = append(b, s[:size]...), s[size:]
			continue
		}
		c, size := utf8.DecodeRuneInString(s)
		size = max(size, flagBytes(s))
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

func appendEscape(b []byte, c rune) []byte {
	const hex = "0123456789abcdef"
	if c > 0xFFFF {
		c -= 0x10000
		b, c = appendEscape(b, 0xD800+c>>10), 0xDC00+c&0x3FF
	}
	return append(b, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
}

// Cell is what [AppendCell] appends.
func Cell(raw string, chars int) string {
	b, _ := AppendCell(nil, raw, chars)
	return string(b)
}

// AppendCell appends a value as a table shows it: a text bare when nothing else could be meant, else as JSON; a long value in its first
// chars characters. left is how many characters are not shown.
func AppendCell(b []byte, raw string, chars int) (_ []byte, left int) {
	switch rs.Kind(raw) {
	case "nothing", "null":
		return append(b, "null"...), 0
	case "number", "boolean", "array", "object":
		text := Line(Readable(raw))
		if LongerThan(text, chars) {
			at := RuneIndex(text, chars)
			return append(append(b, text[:at]...), "…"...), utf8.RuneCountInString(text[at:])
		}
		return append(b, text...), 0
	}
	value, _ := rs.AsText(raw)
	if LongerThan(value, chars+chars/4) {
		at := RuneIndex(value, chars)
		return append(AppendQuoted(b, Lines(value[:at])), "…"...), utf8.RuneCountInString(value[at:])
	}
	if value = Lines(value); PlainCell(value) {
		return append(b, value...), 0
	}
	return AppendQuoted(b, value), 0
}

// PlainCell reports a text that a cell shows as it is: it is one line, and cannot be taken for another value, for two cells, or
// for more than a value.
func PlainCell(s string) bool {
	if s == "" || s == "~" || s == "null" || s == "true" || s == "false" || strings.ContainsAny(s, "|\"{}[]<>=\\\n\t`") || strings.Contains(s, ": ") || strings.Contains(s, "(+") ||
		s[0] == '(' || s[0] == ' ' || s[len(s)-1] == ' ' || !printable(s) {
		return false
	}
	return strings.Trim(s, "0123456789+-.eE") != "" // else a number could be meant
}
