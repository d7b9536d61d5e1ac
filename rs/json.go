package rs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// jsontext decides what is JSON: it bounds nesting and can tell duplicate names. gjson then finds the parts of text that is
// known to be JSON: without allocations, where a decoder of jsontext makes eight for each object.

// What an answer may be made of, whatever its size in bytes.
const (
	// maxDepth is how many arrays and objects may stand inside one another.
	maxDepth = 256
	// maxValues is how many values and names an answer may have.
	maxValues = 1 << 20
)

// errNotJSON is the error of a body that is not JSON.
var errNotJSON = errors.New("the JSON is malformed")

// newDecoder reads JSON as resource servers write it: a name may occur twice, and bytes that are not UTF-8 may occur in
// strings.
func newDecoder(raw string) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBufferString(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Compact returns valid JSON without white space between its tokens. Bytes that are not UTF-8 become U+FFFD.
func Compact(raw string) (string, error) {
	value := jsontext.Value(strings.ToValidUTF8(raw, "\uFFFD"))
	if value.Compact() != nil {
		return "", errNotJSON
	}
	return string(value), nil
}

// A jsonShape is what reading JSON once shows of it.
type jsonShape struct {
	distinct bool // no object has two members of one name
	compact  bool // there is no white space between tokens
}

// readShape reads one JSON value and nothing after it. Its errors are errNotJSON, or an [*Error] for a value that is nested too
// deep or has too many values: reading costs by the value and by the level.
func readShape(raw string) (jsonShape, error) {
	decoder := jsontext.NewDecoder(strings.NewReader(raw), jsontext.AllowInvalidUTF8(true))
	s := jsonShape{distinct: true, compact: true}
	for values := 0; ; {
		s.compact = s.compact && !spaceFollows(raw, int(decoder.InputOffset()))
		token, err := decoder.ReadToken()
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName): // begin again and let it pass
			decoder, s.distinct, values = newDecoder(raw), false, 0
			continue
		case err != nil:
			return jsonShape{}, errNotJSON
		case token.Kind() != '}' && token.Kind() != ']':
			values++
		}
		switch depth := decoder.StackDepth(); {
		case depth > maxDepth:
			return jsonShape{}, &Error{
				Code: InvalidResponse, Message: fmt.Sprintf("The resource server's answer has arrays and objects more than %d deep.", maxDepth),
				Hint: "Ask for other fields or records; if it persists, tell the operator of the resource server.",
			}
		case values > maxValues+1: // the outermost is no value of another
			return jsonShape{}, &Error{
				Code: ResponseTooLarge, Message: fmt.Sprintf("The resource server's answer has more than %d values.", maxValues),
				Hint: "Ask for less: a smaller limit, fewer fields, or one connection.",
			}
		case depth == 0:
			s.compact = s.compact && int(decoder.InputOffset()) == len(raw)
			if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
				return jsonShape{}, errNotJSON
			}
			return s, nil
		}
	}
}

// spaceFollows reports whether white space follows the token that ends at a place of JSON, or the comma or colon behind it.
func spaceFollows(raw string, end int) bool {
	if end < len(raw) && (raw[end] == ',' || raw[end] == ':') {
		end++
	}
	return end < len(raw) && (raw[end] == ' ' || raw[end] == '\t' || raw[end] == '\r' || raw[end] == '\n')
}

// ReadObject reads one JSON object and nothing after it. Its error says what is expected and shows none of the text.
func ReadObject(raw string) (Object, error) {
	decoder := newDecoder(raw)
	if decoder.PeekKind() != '{' {
		return nil, errors.New("an object is expected")
	}
	if decoder.SkipValue() != nil {
		return nil, errNotJSON
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return AsObject(raw), nil
}

// AsObject returns the members of raw, which is valid JSON, or nil if raw is not an object. An empty object is not nil.
func AsObject(raw string) Object {
	value := gjson.Parse(raw)
	if !value.IsObject() {
		return nil
	}
	o := make(Object, 0, 8)
	value.ForEach(func(name, member gjson.Result) bool {
		text, _ := unquote(name.Raw)
		o = append(o, Member{text, member.Raw})
		return true
	})
	return o
}

// AsArray returns the elements of raw, which is valid JSON, and whether raw is an array.
func AsArray(raw string) ([]string, bool) {
	value := gjson.Parse(raw)
	if !value.IsArray() {
		return nil, false
	}
	elements := make([]string, 0, 8)
	value.ForEach(func(_, element gjson.Result) bool {
		elements = append(elements, element.Raw)
		return true
	})
	return elements, true
}

// unquote returns the text of a JSON string as encoding/json decodes it: bytes that are not UTF-8, and half of a surrogate
// pair, become U+FFFD.
func unquote(raw string) (string, bool) {
	if isPlainString(raw) {
		return raw[1 : len(raw)-1], true
	}
	decoder := newDecoder(raw)
	if token, err := decoder.ReadToken(); err == nil && token.Kind() == '"' && int(decoder.InputOffset()) == len(raw) {
		return token.String(), true
	}
	return "", false
}

// isPlainString reports whether raw is a JSON string that stands for itself, as most do: without escapes.
func isPlainString(raw string) bool {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return false
	}
	inside := raw[1 : len(raw)-1]
	ascii := true
	for i := range len(inside) {
		c := inside[i]
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.ValidString(inside)
}

// AppendText appends a text as a JSON string with as few escapes as possible: those that JSON demands, and line and paragraph
// separators, which some readers take for the end of a line. Bytes that are not UTF-8 become U+FFFD.
func AppendText(b []byte, text string) []byte {
	from := len(b)
	b, _ = jsontext.AppendQuote(b, text) // its error is that some bytes are not UTF-8
	if !hasSeparator(text) {
		return b
	}
	return append(b[:from], strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(b[from:]))...)
}

// hasSeparator reports whether a text has a line or paragraph separator. Both begin like a dash or a curly quote: searching for
// each alone takes nearly as long as quoting the text.
func hasSeparator(text string) bool {
	for {
		_, rest, found := strings.Cut(text, "\u2028"[:2])
		if !found || strings.HasPrefix(rest, "\u2028"[2:]) || strings.HasPrefix(rest, "\u2029"[2:]) {
			return found
		}
		text = rest
	}
}
