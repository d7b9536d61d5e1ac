package rs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// What an answer may be made of, whatever its size in bytes: reading costs by the value and by the level.
const (
	// MaxDepth is how many arrays and objects may stand inside one another.
	MaxDepth = 256
	// MaxValues is how many values, names and brackets an answer may have.
	MaxValues = 1 << 20
)

// maxReadDepth is where a text counts as malformed, as it does for encoding/json.
const maxReadDepth = 10_000

// A shape is what one pass over a JSON text finds out about it.
type shape struct {
	text          []byte
	at            int // the next byte to be read
	depth, levels int // of the brackets that are open now, and of most that ever were
	values        int // values in brackets, names and brackets
}

// readShape reads a text once, from end to end, and reports whether it is JSON (RFC 8259), as json.Valid does.
func readShape(text []byte) (shape, bool) {
	s := shape{text: text}
	s.space()
	if !s.value() {
		return s, false
	}
	s.space()
	return s, s.at == len(text)
}

// check bounds the shape of JSON. Its errors are InvalidResponse and ResponseTooLarge.
func (s *shape) check() *Error {
	switch {
	case s.levels > MaxDepth:
		return &Error{
			Code: InvalidResponse, Message: fmt.Sprintf("The resource server's answer has arrays and objects more than %d deep.", MaxDepth),
			Hint: "Ask for other fields or records; if it persists, tell the operator of the resource server.",
		}
	case s.values > MaxValues:
		return &Error{
			Code: ResponseTooLarge, Message: fmt.Sprintf("The resource server's answer has more than %d values.", MaxValues),
			Hint: "Ask for less: a smaller limit, fewer fields, or one connection.",
		}
	}
	return nil
}

// peek is the next byte, or 0 at the end: NUL stands nowhere in JSON.
func (s *shape) peek() byte {
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// take reads the next byte if it is c.
func (s *shape) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

func (s *shape) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *shape) value() bool {
	switch s.peek() {
	case '"':
		return s.string()
	case '{':
		return s.list('}')
	case '[':
		return s.list(']')
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// list reads what stands in brackets: values with commas between them, in an object each behind its name.
func (s *shape) list(closing byte) bool {
	s.at++
	s.values++
	s.depth++
	s.levels = max(s.levels, s.depth)
	if s.depth > maxReadDepth {
		return false
	}
	s.space()
	for empty := true; !empty || !s.take(closing); empty = false {
		if closing == '}' && !s.name() || !s.value() {
			return false
		}
		s.space()
		if s.take(closing) {
			break
		}
		if !s.take(',') {
			return false
		}
		s.values++
		s.space()
	}
	s.depth--
	return true
}

// name reads the name of a member, up to its value.
func (s *shape) name() bool {
	if s.peek() != '"' || !s.string() {
		return false
	}
	s.space()
	s.values++
	if !s.take(':') {
		return false
	}
	s.space()
	return true
}

func (s *shape) word(word string) bool {
	found := bytes.HasPrefix(s.text[s.at:], []byte(word))
	s.at += len(word)
	return found
}

func (s *shape) number() bool {
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

// digits reads one digit or more.
func (s *shape) digits() bool {
	begin := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > begin
}

// string reads a string. Most of an answer is the text of records, so what needs no look is passed by eight bytes at a time.
func (s *shape) string() bool {
	s.at++
	for {
		s.at += plainBytes(s.text[s.at:])
		switch s.peek() {
		case '"':
			s.at++
			return true
		case '\\':
			if !s.escape() {
				return false
			}
		default: // a control character, or the end
			return false
		}
	}
}

func (s *shape) escape() bool {
	s.at++
	c := s.peek()
	s.at++
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			if !isHex(s.peek()) {
				return false
			}
			s.at++
		}
		return true
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// plainBytes is how many bytes of text come before the first that ends or interrupts a JSON string: a quote, a backslash
// or a control character.
//
// Of eight bytes in one word, one that is less than n has its top bit set in (word - n of each) and clear in word itself.
// What is borrowed from a neighbour on the way can only do harm above the first such byte.
func plainBytes(text []byte) int {
	const each, tops = 0x0101010101010101, 0x8080808080808080
	at := 0
	for ; at+8 <= len(text); at += 8 {
		word := binary.LittleEndian.Uint64(text[at:])
		quotes, backslashes := word^'"'*each, word^'\\'*each // 0 where there is one
		found := ((word-' '*each)&^word | (quotes-each)&^quotes | (backslashes-each)&^backslashes) & tops
		if found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(text) && text[at] >= ' ' && text[at] != '"' && text[at] != '\\' {
		at++
	}
	return at
}
