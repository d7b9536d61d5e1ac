package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// texts are texts that are written one behind the other into one buffer.
type texts struct {
	b strings.Builder
}

// join makes a text of parts.
func (t *texts) join(parts ...string) string {
	start, size := t.b.Len(), 0
	for _, part := range parts {
		size += len(part)
	}
	t.b.Grow(size)
	for _, part := range parts {
		t.b.WriteString(part)
	}
	return t.since(start)
}

// since is what was written from some length on.
func (t *texts) since(start int) string { return t.b.String()[start:] }

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
func longerThan(s string, max int) bool {
	return len(s) > max && (len(s) > max*utf8.UTFMax || utf8.RuneCountInString(s) > max)
}

// runeIndex returns the byte index of the n-th rune of s, or its length.
func runeIndex(s string, n int) int {
	index, _ := runeCountIndex(s, n)
	return index
}

// preview is a record's text as it stands inside a line of ours.
func preview(s string, max int) string {
	// A text of many megabytes is not cleaned as a whole when only its start is shown.
	if cut := max*8 + 256; len(s) > cut {
		s = strings.ToValidUTF8(s[:cut], "") + "…"
	}
	return clip(oneLine(s), max)
}

// readable is JSON whose texts stand as they read: many a server writes each letter beyond ASCII as an escape, which takes
// three times the bytes and which nobody reads.
func readable(raw string) string {
	if !strings.Contains(raw, `\u`) {
		return raw
	}
	var b strings.Builder
	for len(raw) > 0 {
		start := strings.IndexByte(raw, '"')
		length := 0
		if start >= 0 {
			length = stringBytes(raw[start:])
		}
		if length == 0 {
			b.WriteString(raw)
			break
		}
		token := raw[start : start+length]
		if strings.Contains(token, `\u`) {
			if text, ok := rs.AsText(token); ok {
				token = encode(text)
			}
		}
		b.WriteString(raw[:start])
		b.WriteString(token)
		raw = raw[start+length:]
	}
	return b.String()
}

// name is a name exactly as it must be sent back: bare when that is unmistakable, else as a JSON string.
func name(s string) string {
	if unmistakable(s) {
		return s
	}
	return quote(s)
}

// shownName is name, or for one that is too long to be sent back its beginning and a note.
func shownName(s string) string {
	if len(s) <= longestName {
		return name(s)
	}
	return fmt.Sprintf("%s (%d bytes, cannot be named)", quote(clip(s, labelChars)), len(s))
}

func appendName(b []byte, s string) []byte {
	if unmistakable(s) {
		return append(b, s...)
	}
	return appendQuoted(b, s)
}

func unmistakable(name string) bool {
	for i, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c < utf8.RuneSelf:
			if strings.IndexByte("_-.:/@+#~", name[i]) < 0 {
				return false
			}
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			return false
		}
	}
	return name != ""
}

// bare is a label as it reads best: as it is, unless it could be taken for more than a label.
func bare(label string) string {
	if strings.ContainsAny(label, "|\"=:;{}<>\\") {
		return quote(label)
	}
	return label
}

// quote returns s as a JSON string in which every character that does not print is escaped, so that it can stand in a
// line of ours and still be sent back exactly.
func quote(s string) string { return string(appendQuoted(make([]byte, 0, len(s)+2), s)) }

func appendQuoted(b []byte, s string) []byte {
	return append(appendEscaped(append(b, '"'), s), '"')
}

// appendEscaped is the inside of it.
func appendEscaped(b []byte, s string) []byte {
	for s != "" {
		run := plainPrefix(s)
		b, s = append(b, s[:run]...), s[run:]
		if s == "" {
			break
		}
		if flag := flagBytes(s); flag > 0 {
			b, s = append(b, s[:flag]...), s[flag:]
			continue
		}
		c, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case prints(c):
			b = utf8.AppendRune(b, c)
		case c > 0xFFFF:
			c -= 0x10000
			b = appendEscape(appendEscape(b, 0xD800+c>>10), 0xDC00+c&0x3FF)
		default:
			b = appendEscape(b, c)
		}
	}
	return b
}

// prints reports a character that a line shows as it is, joiners among them (D19).
func prints(c rune) bool {
	return c == ' ' || strconv.IsGraphic(c) && !unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) && shown(c)
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

func appendEscape(b []byte, unit rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}

// encode returns v as JSON; <mark> stays legible.
func encode(v any) string {
	if text, ok := v.(string); ok && plainPrefix(text) == len(text) {
		return `"` + text + `"`
	}
	return rs.EncodeJSON(v)
}

// arguments is the JSON object of a call, or a part of a result, in the order in which it was built. The zero value is {}.
type arguments struct{ b []byte }

// put adds a member of any name.
func (a *arguments) put(name, value string) *arguments {
	a.comma()
	a.b = append(append(appendQuoted(a.b, name), ':'), value...)
	return a
}

// key begins a member. Its name is one of ours, in which nothing is to be escaped.
func (a *arguments) key(key string) {
	a.comma()
	a.b = append(append(append(a.b, '"'), key...), `":`...)
}

func (a *arguments) comma() {
	if len(a.b) == 0 {
		return
	}
	switch a.b[len(a.b)-1] {
	case '[', '{', ':', ',':
	default:
		a.b = append(a.b, ',')
	}
}

// open begins an object or an array, of no name when it is an element; shut ends it.
func (a *arguments) open(key string, bracket byte) *arguments {
	if key == "" {
		a.comma()
	} else {
		a.key(key)
	}
	a.b = append(a.b, bracket)
	return a
}

func (a *arguments) shut(bracket byte) *arguments {
	a.b = append(a.b, bracket)
	return a
}

// reopen takes back the bracket of an object, which then gets more members.
func (a *arguments) reopen() *arguments {
	a.b = a.b[:len(a.b)-1]
	return a
}

// text adds a string that can be copied from a line, unless it is empty.
func (a *arguments) text(key, value string) *arguments {
	if value == "" {
		return a
	}
	a.key(key)
	a.b = appendQuoted(a.b, value)
	return a
}

// plain adds a string as JSON usually has it.
func (a *arguments) plain(key, value string) *arguments {
	a.key(key)
	return a.value(value)
}

func (a *arguments) value(text string) *arguments {
	a.b = rs.AppendText(a.b, text)
	return a
}

// some is plain, unless the string is empty.
func (a *arguments) some(key, value string) *arguments {
	if value == "" {
		return a
	}
	return a.plain(key, value)
}

// number adds a number unless it is zero.
func (a *arguments) number(key string, value int) *arguments {
	if value == 0 {
		return a
	}
	return a.put(key, strconv.Itoa(value))
}

// rest adds members as they were sent.
func (a *arguments) rest(members object) *arguments {
	for _, m := range members {
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(m.Value)) == nil && compact.String() != "null" {
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

func (a *arguments) String() string { return "{" + string(a.b) + "}" }
func (a *arguments) json() string {
	return "{" + string(a.b) + "}"
}
func (a *arguments) call(tool string) string { return tool + " " + a.String() }

// plural is "1 record" or "2 records".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
