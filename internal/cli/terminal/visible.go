// Package terminal writes text and QR codes safely to the terminal of a command, and notices when its output is closed.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A Visible writer escapes, as in \u202e, characters that control a terminal or reorder its text: every control character except line
// breaks and tabs, and every bidirectional control, line or paragraph separator, tag and deprecated format character. JSON keeps its
// value. Bytes that are not UTF-8 become U+FFFD. A write must not end within a character.
type Visible struct{ Out io.Writer }

// Write writes text with escapes. It returns the length of text, before escaping, if all was written.
func (v Visible) Write(text []byte) (int, error) {
	if utf8.Valid(text) && !bytes.ContainsFunc(text, mustEscape) {
		return v.Out.Write(text)
	}
	var b strings.Builder
	for _, r := range string(text) { // invalid bytes become U+FFFD
		switch high, low := utf16.EncodeRune(r); {
		case !mustEscape(r):
			b.WriteRune(r)
		case high != utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	if _, err := io.WriteString(v.Out, b.String()); err != nil {
		return 0, err
	}
	return len(text), nil
}

func mustEscape(r rune) bool {
	if r >= ' ' && r <= '~' { // fast path for nearly every character
		return false
	}
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) ||
		r >= 0x206A && r <= 0x206F || r >= 0xE0000 && r <= 0xE007F
}
