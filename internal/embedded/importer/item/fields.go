package item

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Lines are split into their top-level fields by hand: encoding/json would decode each value, which is most of the work, and would not tell
// in which order the fields stand.

// A Parser splits lines of JSON into fields. It remembers the names that it has seen, as records of a stream share them.
type Parser struct {
	fields []Field
	names  map[string]*seenName
	line   int // counts calls of Parse
}

type seenName struct {
	name string
	line int
}

// NewParser returns a parser for the records of one stream.
func NewParser() *Parser { return &Parser{names: map[string]*seenName{}} }

// Parse returns the fields of a JSON object in their order, valid until the next call. Its errors complete the sentence "the line is …".
// An object that names a field twice is refused: readers differ in which of the two they believe.
func (p *Parser) Parse(text []byte) ([]Field, error) {
	switch {
	case !utf8.Valid(text):
		return nil, errors.New("not valid UTF-8")
	case !json.Valid(text):
		var value json.RawMessage
		return nil, fmt.Errorf("not JSON: %w", json.Unmarshal(text, &value))
	case text[skipSpace(text, 0)] != '{':
		return nil, errors.New("not a JSON object")
	case Overflows(text):
		return nil, errors.New("one that most programs cannot read: it has a number beyond 1.8e308")
	case depth(text) > MaxDepth:
		return nil, fmt.Errorf("nested more than %d levels deep", MaxDepth)
	}
	p.line++
	p.fields = p.fields[:0]
	var twice *seenName
	eachMember(text, func(quoted, value []byte) {
		name := p.name(quoted)
		if name.line == p.line && twice == nil {
			twice = name
		}
		name.line = p.line
		p.fields = append(p.fields, Field{Name: name.name, Value: value})
	})
	if twice != nil {
		return nil, fmt.Errorf("ambiguous: it has the field %q twice", twice.name)
	}
	return p.fields, nil
}

// MaxDepth is how deep a record, or a file in XML, may be nested: the adapter takes answers of 256 levels, of which a page around it has some.
const MaxDepth = 200

// depth counts how deep valid JSON is nested.
func depth(text []byte) int {
	deepest, level := 0, 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = stringEnd(text, at) - 1
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		}
	}
	return deepest
}

// eachMember visits the members of a JSON object that is known to be valid, so that what is expected next is there.
func eachMember(text []byte, visit func(quoted, value []byte)) {
	at := skipSpace(text, skipSpace(text, 0)+1)
	for text[at] != '}' {
		name := text[at:stringEnd(text, at)]
		at = skipSpace(text, skipSpace(text, at+len(name))+1) // past the colon
		end := valueEnd(text, at)
		visit(name, text[at:end])
		if at = skipSpace(text, end); text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
}

// Only returns the object that is all that a list holds, or null for an empty list.
func Only(list []byte) (object []byte, ok bool) {
	at := skipSpace(list, 1)
	switch list[at] {
	case ']':
		return []byte("null"), true
	case '{':
		end := valueEnd(list, at)
		return list[at:end], list[skipSpace(list, end)] == ']'
	}
	return nil, false
}

// Unfold lists what a field holds that is an object, by dotted names: "place.city". Arrays stay as they are.
func Unfold(field Field) []Field {
	if field.Value[0] != '{' {
		return []Field{field}
	}
	var all []Field
	eachMember(field.Value, func(quoted, value []byte) {
		all = append(all, Unfold(Field{Name: field.Name + "." + model.Unquote(quoted), Value: value})...)
	})
	return all
}

func (p *Parser) name(quoted []byte) *seenName {
	if known, ok := p.names[string(quoted)]; ok {
		return known
	}
	name := model.Unquote(quoted)
	canonical, _ := json.Marshal(name) // a string, which always encodes
	known, ok := p.names[string(canonical)]
	if !ok {
		known = &seenName{name: name}
		p.names[string(canonical)] = known
	}
	p.names[string(quoted)] = known // the same name, written with escapes
	return known
}

// Overflows reports that valid JSON has a number out of range for programs that read numbers as 64-bit floats: answers with it would be
// broken for many clients.
func Overflows(text []byte) bool {
	digits := 0
	for _, one := range text {
		switch {
		case one >= '0' && one <= '9':
			digits++
			continue
		case digits > 0 && (one == 'e' || one == 'E'), digits > 300:
			var value any
			return json.Unmarshal(text, &value) != nil
		}
		digits = 0
	}
	return digits > 300
}

// IsTimestamp reports a date or a date with a time, with or without a zone. Most strings are none, so the look of it is tried first.
func IsTimestamp(text string) bool {
	if len(text) < len("2006-01-02") || len(text) > 40 || text[4] != '-' || text[7] != '-' {
		return false
	}
	_, ok := model.ParseInstant(text)
	return ok
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

// A Field is one field of a record.
type Field = model.Value
