package rs

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsInvisible reports whether a character is invisible and has no effect on visible text, so that its only use is to hide a word or a
// message from a reader: soft hyphen, zero width space and word joiner, the invisible operators of formulas, the fillers of old Korean
// encodings, and the code points that Unicode reserves for more of them.
func IsInvisible(c rune) bool {
	return c == '\u00AD' || c == '\u200B' || c >= 0x2060 && c <= 0x2065 || c == '\u3164' || c == '\uFFA0' || c >= 0xFFF0 && c <= 0xFFF8
}

// IsInvisibleModifier reports whether a character is invisible but changes its neighbours: joiners, directional marks, Mongolian selectors.
// Some scripts need a few; many in a row, or between two ASCII letters, change nothing and can spell a hidden message.
func IsInvisibleModifier(c rune) bool {
	switch {
	case c < 0x180B:
		return c == 0x034F || c == 0x061C || c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5
	case c <= 0xFFFB:
		return c <= 0x180F || c >= 0x200C && c <= 0x200F || c >= 0xFFF9
	}
	return c >= 0x1BCA0 && c <= 0x1BCA3 || c >= 0x1D173 && c <= 0x1D17A
}

// maxString is the most bytes that a control string may have, such as a hyperlink's address.
const maxString = 4096

// escapeSequence matches a terminal sequence with seven-bit or eight-bit controls. An unterminated one does not match: its first character
// is removed like any control, and no text is lost.
var escapeSequence = regexp.MustCompile(`^(?:` +
	`(?:\x1b\[|\x{9b})[ -?]{0,62}[@-~]|` + // a control sequence
	`(?:\x1b[PX\]^_]|[\x{90}\x{98}\x{9d}-\x{9f}])[^\p{Cc}]*(?:\a|\x1b\\|\x{9c})|` + // a control string
	`\x1b(?:[ -/]{1,63}[0-~]|[0-OQ-WYZ\\\x60-~]))`, // any other
)

// EscapeBytes returns the length in bytes of the terminal sequence that a text begins with, or 0.
func EscapeBytes(s string) int { return len(escapeSequence.FindString(s[:min(len(s), 2+maxString)])) }

// isRemoved reports whether [line] drops a character: controls, bidirectional controls and invisible characters (D19).
func isRemoved(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0xE0000 && r <= 0xE007F || r == '\uFEFF' || IsInvisible(r)
}

// Clip returns the first characters of a text, at most so many, with an ellipsis if there are more.
func Clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// maxLineBytes is how much of a text is made one line. A server can send megabytes, and 8 MiB of terminal sequences take four seconds.
const maxLineBytes = 64 << 10

// line makes another server's text one line, without terminal sequences, and without invisible characters, which could separate the parts
// of a token. It reads the first maxLineBytes.
func line(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxLineBytes)], "")
	isChanged := func(r rune) bool { return unicode.IsSpace(r) || isRemoved(r) || IsInvisibleModifier(r) }
	if !strings.ContainsFunc(text, isChanged) { // as in an id
		return text
	}
	out := make([]byte, 0, len(text))
	isASCII := func(b []byte) bool { return len(b) > 0 && b[len(b)-1] < utf8.RuneSelf }
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		shown := text[:size]
		switch {
		case unicode.IsControl(r) && EscapeBytes(text) > 0:
			size, shown = EscapeBytes(text), ""
		case unicode.IsSpace(r):
			shown = " "
		case isRemoved(r):
			shown = ""
		case r <= '~':
			if before := bytes.TrimRightFunc(out, IsInvisibleModifier); isASCII(before) { // joiners have no effect between ASCII characters
				out = before
			}
		}
		out, text = append(out, shown...), text[size:]
	}
	return strings.Join(strings.Fields(string(out)), " ")
}
