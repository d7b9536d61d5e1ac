package render

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Text that comes from a record is somebody else's: every piece of it passes oneLine or manyLines before it is
// shown, so that it can neither steer a terminal nor forge a line of ours (D19).

// oneLine returns s with its white space collapsed to single spaces and without characters that must not reach a host.
func oneLine(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	write := func(text string) {
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteString(text)
	}
	for len(s) > 0 {
		c, size := utf8.DecodeRuneInString(s)
		if flag := flagBytes(s); flag > 0 {
			size = flag
			write(s[:flag])
		} else if unicode.IsSpace(c) {
			space = b.Len() > 0
		} else if shown(c) {
			write(string(c))
		}
		s = s[size:]
	}
	return b.String()
}

// manyLines returns s with its line breaks and tabs, without characters that must not reach a host.
func manyLines(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		c, size := utf8.DecodeRuneInString(s)
		if flag := flagBytes(s); flag > 0 {
			size = flag
			b.WriteString(s[:flag])
		} else if c == '\n' || c == '\t' || shown(c) {
			b.WriteRune(c)
		}
		s = s[size:]
	}
	return b.String()
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

// shown reports whether a character of a record may reach a host.
func shown(c rune) bool {
	switch {
	case unicode.IsControl(c):
		return false
	case c >= 0x202A && c <= 0x202E, c >= 0x2066 && c <= 0x2069: // bidi embeddings, overrides and isolates
		return false
	case c >= 0xE0000 && c <= 0xE007F: // tag characters; see flagStart
		return false
	case c == '\u2028', c == '\u2029', c == '\uFEFF':
		return false
	}
	return true
}

// clip returns the first max runes of s; when it cuts, the last of them is "…".
func clip(s string, max int) string {
	if !longerThan(s, max) {
		return s
	}
	if max < 1 {
		return ""
	}
	return strings.TrimRight(s[:runeIndex(s, max-1)], " ") + "…"
}

// longerThan reports whether s has more than max runes.
func longerThan(s string, max int) bool { return len(s) > max && utf8.RuneCountInString(s) > max }

// runeIndex returns the byte index of the n-th rune of s, or its length.
func runeIndex(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// preview is a record's text as it stands inside a line of ours.
func preview(s string, max int) string {
	// A text of many megabytes is not cleaned as a whole when only its start is shown.
	if cut := max*8 + 256; len(s) > cut {
		s = strings.ToValidUTF8(s[:cut], "") + "…"
	}
	return clip(oneLine(s), max)
}

// name is a name exactly as it must be sent back: bare when that is unmistakable, else as a JSON string.
func name(s string) string {
	if s == "" {
		return `""`
	}
	for _, c := range s {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-.:/@+#~", c) {
			return quote(s)
		}
	}
	return s
}

// quote returns s as a JSON string in which every character that does not print is escaped, so that it can stand in a
// line of ours and still be sent back exactly.
func quote(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == ' ' || (unicode.IsGraphic(c) && !unicode.IsSpace(c)):
			b = utf8.AppendRune(b, c)
		case c > 0xFFFF:
			c -= 0x10000
			b = appendEscape(appendEscape(b, 0xD800+c>>10), 0xDC00+c&0x3FF)
		default:
			b = appendEscape(b, c)
		}
	}
	return string(append(b, '"'))
}

func appendEscape(b []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}

// encode returns v as JSON; <mark> stays legible.
func encode(v any) json.RawMessage { return rs.EncodeJSON(v) }

// arguments is the JSON object of a call, in the order in which it was built. The zero value is {}.
type arguments struct{ b []byte }

func (a *arguments) put(key, value string) *arguments {
	if len(a.b) > 0 {
		a.b = append(a.b, ',')
	}
	a.b = append(a.b, quote(key)...)
	a.b = append(a.b, ':')
	a.b = append(a.b, value...)
	return a
}

// text adds a string unless it is empty.
func (a *arguments) text(key, value string) *arguments {
	if value == "" {
		return a
	}
	return a.put(key, quote(value))
}

// number adds a number unless it is zero.
func (a *arguments) number(key string, value int) *arguments {
	if value == 0 {
		return a
	}
	return a.put(key, strconv.Itoa(value))
}

// rest adds members as they were sent.
func (a *arguments) rest(members rs.Object) *arguments {
	for _, m := range members {
		var compact bytes.Buffer
		if json.Compact(&compact, m.Value) == nil && compact.String() != "null" {
			a.put(m.Name, compact.String())
		}
	}
	return a
}

// list adds strings unless there are none.
func (a *arguments) list(key string, values []string) *arguments {
	if len(values) == 0 {
		return a
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	return a.put(key, "["+strings.Join(quoted, ",")+"]")
}

func (a *arguments) String() string          { return "{" + string(a.b) + "}" }
func (a *arguments) json() json.RawMessage   { return json.RawMessage(a.String()) }
func (a *arguments) call(tool string) string { return tool + " " + a.String() }

// plural is "1 record" or "2 records".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
