package rs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// jsontext validates JSON: it limits nesting and detects duplicate names. gjson then finds the parts of text that is known to be valid. It
// does so without allocations; a jsontext decoder makes eight for each object.

var errNotJSON = errors.New("the JSON is malformed")

// newDecoder returns a decoder that accepts what resource servers send: duplicate names, and bytes that are not UTF-8 in strings.
func newDecoder(raw string) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBufferString(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
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

// unquote returns the text of a JSON string as encoding/json decodes it: bytes that are not UTF-8, and unpaired surrogates, become U+FFFD.
// It reports false if raw is not a JSON string.
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

// isPlainString reports whether raw is a JSON string without escapes, as most are: its text is what is between the quotes.
func isPlainString(raw string) bool {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return false
	}
	inside := raw[1 : len(raw)-1]
	if strings.IndexByte(inside, '"') >= 0 || strings.IndexByte(inside, '\\') >= 0 {
		return false
	}
	for i := range len(inside) {
		if inside[i] < ' ' {
			return false
		}
	}
	return utf8.ValidString(inside)
}

// AppendText appends a text as a JSON string with as few escapes as possible: those that JSON requires, and line and paragraph separators,
// which some readers treat as line ends. Bytes that are not UTF-8 become U+FFFD.
func AppendText(b []byte, text string) []byte {
	from := len(b)
	b, _ = jsontext.AppendQuote(b, text) // its only error is invalid UTF-8, which it replaces
	if !strings.Contains(text, "\u2028") && !strings.Contains(text, "\u2029") {
		return b
	}
	return append(b[:from], strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(b[from:]))...)
}

// AsText returns the text of a string, or a number or boolean as written.
func AsText(raw string) (string, bool) {
	switch Kind(raw) {
	case "string":
		return unquote(raw)
	case "number", "boolean":
		return raw, true
	}
	return "", false
}

// Kind names the type of a JSON value: object, array, string, boolean, number, null, or nothing.
func Kind(raw string) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// JoinArray writes an array of values that are JSON already.
func JoinArray(list []string) string { return "[" + strings.Join(list, ",") + "]" }

func unquoted(quoted string) string {
	text, _ := unquote(quoted)
	return text
}

// EncodeJSON writes a value without escaping <, > and &: a result is not HTML. The value must be one that
// encoding/json can write; anything else becomes null.
func EncodeJSON(value any) string {
	switch value := value.(type) {
	case string:
		return string(AppendText(make([]byte, 0, 64), value)) // most strings fit, and need no allocation
	case int:
		return strconv.Itoa(value)
	case bool:
		return strconv.FormatBool(value)
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return "null"
	}
	return strings.TrimSpace(b.String())
}

// Limits of an answer, in addition to its size in bytes.
const (
	// maxDepth is how deep arrays and objects may be nested.
	maxDepth = 256
	// maxValues is how many values and names an answer may have.
	maxValues = 1 << 20
)

// Compact returns valid JSON without white space between its tokens. Bytes that are not UTF-8 become U+FFFD.
func Compact(raw string) (string, error) {
	value := jsontext.Value(strings.ToValidUTF8(raw, "\uFFFD"))
	if value.Compact() != nil {
		return "", errNotJSON
	}
	return string(value), nil
}

// A jsonScan is what one pass over a JSON text finds out about it.
type jsonScan struct {
	distinct bool // no object has a name twice
	compact  bool // there is no white space between tokens
}

// scanJSON validates one JSON value with nothing after it. Its errors are errNotJSON, or an [*Error] for a value that is nested too deep
// or has too many values: the cost of reading grows with both.
func scanJSON(raw string) (jsonScan, error) {
	decoder := jsontext.NewDecoder(strings.NewReader(raw), jsontext.AllowInvalidUTF8(true))
	s := jsonScan{distinct: true, compact: true}
	for values := 0; ; {
		s.compact = s.compact && !spaceFollows(raw, int(decoder.InputOffset()))
		token, err := decoder.ReadToken()
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName): // start again with a decoder that allows it
			decoder, s.distinct, values = newDecoder(raw), false, 0
			continue
		case err != nil:
			return jsonScan{}, errNotJSON
		case token.Kind() != '}' && token.Kind() != ']':
			values++
		}
		switch depth := decoder.StackDepth(); {
		case depth > maxDepth:
			return jsonScan{}, &Error{
				Code: "invalid_response", Message: fmt.Sprintf("The resource server's answer has arrays and objects more than %d deep.", maxDepth),
				Hint: "Ask for other fields or records; if it persists, tell the operator of the resource server.",
			}
		case values > maxValues+1: // the outermost value does not count
			return jsonScan{}, &Error{
				Code: "response_too_large", Message: fmt.Sprintf("The resource server's answer has more than %d values.", maxValues),
				Hint: "Ask for less: a smaller limit, fewer fields, or one connection.",
			}
		case depth == 0:
			s.compact = s.compact && int(decoder.InputOffset()) == len(raw)
			if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
				return jsonScan{}, errNotJSON
			}
			return s, nil
		}
	}
}

// spaceFollows reports whether white space follows the token that ends at end, or the comma or colon after that token.
func spaceFollows(raw string, end int) bool {
	if end < len(raw) && (raw[end] == ',' || raw[end] == ':') {
		end++
	}
	return end < len(raw) && (raw[end] == ' ' || raw[end] == '\t' || raw[end] == '\r' || raw[end] == '\n')
}
