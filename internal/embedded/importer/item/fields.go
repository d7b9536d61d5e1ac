package item

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A Field is one field of a record.
type Field = model.Value

// A Parser splits JSON objects into fields, in order and without decoding the values. It caches the names that it has seen, because the
// records of a stream share them.
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

// Parse returns the fields of a JSON object in order, valid until the next call. Its errors complete the sentence "the line is …". It
// rejects an object with a duplicate field, because readers differ in which of the two they use.
func (p *Parser) Parse(text []byte) ([]Field, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not valid UTF-8")
	}
	if !json.Valid(text) {
		var value json.RawMessage
		return nil, fmt.Errorf("not JSON: %w", json.Unmarshal(text, &value))
	}
	object := gjson.ParseBytes(text)
	switch {
	case !object.IsObject():
		return nil, errors.New("not a JSON object")
	case Overflows(text):
		return nil, errors.New("one that most programs cannot read: it has a number beyond 1.8e308")
	case depth(text) > MaxDepth:
		return nil, fmt.Errorf("nested more than %d levels deep", MaxDepth)
	}
	p.line++
	p.fields = p.fields[:0]
	var twice error
	object.ForEach(func(key, value gjson.Result) bool {
		name := p.name(key.Raw)
		if name.line == p.line {
			twice = fmt.Errorf("ambiguous: it has the field %q twice", name.name)
		}
		name.line = p.line
		p.fields = append(p.fields, Field{Name: name.name, Value: text[value.Index : value.Index+len(value.Raw)]})
		return twice == nil
	})
	if twice != nil {
		return nil, twice
	}
	return p.fields, nil
}

func (p *Parser) name(quoted string) *seenName {
	if known, ok := p.names[quoted]; ok {
		return known
	}
	name := model.Unquote([]byte(quoted))
	canonical := string(JSON(name))
	known, ok := p.names[canonical]
	if !ok {
		known = &seenName{name: name}
		p.names[canonical] = known
	}
	p.names[quoted] = known // the same name, perhaps with other escapes
	return known
}

// MaxDepth is the deepest nesting of a record or an XML file. The adapter accepts answers of 256 levels, and the page around a record takes
// some of them.
const MaxDepth = 200

func depth(text []byte) int {
	deepest, level, quoted := 0, 0, false
	for at := 0; at < len(text); at++ {
		switch one := text[at]; {
		case one == '\\':
			at++
		case one == '"':
			quoted = !quoted
		case quoted:
		case one == '{', one == '[':
			level++
			deepest = max(deepest, level)
		case one == '}', one == ']':
			level--
		}
	}
	return deepest
}

// Only returns the object that is the only element of a list, or null for an empty list. Any other list is not ok.
func Only(list []byte) (object []byte, ok bool) {
	object, ok = []byte("null"), true
	gjson.ParseBytes(list).ForEach(func(_, one gjson.Result) bool {
		ok = object[0] == 'n' && one.IsObject()
		object = []byte(one.Raw)
		return ok
	})
	return object, ok
}

// IsWords reports a list of strings, none of which is longer than longest, in bytes.
func IsWords(list []byte, longest int) (ok bool) {
	ok = true
	gjson.ParseBytes(list).ForEach(func(_, one gjson.Result) bool {
		ok = one.Type == gjson.String && len(one.Str) <= longest
		return ok
	})
	return ok
}

// Unfold returns the members of a field that is an object, at any depth, with dotted names: "place.city". Any other field, such as an
// array, stays as it is.
func Unfold(field Field) (all []Field) {
	if field.Value[0] != '{' {
		return []Field{field}
	}
	gjson.ParseBytes(field.Value).ForEach(func(key, value gjson.Result) bool {
		all = append(all, Unfold(Field{Name: field.Name + "." + model.Unquote([]byte(key.Raw)), Value: []byte(value.Raw)})...)
		return true
	})
	return all
}

// Overflows reports that valid JSON has a number beyond the range of a 64-bit float: many clients could not read an answer with it.
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

// shortestInexact is the smallest number of digits of a whole number that a float64 cannot represent exactly.
const shortestInexact = 16

// IsInexact reports a whole number beyond ±2^53, which programs that read numbers as 64-bit floats round: two ids may become one.
func IsInexact(number string) bool {
	number = strings.TrimPrefix(number, "-")
	if len(number) < shortestInexact || strings.Trim(number, "0123456789") != "" {
		return false
	}
	whole, err := strconv.ParseInt(number, 10, 64)
	return err != nil || whole > 1<<53
}

// Exact returns valid JSON with such numbers as strings; see [IsInexact].
func Exact(value []byte) []byte {
	var exact []byte
	written, quoted := 0, false
	for at := 0; at < len(value); at++ {
		switch one := value[at]; {
		case one == '\\':
			at++
		case one == '"':
			quoted = !quoted
		case !quoted && (one == '-' || one >= '0' && one <= '9'):
			end := at + 1
			for end < len(value) && strings.IndexByte("0123456789.eE+-", value[end]) >= 0 {
				end++
			}
			if end-at >= shortestInexact && IsInexact(string(value[at:end])) {
				exact = append(append(append(exact, value[written:at]...), '"'), value[at:end]...)
				exact, written = append(exact, '"'), end
			}
			at = end - 1
		}
	}
	if written == 0 {
		return value
	}
	return append(exact, value[written:]...)
}

// IsTimestamp reports a date, or a date and time with or without a zone. It first looks at the shape of the text, because most strings are
// not timestamps.
func IsTimestamp(text string) bool {
	if len(text) < len("2006-01-02") || len(text) > 40 || text[4] != '-' || text[7] != '-' {
		return false
	}
	_, ok := model.ParseInstant(text)
	return ok
}

// JSON encodes a value without the escapes that only HTML needs. Bytes that are not UTF-8 become U+FFFD.
func JSON(value any) []byte {
	if text, ok := value.(string); ok {
		return model.Quote(make([]byte, 0, len(text)+len(`""`)), text)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // numbers, and lists of them and of strings, always encode
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
