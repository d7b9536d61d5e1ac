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

// jsontext decides what is JSON: it bounds nesting and can tell duplicate names. gjson then finds the parts of text that is
// known to be JSON: without allocations, where a decoder of jsontext makes eight for each object.

// errNotJSON is the error of a body that is not JSON.
var errNotJSON = errors.New("the JSON is malformed")

// newDecoder reads JSON as resource servers write it: a name may occur twice, and bytes that are not UTF-8 may occur in
// strings.
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
	for i := range len(inside) {
		if c := inside[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(inside)
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

// AsText returns a string, or a number or boolean as it is written.
func AsText(raw string) (string, bool) {
	switch Kind(raw) {
	case "string":
		return unquote(raw)
	case "number", "boolean":
		return raw, true
	}
	return "", false
}

// TextStart returns the first max characters of a JSON string's text, which [AsText] returns whole.
func TextStart(raw string, max int) string {
	text := inside(raw)
	for i := range text {
		if max == 0 {
			return text[:i]
		}
		max--
	}
	return text
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

func inside(quoted string) string {
	text, _ := unquote(quoted)
	return text
}

// EncodeJSON writes a value without escaping <, > and &: a result is not HTML. The value must be one that
// encoding/json can write; anything else becomes null.
func EncodeJSON(value any) string {
	switch value := value.(type) {
	case string:
		return string(AppendText(make([]byte, 0, 64), value)) // which most fit into, without an allocation
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

// What an answer may be made of, whatever its size in bytes.
const (
	// maxDepth is how many arrays and objects may stand inside one another.
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
				Code: "invalid_response", Message: fmt.Sprintf("The resource server's answer has arrays and objects more than %d deep.", maxDepth),
				Hint: "Ask for other fields or records; if it persists, tell the operator of the resource server.",
			}
		case values > maxValues+1: // the outermost is no value of another
			return jsonShape{}, &Error{
				Code: "response_too_large", Message: fmt.Sprintf("The resource server's answer has more than %d values.", maxValues),
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

// distinct returns valid JSON with each name of an object once: of several members of one name the last one stays.
func distinct(raw string) string {
	out, _ := appendDistinct(nil, newDecoder(raw))
	return string(out)
}

// appendDistinct copies the next value of JSON without the members that a later one of the same name replaces.
func appendDistinct(out []byte, decoder *jsontext.Decoder) ([]byte, error) {
	kind := decoder.PeekKind()
	if kind != '{' && kind != '[' {
		raw, err := decoder.ReadValue()
		return append(out, raw...), err
	}
	bracket, err := decoder.ReadToken()
	out = append(out, bracket.String()...)
	type part struct {
		name     string // an element of an array has its place for one
		from, to int    // in out, with a comma behind it
	}
	var parts []part
	last, start := map[string]int{}, len(out)
	for err == nil && decoder.PeekKind() != '}' && decoder.PeekKind() != ']' {
		p := part{name: strconv.Itoa(len(parts)), from: len(out)}
		if kind == '{' {
			var name jsontext.Token
			if name, err = decoder.ReadToken(); err != nil {
				return nil, err
			}
			p.name = name.String()
			out = append(AppendText(out, p.name), ':')
		}
		out, err = appendDistinct(out, decoder)
		out = append(out, ',')
		p.to = len(out)
		last[p.name] = len(parts)
		parts = append(parts, p)
	}
	if err != nil {
		return nil, err
	}
	end := start
	for i, p := range parts {
		if last[p.name] == i {
			end += copy(out[end:], out[p.from:p.to])
		}
	}
	bracket, err = decoder.ReadToken()
	return append(out[:max(start, end-len(","))], bracket.String()...), err
}
