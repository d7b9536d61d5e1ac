package rs

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON is JSON text, as bytes or as a string. What reads it here looks at eight bytes at a time wherever it only passes
// over text: answers are mostly text.
type JSON interface{ ~[]byte | ~string }

// Compact returns valid JSON without the space between its tokens. Its error is that of [json.Compact].
func Compact(raw []byte) (string, error) {
	s := scanner[[]byte]{raw: raw}
	if s.whole() && !s.spaced {
		return string(raw), nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, raw)
	return b.String(), err
}

// A scanner checks JSON as encoding/json does, and tells what it has met.
type scanner[T JSON] struct {
	raw     T
	at      int
	spaced  bool // there was white space between tokens
	escaped bool // there was an escape in a string
	shape   shape
}

const maxNesting = 10_000 // of encoding/json

// whole takes all of the text, which must be one value.
func (s *scanner[T]) whole() bool {
	s.skipSpace()
	return s.value(1) && s.end()
}

// value takes a value, at some depth, and the space behind it.
func (s *scanner[T]) value(depth int) bool {
	if s.at == len(s.raw) {
		return false
	}
	var valid bool
	switch c := s.raw[s.at]; c {
	case '{', '[':
		s.shape.values++
		s.shape.levels = max(s.shape.levels, depth)
		valid = depth <= maxNesting && s.members(c == '{', depth)
	case '"':
		valid = s.text()
	case 't':
		valid = s.word("true")
	case 'f':
		valid = s.word("false")
	case 'n':
		valid = s.word("null")
	default:
		valid = s.number()
	}
	s.skipSpace()
	return valid
}

// members takes an object, or an array, whose first bracket is at hand.
func (s *scanner[T]) members(named bool, depth int) bool {
	shut := s.raw[s.at] + 2 // in ASCII
	s.at++
	if s.skipSpace(); s.take(shut) {
		return true
	}
	for {
		if named {
			if !s.text() {
				return false
			}
			if s.skipSpace(); !s.take(':') {
				return false
			}
			s.shape.values++
			s.skipSpace()
		}
		if !s.value(depth + 1) {
			return false
		}
		if s.take(shut) {
			return true
		}
		if !s.take(',') {
			return false
		}
		s.shape.values++
		s.skipSpace()
	}
}

func (s *scanner[T]) skipSpace() {
	for s.at < len(s.raw) && isSpace(s.raw[s.at]) {
		s.at++
		s.spaced = true
	}
}

func (s *scanner[T]) take(c byte) bool {
	if s.at < len(s.raw) && s.raw[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner[T]) end() bool { return s.at == len(s.raw) }

func (s *scanner[T]) word(word string) bool {
	for i := range len(word) {
		if !s.take(word[i]) {
			return false
		}
	}
	return true
}

func (s *scanner[T]) digits() bool {
	from := s.at
	for s.at < len(s.raw) && s.raw[s.at] >= '0' && s.raw[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

func (s *scanner[T]) number() bool {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return false
	}
	if s.take('.') && !s.digits() {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		return s.digits()
	}
	return true
}

// text takes a string: no control characters, and escapes that there are.
func (s *scanner[T]) text() bool {
	if !s.take('"') {
		return false
	}
	for s.at < len(s.raw) {
		if s.at += textRun(s.raw[s.at:]); s.take('"') {
			return true
		}
		_, size := escape(s.raw[s.at:])
		if size == 0 {
			return false
		}
		s.at += size
		s.escaped = true
	}
	return false
}

// escape reads the escape at the start of raw: the UTF-16 unit that it stands for, and its length, 0 when it is none.
func escape[T JSON](raw T) (unit rune, size int) {
	if len(raw) < 2 || raw[0] != '\\' {
		return 0, 0
	}
	switch c := raw[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		if len(raw) < 6 {
			return 0, 0
		}
		for i := 2; i < 6; i++ {
			c := raw[i]
			switch {
			case c >= '0' && c <= '9':
				unit = unit<<4 | rune(c-'0')
			case c|0x20 >= 'a' && c|0x20 <= 'f':
				unit = unit<<4 | rune(c|0x20-'a'+10)
			default:
				return 0, 0
			}
		}
		return unit, 6
	}
	return 0, 0
}

// unquote returns the text of a JSON string as encoding/json decodes it: what is no UTF-8, or half of a surrogate pair,
// becomes U+FFFD.
func unquote[T JSON](raw T) (string, bool) {
	if len(raw) >= 2 && PlainRun(raw[1:], '"', '\\') == len(raw)-2 && raw[len(raw)-1] == '"' {
		return string(raw[1 : len(raw)-1]), true
	}
	s := scanner[T]{raw: raw}
	if !s.text() || !s.end() {
		return "", false
	}
	raw = raw[1 : len(raw)-1]
	if !s.escaped {
		if text := string(raw); utf8.ValidString(text) {
			return text, true
		}
	}
	text := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if run := PlainRun(raw[i:], '\\', '\\'); run > 0 {
			text = append(text, raw[i:i+run]...)
			i += run
			continue
		}
		if raw[i] != '\\' {
			c, size := decodeRune(raw[i:])
			text = utf8.AppendRune(text, c)
			i += size
			continue
		}
		c, size := escape(raw[i:])
		if utf16.IsSurrogate(c) {
			low, more := escape(raw[min(i+size, len(raw)):])
			if more == 0 {
				low = utf8.RuneError
			}
			if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
				size += more
			}
		}
		text = utf8.AppendRune(text, c)
		i += size
	}
	return string(text), true
}

