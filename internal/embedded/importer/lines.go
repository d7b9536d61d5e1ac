package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Lines are split into their top-level fields by hand: encoding/json would decode each value, which is most of the work, and would not tell
// in which order the fields stand.

// maxLine is how long a line may be, in bytes.
const maxLine = 16 << 20

var errTooLong = fmt.Errorf("longer than %d MiB", maxLine>>20)

// A lineReader reads lines without their ends and the white space around them.
type lineReader struct {
	input  *bufio.Reader
	number int // of the line that was read last
	buffer []byte
}

// next returns a line that is valid until the next call, errTooLong for one that was passed over, or io.EOF.
func (r *lineReader) next() ([]byte, error) {
	r.buffer = r.buffer[:0]
	r.number++
	tooLong := false
	for {
		part, err := r.input.ReadSlice('\n')
		if !tooLong {
			r.buffer = append(r.buffer, part...)
		}
		if len(bytes.TrimRight(r.buffer, "\r\n")) > maxLine {
			tooLong = true
			r.buffer = r.buffer[:0]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case tooLong:
			return nil, errTooLong
		case err != nil && len(r.buffer) == 0:
			return nil, io.EOF
		}
		break
	}
	return bytes.Trim(r.buffer, " \t\r\n"), nil
}

// A lineParser splits lines of JSON into fields. It remembers the names that it has seen, as records of a stream share them.
type lineParser struct {
	fields []jsonField
	names  map[string]*seenName
	line   int // counts calls of parse
}

type seenName struct {
	name string
	line int
}

func newLineParser() *lineParser { return &lineParser{names: map[string]*seenName{}} }

// parse returns the fields of a JSON object in their order, valid until the next call. Its errors complete the sentence "the line is …".
// An object that names a field twice is refused: readers differ in which of the two they believe.
func (p *lineParser) parse(text []byte) ([]jsonField, error) {
	switch {
	case !utf8.Valid(text):
		return nil, errors.New("not valid UTF-8")
	case !json.Valid(text):
		var value json.RawMessage
		return nil, fmt.Errorf("not JSON: %w", json.Unmarshal(text, &value))
	case text[skipSpace(text, 0)] != '{':
		return nil, errors.New("not a JSON object")
	}
	p.line++
	p.fields = p.fields[:0]
	// The text is valid, so that what is expected next is there.
	at := skipSpace(text, skipSpace(text, 0)+1)
	for text[at] != '}' {
		end := stringEnd(text, at)
		name := p.name(text[at:end])
		if name.line == p.line {
			return nil, fmt.Errorf("ambiguous: it has the field %q twice", name.name)
		}
		name.line = p.line
		at = skipSpace(text, skipSpace(text, end)+1) // past the colon
		end = valueEnd(text, at)
		p.fields = append(p.fields, jsonField{name.name, text[at:end]})
		if at = skipSpace(text, end); text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
	return p.fields, nil
}

func (p *lineParser) name(quoted []byte) *seenName {
	if known, ok := p.names[string(quoted)]; ok {
		return known
	}
	name := unquote(quoted)
	canonical, _ := json.Marshal(name) // a string, which always encodes
	known, ok := p.names[string(canonical)]
	if !ok {
		known = &seenName{name: name}
		p.names[string(canonical)] = known
	}
	p.names[string(quoted)] = known // the same name, written with escapes
	return known
}

// unquote decodes a JSON string that is known to be valid.
func unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // valid
	return text
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}

// stringEnd is where the string that begins at a quotation mark ends.
func stringEnd(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// valueEnd is where the value that begins here ends.
func valueEnd(text []byte, at int) int {
	for depth := 0; ; {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
			if depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at // the end of the object around a number or a word
			}
			if depth--; depth == 0 {
				return at + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return at
			}
		}
		at++
	}
}
