package rs

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Compact returns valid JSON without the space between its tokens. What is no UTF-8 becomes U+FFFD.
func Compact(raw string) (string, error) {
	compact, _, _, valid := readJSON(raw)
	if !valid {
		return "", errNotJSON
	}
	return compact, nil
}

// readJSON reads a text once, from end to end, reports whether it is JSON (RFC 8259) as json.Valid does, and returns it as
// [Compact] does, with what [AsEnvelope] finds in it.
func readJSON(raw string) (compact string, parts Envelope, met shape, valid bool) {
	s := scanner{raw: trimRight(trimLeft(raw)), keeping: true}
	if !s.whole() {
		return "", Envelope{}, s.shape, false
	}
	if !s.spaced && !s.broken {
		return s.raw, s.parts, s.shape, true
	}
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(strings.ToValidUTF8(s.raw, "\uFFFD"))) // it is valid
	compact = b.String()
	return compact, AsEnvelope(compact), s.shape, true
}

// A scanner checks JSON as encoding/json does, and tells what it has met.
type scanner struct {
	raw    string
	at     int
	spaced bool // there was white space between tokens
	broken bool // there was something in a string that is no UTF-8
	shape  shape

	keeping  bool     // the parts of the whole, which are [AsEnvelope]'s, as long as there is no space and nothing broken
	parts    Envelope // those that were kept
	elements []string // of the array at hand that is a member of the whole
}

const maxNesting = 10_000 // of encoding/json

// whole takes all of the text, which must be one value.
func (s *scanner) whole() bool {
	s.skipSpace()
	return s.value(1) && s.end()
}

// value takes a value, at some depth, and the space behind it.
func (s *scanner) value(depth int) bool {
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
func (s *scanner) members(named bool, depth int) bool {
	shut := s.raw[s.at] + 2 // in ASCII
	s.at++
	if s.skipSpace(); s.take(shut) {
		return true
	}
	for {
		name := s.at
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
		from := s.at
		if !s.value(depth + 1) {
			return false
		}
		if s.keeping {
			switch {
			case depth == 1 && named:
				s.keep(s.raw[name:from], s.raw[from:s.at])
			case depth == 2 && !named:
				if s.elements == nil {
					s.elements = make([]string, 0, 32)
				}
				s.elements = append(s.elements, s.raw[from:s.at])
			}
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

// keep takes a member of the whole, with its name and the colon, to its parts.
func (s *scanner) keep(name, value string) {
	if s.spaced || s.broken {
		s.keeping = false
		return
	}
	if name = name[1 : len(name)-2]; strings.IndexByte(name, '\\') >= 0 {
		name = unescape(name)
	}
	var list []string
	if value[0] == '[' {
		if list = s.elements; list == nil {
			list = []string{}
		}
		s.elements = nil
	}
	if s.parts.Members == nil {
		s.parts.Members, s.parts.lists = make(Object, 0, 8), make([][]string, 0, 8)
	}
	s.parts.Members, s.parts.lists = append(s.parts.Members, Member{name, value}), append(s.parts.lists, list)
}

func (s *scanner) skipSpace() {
	for s.at < len(s.raw) && isSpace(s.raw[s.at]) {
		s.at++
		s.spaced = true
	}
}

func (s *scanner) take(c byte) bool {
	if s.at < len(s.raw) && s.raw[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) end() bool { return s.at == len(s.raw) }

func (s *scanner) word(word string) bool {
	for i := range len(word) {
		if !s.take(word[i]) {
			return false
		}
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.raw) && s.raw[s.at] >= '0' && s.raw[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

func (s *scanner) number() bool {
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
func (s *scanner) text() bool {
	if !s.take('"') {
		return false
	}
	for {
		s.at += PlainRun(s.raw[s.at:])
		if s.take('"') {
			return true
		}
		if run, ascii := textRun(s.raw[s.at:]); run > 0 {
			s.shape.uncommon = true
			s.broken = s.broken || !ascii && !utf8.ValidString(s.raw[s.at:s.at+run])
			s.at += run
			continue
		}
		_, size := escape(s.raw[s.at:])
		if size == 0 {
			return false
		}
		s.shape.uncommon = s.shape.uncommon || strings.IndexByte("urbf", s.raw[s.at+1]) >= 0
		s.at += size
	}
}

// escape reads the escape at the start of raw: the UTF-16 unit that it stands for, and its length, 0 when it is none.
func escape(raw string) (unit rune, size int) {
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
func unquote(raw string) (string, bool) {
	text, end, ok := textAt(raw, 0)
	return text, ok && end == len(raw)
}

// textAt is [unquote] of the string at a place, and the place where it ends.
func textAt(raw string, at int) (text string, end int, ok bool) {
	if at == len(raw) || raw[at] != '"' {
		return "", 0, false
	}
	at++
	run, ascii := textRun(raw[at:])
	if end = at + run; end < len(raw) && raw[end] == '"' && (ascii || utf8.ValidString(raw[at:end])) {
		return raw[at:end], end + 1, true // it stands for itself, as most do
	}
	s := scanner{raw: raw, at: at - 1}
	if !s.text() {
		return "", 0, false
	}
	return unescape(raw[at : s.at-1]), s.at, true
}

// unescape returns what the inside of a string stands for.
func unescape(raw string) string {
	text := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if run := PlainRun(raw[i:]); run > 0 {
			text = append(text, raw[i:i+run]...)
			i += run
			continue
		}
		if raw[i] != '\\' {
			c, size := utf8.DecodeRuneInString(raw[i:])
			text = utf8.AppendRune(text, c)
			i += size
			continue
		}
		c, size := escape(raw[i:])
		if size == 0 { // only where it is no JSON: it ends all the same
			c, size = utf8.RuneError, 1
		}
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
	return string(text)
}

// AppendText appends a text as a JSON string, as [EncodeJSON] writes it.
func AppendText(b []byte, text string) []byte {
	return append(AppendEscaped(append(b, '"'), text), '"')
}

// AppendEscaped appends what [AppendText] does, without the quotes.
func AppendEscaped(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	for {
		run := PlainRun(text)
		b, text = append(b, text[:run]...), text[run:]
		if text == "" {
			return b
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

func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\r' || c == '\n') }

func trimLeft(raw string) string {
	for len(raw) > 0 && isSpace(raw[0]) {
		raw = raw[1:]
	}
	return raw
}

func trimRight(raw string) string {
	for len(raw) > 0 && isSpace(raw[len(raw)-1]) {
		raw = raw[:len(raw)-1]
	}
	return raw
}
