package rs

import (
	"strings"
	"unicode/utf8"
)

// A Response is a successful answer of the resource server; an error status is an [*Error] instead.
type Response struct {
	Status      int
	Body        string // JSON in UTF-8 without white space between its tokens, or the bytes of a blob
	ContentType string
	RequestID   string
	// Unavailable is how many connections the answer of a package names as unavailable; 0 for a whole answer.
	Unavailable int
	// Reads is how many members of a package were read for it; 0 where no package was.
	Reads int

	distinct bool    // it is known that no object of Body has two members of one name
	list     *List   // what List returned
	schema   *Schema // what Schema returned
}

// ReadResponse checks and compacts a body of JSON. Bytes that are not UTF-8 become U+FFFD. Its errors are that the body is not
// JSON, or an [*Error]: it is nested too deep, or has too many values.
func ReadResponse(body string) (*Response, error) {
	if !utf8.ValidString(body) {
		body = strings.ToValidUTF8(body, "\uFFFD")
	}
	read, err := readShape(body)
	if err != nil {
		return nil, err
	}
	if !read.compact {
		if body, err = Compact(body); err != nil {
			return nil, err
		}
	}
	return &Response{Body: body, distinct: read.distinct}, nil
}

// WithBody returns the response with another body.
func (r Response) WithBody(body string) *Response {
	r.Body, r.distinct, r.list, r.schema = body, false, nil, nil
	return &r
}

// Distinct is the body with each name of an object once: if a name occurs twice, the last value wins, as in encoding/json. So all
// that read the answer see the same value.
func (r *Response) Distinct() string {
	if r.distinct {
		return r.Body
	}
	return distinct(r.Body)
}

// List reads the answer as a list; see [readList]. It is read once, and not by several goroutines at a time.
func (r *Response) List() (List, bool) {
	if r.list == nil {
		l, _ := readList(r.Distinct())
		r.list = &l
	}
	return *r.list, r.list.Items != nil
}

// Schema reads the answer as a schema document; see [ReadSchema]. It is read once, and not by several goroutines at a time.
func (r *Response) Schema() *Schema {
	if r.schema == nil {
		r.schema = ReadSchema(r.Distinct())
	}
	return r.schema
}