func decodeRune[T JSON](raw T) (rune, int) {
	return utf8.DecodeRuneInString(string(raw[:min(len(raw), utf8.UTFMax)]))
}

// AppendText appends a text as a JSON string, as [EncodeJSON] writes it.
func AppendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for {
		run := PlainRun(text, '"', '\\')
		b, text = append(b, text[:run]...), text[run:]
		if text == "" {
			return append(b, '"')
		}
		c, size := utf8.DecodeRuneInString(text)
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ' || c == '\u2028' || c == '\u2029' || c == utf8.RuneError && size == 1:
			b = append(b, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
		default:
			b = append(b, text[:size]...)
		}
		text = text[size:]
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func trimLeft[T JSON](raw T) T {
	for len(raw) > 0 && isSpace(raw[0]) {
		raw = raw[1:]
	}
	return raw
}

func trimRight[T JSON](raw T) T {
	for len(raw) > 0 && isSpace(raw[len(raw)-1]) {
		raw = raw[:len(raw)-1]
	}
	return raw
}

// stringEnd is the length of the JSON string that raw starts with, or -1.
func stringEnd[T JSON](raw T) int {
	if len(raw) == 0 || raw[0] != '"' {
		return -1
	}
	for at := 1; at < len(raw); at += 2 { // a backslash and what is behind it
		if at += find(raw[at:], '"', '\\'); at < len(raw) && raw[at] == '"' {
			return at + 1
		}
	}
	return -1
}

// Eight bytes in a word, the first one lowest. Each test sets the highest bit of a byte for which it holds; above such a
// byte it may err, so that it finds where to look closer.
const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

func word[T JSON](text T) uint64 {
	_ = text[7]
	return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
		uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
}

func isByte(word uint64, c byte) uint64 {
	word ^= everyByte * uint64(c)
	return (word - everyByte) &^ word
}

// PlainRun is how many bytes at the start of a text are printable ASCII, and neither this nor that.
func PlainRun[T JSON](text T, this, that byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := word(text[i:])
		if (w|(w-everyByte*' ')|isByte(w, 0x7F)|isByte(w, this)|isByte(w, that))&highBits != 0 {
			break
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] < 0x7F && text[i] != this && text[i] != that; i++ {
	}
	return i
}

// textRun is how many bytes of a JSON string come before a quote, a backslash or a control character.
func textRun[T JSON](text T) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if w := word(text[i:]); ((w-everyByte*' ')&^w|isByte(w, '"')|isByte(w, '\\'))&highBits != 0 {
			break
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\'; i++ {
	}
	return i
}

// find is where this or that byte first stands, or the length.
func find[T JSON](text T, this, that byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if w := word(text[i:]); (isByte(w, this)|isByte(w, that))&highBits != 0 {
			break
		}
	}
	for ; i < len(text) && text[i] != this && text[i] != that; i++ {
	}
	return i
}
