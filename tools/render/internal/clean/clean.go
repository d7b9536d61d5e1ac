// Package clean prepares text from records for answers. It removes what steers a terminal or hides text (D19), and writes text on one line,
// quoted, or as the cell of a table.
package clean

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Text from a record is untrusted. Characters that steer a terminal, hide text from a reader or flood a screen never reach a host, on
// either channel. Line breaks, tabs, joiners, emoji and every script do (D19).

// Removed counts the characters that were removed from an answer, by kind.
type Removed struct {
	Control   int `json:"control,omitempty"`         // C0 and C1 controls, byte order marks, noncharacters, other invisible characters
	Escape    int `json:"escape_sequence,omitempty"` // characters of terminal sequences (ECMA-48), including parameters
	Bidi      int `json:"bidi_control,omitempty"`    // embeddings, overrides, isolates
	Tag       int `json:"tag,omitempty"`             // tag characters outside an emoji flag
	Combining int `json:"combining,omitempty"`       // marks beyond maxMarks on one letter, and variation selectors that select nothing
	Invalid   int `json:"invalid,omitempty"`         // bytes that are not UTF-8, and lone surrogates; shown as U+FFFD
}

// Total returns the number of all characters removed.
func (r Removed) Total() int {
	return r.Control + r.Escape + r.Bidi + r.Tag + r.Combining + r.Invalid
}

// maxMarks is how many combining marks one letter keeps. No living script needs as many; a flood has thousands.
const maxMarks = 10

// Lines returns s with its line breaks and tabs, without characters that must not reach a host.
func Lines(s string) string { return new(Removed).Text(s) }

// Line returns s with its white space collapsed to single spaces and without characters that must not reach a host.
func Line(s string) string {
	if !dirty(s, false) && strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\t') < 0 && !strings.Contains(s, "  ") {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.Fields(Lines(s)), " ")
}

// Text returns s without the characters that must not reach a host, and counts them. It is idempotent.
func (r *Removed) Text(s string) string {
	if !dirty(s, false) {
		return s
	}
	w := writer{Removed: *r, out: make([]byte, 0, len(s))}
	for len(s) > 0 {
		c, size := utf8.DecodeRuneInString(s)
		escape := 0
		if unicode.IsControl(c) {
			escape = rs.EscapeBytes(s)
		}
		switch {
		case c == utf8.RuneError && size == 1:
			w.Invalid++
			w.character(c, "\uFFFD")
		case c == blackFlag:
			size = max(size, flagBytes(s))
			w.character(c, s[:size])
		case escape > 0:
			size = escape
			w.Escape += utf8.RuneCountInString(s[:size])
		case strings.HasPrefix(s, "\r\n"): // one line break, nothing is lost
		case c == '\r', isLineBreak(c):
			w.character('\n', "\n")
		case rs.IsInvisibleModifier(c):
			w.joiner(c)
		case isMark(c):
			w.mark(c)
		case isBidiControl(c):
			w.Bidi++
		case isTag(c):
			w.Tag++
		case c != '\t' && !Shows(c):
			w.Control++
		default:
			w.character(c, s[:size])
		}
		s = s[size:]
	}
	*r = w.Removed
	return string(w.out)
}

// A writer writes the characters of a text that stay, and counts those that are removed.
type writer struct {
	Removed       // so far
	out           []byte
	last, before  rune // the last character written, and the one before the joiners at the end
	marks, unseen int  // marks on the last character written, and joiners after it
}

// character writes a character that is neither mark nor joiner. It removes joiners between two ASCII letters, where they only hide that the
// letters are one word.
func (w *writer) character(c rune, shown string) {
	if isASCIILetter(c) && isASCIILetter(w.before) {
		w.out = bytes.TrimRightFunc(w.out, rs.IsInvisibleModifier)
		w.Control += w.unseen
	}
	w.out, w.last, w.marks, w.unseen = append(w.out, shown...), c, 0, 0
}

func (w *writer) mark(c rune) {
	if w.marks == maxMarks || isVariationSelector(c) && !takesSelector(w.last, c) {
		w.Combining++
		return
	}
	w.out, w.last, w.marks, w.unseen = utf8.AppendRune(w.out, c), c, w.marks+1, 0
}

func (w *writer) joiner(c rune) {
	if w.unseen == maxInvisibleModifiers {
		w.Control++
		return
	}
	if w.unseen++; w.unseen == 1 {
		w.before = w.last
	}
	w.out, w.last, w.marks = utf8.AppendRune(w.out, c), c, 0
}

// JSON returns a JSON text with clean strings, and counts what they lost. The function rename cleans the names of members. A text that is
// clean or not JSON is returned unchanged.
func (r *Removed) JSON(raw string, rename func(string) string) string {
	if !DirtyJSON(raw) {
		return raw
	}
	return replaceStrings(raw, func(token, rest string) string {
		if !DirtyJSON(token) {
			return token
		}
		text, _ := rs.AsText(token)
		replaced := strings.Count(text, "\uFFFD") // lone surrogates, and characters U+FFFD that the server wrote
		if replaced > 0 {
			escapes := strings.ToLower(strings.ReplaceAll(token, `\\`, ""))
			r.Invalid += replaced - strings.Count(token, "\uFFFD") - strings.Count(escapes, `\ufffd`)
		}
		switch clean := r.Text(text); {
		case clean == text && replaced == 0:
			return token
		case clean != text && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":"):
			return rs.EncodeJSON(rename(text))
		default:
			return rs.EncodeJSON(clean)
		}
	})
}

// replaceStrings replaces the strings of a JSON text. The function replace gets each as it is written in raw, and what follows it.
func replaceStrings(raw string, replace func(token, rest string) string) string {
	var out []byte
	for {
		start := strings.IndexByte(raw, '"')
		length := 0
		if start >= 0 {
			length = stringBytes(raw[start:])
		}
		if length == 0 {
			return string(append(out, raw...))
		}
		token, rest := raw[start:start+length], raw[start+length:]
		out, raw = append(append(out, raw[:start]...), replace(token, rest)...), rest
	}
}

// stringBytes returns the length of the JSON string at the start of raw, or 0 if it has no end.
func stringBytes(raw string) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// isPlain has, for each byte, whether it is a printable ASCII character other than the backslash.
var isPlain = func() (plain [256]bool) {
	for c := ' '; c <= '~'; c++ {
		plain[c] = c != '\\'
	}
	return plain
}()

// dirty reports whether a text, or JSON, has a character that may have to be removed, literally or as an escape. Most texts have none and
// are not examined further.
func dirty(text string, isJSON bool) bool {
	for {
		i := 0
		for i < len(text) && isPlain[text[i]] {
			i++
		}
		if text = text[i:]; text == "" {
			return false
		}
		c, size := utf8.DecodeRuneInString(text)
		switch {
		case c == '\\' && isJSON && len(text) > 1:
			if strings.IndexByte("urbf", text[1]) >= 0 {
				return true
			}
			size = 2
		case c != '\\' && c != '\n' && c != '\t' && !IsOrdinary(c):
			return true
		}
		text = text[size:]
	}
}

// DirtyJSON reports whether a JSON text may contain a character that has to be removed.
func DirtyJSON(raw string) bool { return dirty(raw, true) }
