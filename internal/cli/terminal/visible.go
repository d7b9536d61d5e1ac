// Package terminal writes what a person sees who runs a command, and notices when nobody reads it.
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

// A Visible writer escapes what would steer a terminal or reorder its text: every control character except line breaks and tabs,
// every bidirectional control, line and paragraph separator, tag and deprecated format character, such as \u202e. JSON stays the
// same value. Bytes that are not UTF-8 become U+FFFD. A write must not end within a character.
type Visible struct{ Out io.Writer }

// Write returns the length of text when all of it was written.
func (v Visible) Write(text []byte) (int, error) {
	if utf8.Valid(text) && !bytes.ContainsFunc(text, steers) {
		return v.Out.Write(text)
	}
	var b strings.Builder
	for _, r := range string(text) { // of invalid bytes it makes U+FFFD
		switch high, low := utf16.EncodeRune(r); {
		case !steers(r):
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

func steers(r rune) bool {
	if r >= ' ' && r <= '~' { // nearly all that is logged
		return false
	}
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) ||
		r >= 0x206A && r <= 0x206F || r >= 0xE0000 && r <= 0xE007F
}
