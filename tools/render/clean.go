package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Text that comes from a record is somebody else's. What steers a terminal, hides text from a reader or floods a screen
// never reaches a host, on either channel; line breaks, tabs, joiners, emoji and every script do (D19).

// Removed counts the characters that were taken out of an answer, by what they were.
type Removed struct {
	Control   int `json:"control,omitempty"`         // C0 and C1 controls, byte order marks, noncharacters, invisible break hints
	Escape    int `json:"escape_sequence,omitempty"` // characters of terminal sequences (ECMA-48), parameters and all
	Bidi      int `json:"bidi_control,omitempty"`    // embeddings, overrides, isolates
	Tag       int `json:"tag,omitempty"`             // tag characters outside an emoji flag
	Combining int `json:"combining,omitempty"`       // marks beyond maxMarks on one letter, and repeated variation selectors
	Invalid   int `json:"invalid,omitempty"`         // bytes that are no UTF-8 and lone surrogates, shown as U+FFFD
}

// Total is the number of all characters removed.
func (r Removed) Total() int {
	return r.Control + r.Escape + r.Bidi + r.Tag + r.Combining + r.Invalid
}

// maxMarks is how many combining marks one letter keeps. No living script needs as many; a flood has thousands.
const maxMarks = 10

// Clean returns the result as it may reach a host, and what the response that it was made from lost on the way: the same
// for both channels. The text of a document stays its structured result, byte for byte (D3).
func (r Result) Clean(response *rs.Response) Result {
	body := response.Body
	dirty, structured := dirtyJSON(body), r.Structured
	if dirty || !holds(structured, body) {
		structured = new(Removed).json(r.Structured, visible)
	}
	if len(structured) > StructuredHard { // escapes are longer than what they stand for
		structured = new(Removed).json(r.Structured, plainly)
	}
	if mirrored := r.Text == string(r.Structured); !mirrored {
		r.Text = manyLines(r.Text)
	} else if r.Text != string(structured) {
		r.Text = string(structured)
	}
	r.Structured = structured
	var removed Removed
	if dirty {
		removed.json([]byte(body), plainly)
	}
	if removed.Total() > 0 {
		meta := map[string]any{"pdpp/removed_characters": removed}
		for key, value := range r.Meta {
			meta[key] = value
		}
		r.Meta = meta
	}
	return r
}

// holds reports whether a structured result is a body as it came, as the data of an object, and little else of which none has to go.
func holds(structured json.RawMessage, body string) bool {
	rest, ok := bytes.CutPrefix(structured, []byte(`{"data":`))
	return ok && len(rest) > len(body) && string(rest[:len(body)]) == body && !dirtyJSON(rest[len(body):])
}

// manyLines returns s with its line breaks and tabs, without characters that must not reach a host.
func manyLines(s string) string { return new(Removed).text(s) }

// oneLine returns s with its white space collapsed to single spaces and without characters that must not reach a host.
func oneLine(s string) string { return new(texts).oneLine(s) }

// oneLine is the same, written into t where anything has to be written at all.
func (t *texts) oneLine(s string) string {
	s = strings.Trim(s, " ")
	run := linePrefix(s)
	if run == len(s) {
		return s
	}
	s, run = manyLines(s), 0
	s = strings.TrimSpace(s)
	gap := gapIndex(s, min(run, len(s)))
	if gap < 0 {
		return s
	}
	start := t.b.Len()
	t.b.Grow(len(s))
	for ; gap >= 0; gap = gapIndex(s, 0) {
		t.b.WriteString(s[:gap])
		t.b.WriteByte(' ')
		s = strings.TrimLeftFunc(s[gap:], unicode.IsSpace)
	}
	t.b.WriteString(s)
	return t.since(start)
}

// gapIndex is where the first white space begins that is other than a single space, or -1. There is none before a place.
func gapIndex(s string, from int) int {
	for i := from + linePrefix(s[from:]); i < len(s); i += linePrefix(s[i:]) {
		c, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(c) {
			return len(strings.TrimSuffix(s[:i], " "))
		}
		i += size
	}
	return -1
}

// text returns s without the characters that must not reach a host, and counts them. What it returns it would return
// again unchanged.
func (r *Removed) text(s string) string {
	from := dirty(s, false)
	if from < 0 {
		return s
	}
	from = letterBefore(s, from)
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:from])
	s = s[from:]
	marks := 0 // on the letter that was written last
	selected := false
	for len(s) > 0 {
		c, size := utf8.DecodeRuneInString(s)
		switch {
		case c == utf8.RuneError && size == 1:
			r.Invalid++
			b.WriteRune(utf8.RuneError)
			marks, selected = 0, false
		case c == blackFlag && flagBytes(s) > 0:
			size = flagBytes(s)
			b.WriteString(s[:size])
			marks, selected = 0, false
		case escapeBytes(s) > 0:
			size = escapeBytes(s)
			r.Escape += utf8.RuneCountInString(s[:size])
		case isLineBreak(c):
			b.WriteByte('\n')
			marks, selected = 0, false
		case isVariationSelector(c):
			if selected || marks == maxMarks {
				r.Combining++
				break
			}
			selected = true
			marks++
			b.WriteString(s[:size])
		case isMark(c):
			if marks == maxMarks {
				r.Combining++
				break
			}
			marks++
			b.WriteString(s[:size])
		case c == '\r' && strings.HasPrefix(s, "\r\n"): // one line break, nothing is lost
		case c != '\t' && !shown(c):
			r.count(c)
		default:
			b.WriteString(s[:size])
			marks, selected = 0, false
		}
		s = s[size:]
	}
	return b.String()
}

