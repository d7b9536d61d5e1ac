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

// Notices are lines for a person who waits. In a terminal, one that remains is replaced by the next: what was drawn stays in sight.
type Notices struct {
	Out        io.Writer
	InTerminal bool
	open       bool // the last line has no end yet
}

// Say shows a line, whose words may be another server's.
func (n *Notices) Say(format string, arguments ...any) {
	n.End()
	fmt.Fprintf(Visible{n.Out}, format+"\n", arguments...)
}

// Remain shows a line of ours.
func (n *Notices) Remain(line string) {
	if !n.InTerminal {
		n.Say("%s", line)
		return
	}
	n.open = true
	_, _ = io.WriteString(n.Out, "\r\x1b[K"+line)
}

// End ends the line that remains.
func (n *Notices) End() {
	if n.open {
		n.open = false
		_, _ = io.WriteString(n.Out, "\n")
	}
}
