package rs

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Response is a successful answer of the resource server; an error status is an [*Error] instead.
type Response struct {
	Status      int
	Body        string // JSON in UTF-8 without white space between its tokens and each name of an object once, or the bytes of a blob
	ContentType string
	RequestID   string
	// Unavailable is how many connections the answer of a package names as unavailable; 0 for a complete answer.
	Unavailable int
	// Reads is how many members of a package were read for it; 0 if it is not of a package.
	Reads int

	object  Object         // what Object returned; nil if it was not called
	list    *List          // what List returned
	schema  *Schema        // what Schema returned
	streams []ListedStream // what ListedStreams returned
}

// ReadResponse checks and compacts a body of JSON. Bytes that are not UTF-8 become U+FFFD. If a name occurs twice, the last value wins, as
// in encoding/json, so that all that read the answer see the same value. Its errors are that the body is not JSON, or an [*Error]: it is
// nested too deep, or has too many values.
func ReadResponse(body string) (*Response, error) {
	if !utf8.ValidString(body) {
		body = strings.ToValidUTF8(body, "\uFFFD")
	}
	read, err := readShape(body)
	if err != nil {
		return nil, err
	}
	switch {
	case !read.distinct:
		body = distinct(body)
	case !read.compact:
		body, err = Compact(body)
	}
	return &Response{Body: body}, err
}

// WithBody returns the response with another body.
func (r Response) WithBody(body string) *Response {
	r.Body, r.object, r.list, r.schema, r.streams = body, nil, nil, nil, nil
	return &r
}

// Object is the members of an answer that is an object; nil for any other. It is read once, and not by several goroutines at a time.
func (r *Response) Object() Object {
	if r.object == nil {
		r.object = AsObject(r.Body)
	}
	return r.object
}

// List reads the answer as a list; see [readList]. It is read once, and not by several goroutines at a time.
func (r *Response) List() (List, bool) {
	if r.list == nil {
		l := readList(r.Body, r.Object())
		r.list = &l
	}
	return *r.list, r.list.Items != nil
}

// Schema reads the answer as a schema document; see [readSchema]. It is read once, and not by several goroutines at a time.
func (r *Response) Schema() *Schema {
	if r.schema == nil {
		r.schema = readSchema(r.Body)
	}
	return r.schema
}

// Redacted returns the answer without the tokens in its request id, its type and the bytes of a blob. A body of JSON stays: what a
// renderer writes of it is searched when it is written.
func (r *Response) Redacted(redactor *Redactor, binary bool) *Response {
	if r == nil || !redactor.finds(r.RequestID) && !redactor.finds(r.ContentType) && (!binary || !redactor.finds(r.Body)) {
		return r
	}
	clean := *r
	clean.RequestID, clean.ContentType = redactor.Text(r.RequestID), redactor.Text(r.ContentType)
	if binary {
		clean.Body = redactor.Text(r.Body)
	}
	return &clean
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