func (r *Removed) count(c rune) {
	switch {
	case isBidiControl(c):
		r.Bidi++
	case isTag(c):
		r.Tag++
	default:
		r.Control++
	}
}

// visible writes what does not print in a name as a visible escape, so that the name copied into JSON is the name.
func visible(name string) string {
	escaped := quote(name)
	return manyLines(escaped[1 : len(escaped)-1])
}

// plainly leaves it out, as in any text.
func plainly(name string) string { return manyLines(name) }

// json returns a JSON text whose strings are clean, and counts what they lost. The names of members are cleaned by
// rename. A text that is clean, or that is no JSON, is returned as it is.
func (r *Removed) json(raw []byte, rename func(string) string) json.RawMessage {
	if !dirtyJSON(raw) {
		return raw
	}
	var out []byte
	done := 0 // bytes of raw that out stands for
	for at := 0; ; {
		start := bytes.IndexByte(raw[at:], '"')
		if start < 0 {
			break
		}
		start += at
		length := stringBytes(raw[start:])
		if length == 0 {
			break
		}
		at = start + length
		token := raw[start:at]
		if !dirtyJSON(token) {
			continue
		}
		text, ok := rs.AsText(string(token))
		if !ok {
			continue
		}
		invalid := loneSurrogates(token) + invalidBytes(token)
		clean := r.text(text)
		if clean == text && invalid == 0 {
			continue
		}
		r.Invalid += invalid
		if clean != text && bytes.HasPrefix(bytes.TrimLeft(raw[at:], " \t\r\n"), []byte{':'}) {
			clean = rename(text)
		}
		out = rs.AppendText(append(out, raw[done:start]...), clean)
		done = at
	}
	if done == 0 {
		return raw
	}
	return append(out, raw[done:]...)
}

// stringBytes is the length of the JSON string at the start of raw, or 0 when it has no end.
func stringBytes[T ~string | ~[]byte](raw T) int {
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

// loneSurrogates counts the escapes of a JSON string that are half a character.
func loneSurrogates(token []byte) int {
	lone, high := 0, false
	for i := 0; i < len(token); i++ {
		unit := rune(-1)
		if token[i] == '\\' && i+1 < len(token) {
			i++
			if token[i] == 'u' && i+4 < len(token) {
				unit = hexUnit(token[i+1 : i+5])
				i += 4
			}
		}
		low := unit >= 0xDC00 && unit <= 0xDFFF
		if high != low { // a first half without its second, or a second half without its first
			lone++
		}
		high = unit >= 0xD800 && unit <= 0xDBFF
	}
	return lone
}

func hexUnit(digits []byte) rune {
	unit := rune(0)
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			unit = unit<<4 | rune(c|0x20-'a'+10)
		}
	}
	return unit
}

func invalidBytes(token []byte) int {
	n := 0
	for len(token) > 0 {
		c, size := utf8.DecodeRune(token)
		if c == utf8.RuneError && size == 1 {
			n++
		}
		token = token[size:]
	}
	return n
}

// dirty returns the index of the first character of a text, or of JSON, that may have to go, as it is or as an escape, or -1.
// Most texts have none, and are then not copied.
func dirty[T ~string | ~[]byte](text T, isJSON bool) int {
	marks := 0
	for i := 0; i < len(text); {
		if run := ordinaryPrefix(text[i:]); run > 0 {
			i += run
			marks = 0
			continue
		}
		c, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
		switch {
		case c == '\\' && isJSON:
			if i+1 < len(text) && strings.IndexByte("urbf", text[i+1]) >= 0 {
				return i
			}
			marks = 0
			size = 2
		case c == '\\', c == '\n', c == '\t':
			marks = 0
		case c == utf8.RuneError && size == 1, isLineBreak(c), !shown(c), isTag(c):
			return i
		case isMark(c):
			if marks++; marks > maxMarks || marks > 1 && isVariationSelector(c) {
				return i
			}
		default:
			marks = 0
		}
		i += size
	}
	return -1
}

// dirtyJSON reports whether a JSON text may hold a character that has to go.
func dirtyJSON[T ~string | ~[]byte](raw T) bool { return dirty(raw, true) >= 0 }

// letterBefore returns where the letter before i starts, whose marks may go up to there.
func letterBefore(s string, i int) int {
	for i > 0 {
		c, size := utf8.DecodeLastRuneInString(s[:i])
		if i -= size; !isMark(c) {
			break
		}
	}
	return i
}

func isMark(c rune) bool { return unicode.In(c, unicode.Mn, unicode.Me) }

// shown reports whether a character of a record may reach a host.
func shown(c rune) bool {
	return !unicode.IsControl(c) && !isBidiControl(c) && !isBreakHint(c) && !isTag(c) && c != '\u2028' && c != '\u2029' && c != '\uFEFF' &&
		(c < 0xFDD0 || c > 0xFDEF) && c&0xFFFE != 0xFFFE // noncharacters
}

// isBreakHint reports the characters that only say where a line may or may not end: soft hyphen, zero width space, word joiner. They
// show nothing, and hide a word or a message from who reads. The joiners U+200C and U+200D and the Mongolian vowel separator U+180E
// change how letters look, and are shown.
func isBreakHint(c rune) bool { return c == '\u00AD' || c == '\u200B' || c == '\u2060' }

// isLineBreak reports the line breaks beside "\n"; of "\r\n" the second character is enough.
func isLineBreak(c rune) bool {
	return c == '\n' || c == '\v' || c == '\f' || c == '\u0085' || c == '\u2028' || c == '\u2029'
}

func isBidiControl(c rune) bool {
	return c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x206F // with the deprecated format characters behind them
}

func isTag(c rune) bool { return c >= 0xE0000 && c <= 0xE007F }

func isVariationSelector(c rune) bool {
	return c >= 0xFE00 && c <= 0xFE0F || c >= 0xE0100 && c <= 0xE01EF
}

const (
	escapeCharacter = '\x1b'
	bell            = '\a'
	del             = 0x7F
	stringEnd       = '\u009c'
	maxSequence     = 64   // bytes of a control sequence
	maxString       = 4096 // bytes of a control string, such as a hyperlink's address
)

// escapeBytes is the length of the terminal sequence that s starts with, or 0. A sequence that does not end is none:
// its first character is removed as any control, and no text is lost.
func escapeBytes(s string) int {
	c, at := utf8.DecodeRuneInString(s)
	sevenBit := c == escapeCharacter && len(s) > 1 && s[1] >= 0x40 && s[1] <= 0x5F
	switch {
	case sevenBit: // stands for a C1 control
		c, at = rune(s[1])+0x40, 2
	case c == escapeCharacter && len(s) > 1:
		return finalByte(s, 1, 0x20, 0x2F, 0x30)
	}
	switch c {
	case 0x9B: // control sequence introducer
		return finalByte(s, at, 0x20, 0x3F, 0x40)
	case 0x90, 0x98, 0x9D, 0x9E, 0x9F: // device control, start of string, operating system command, privacy message, program command
		return controlString(s, at)
	}
	if sevenBit {
		return at
	}
	return 0
}

// finalByte returns where a sequence ends that goes on with bytes from low to high and ends with one from final to '~'.
func finalByte(s string, at int, low, high, final byte) int {
	for at < len(s) && at < maxSequence && s[at] >= low && s[at] <= high {
		at++
	}
	if at < len(s) && s[at] >= final && s[at] <= '~' {
		return at + 1
	}
	return 0
}

// controlString returns where a control string ends.
func controlString(s string, at int) int {
	for i, c := range s[at:min(len(s), at+maxString)] {
		switch {
		case c == bell:
			return at + i + 1
		case c == stringEnd:
			return at + i + len(string(stringEnd))
		case c == escapeCharacter && strings.HasPrefix(s[at+i+1:], `\`):
			return at + i + 2
		case unicode.IsControl(c):
			return 0
		}
	}
	return 0
}

// The parts of an emoji flag of a region, such as Scotland: a black flag, tag letters and digits, a cancel tag
// (Unicode Technical Standard 51, ED-14a). Tag characters anywhere else are invisible text and are not shown (D19).
const (
	blackFlag = '\U0001F3F4'
	cancelTag = '\U000E007F'
)

// flagBytes returns the length in bytes of the emoji flag that s starts with, or 0.
func flagBytes(s string) int {
	length, whole := flagStart(s)
	if !whole {
		return 0
	}
	return length
}

// flagStart returns how many bytes at the start of s belong to an emoji flag, and whether the flag ends there.
func flagStart(s string) (length int, whole bool) {
	const most = 8 // a region's code has at most six characters
	for i, c := range s {
		switch {
		case i == 0 && c != blackFlag, length > most*4:
			return 0, false
		case i == 0 || c >= 0xE0030 && c <= 0xE0039 || c >= 0xE0061 && c <= 0xE007A:
			length = i + utf8.RuneLen(c)
		case c == cancelTag && length > 4:
			return i + utf8.RuneLen(c), true
		default:
			return 0, false
		}
	}
	return length, false
}

// openFlag returns the byte index at which s ends in the beginning of an emoji flag, or its length.
func openFlag(s string) int {
	if i := strings.LastIndex(s, string(blackFlag)); i >= 0 {
		if length, whole := flagStart(s[i:]); !whole && length > 0 && i+length == len(s) {
			return i
		}
	}
	return len(s)
}
