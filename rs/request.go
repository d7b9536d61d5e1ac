package rs

import (
	"context"
	"net/url"
	"strings"
)

// A Request is one read of the resource server: GET, always.
type Request struct {
	// Path is the path below the resource server's base, starting with /v1/ and already escaped; see [Path].
	Path string
	// Query holds the parameters. Arrays are repeated plain keys; nested ones have bracketed keys.
	Query url.Values
	// Binary is set when the answer is bytes of any type rather than JSON.
	Binary bool
	// ConnectionID is the connection whose grant holds a blob; may be empty. Blobs are known by id alone, so it only
	// routes within a package of grants and is never sent.
	ConnectionID string
	// OneRound is set to have a package search each of its members once at most, although its page may be short then.
	OneRound bool
}

// Path joins segments below /v1, escaping each: Path("streams", "a b") is "/v1/streams/a%20b".
func Path(segments ...string) string {
	var b strings.Builder
	b.WriteString("/v1")
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

// RangeOperators are the operators of a range filter, filter[field][operator]=value (S3-R10), in the order in which they are shown.
var RangeOperators = []string{"gte", "gt", "lte", "lt"}

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

	held      *heldAnswers // of the call; nil where nobody counts
	heldBytes int64
}

// Drop says that the response is not needed any more although its call goes on, so that it counts no longer.
func (r *Response) Drop() {
	if r != nil && r.held != nil {
		r.held.give(r.heldBytes)
		r.held = nil
	}
}

// ReadResponse checks and compacts a body of JSON. Bytes that are not UTF-8 become U+FFFD. Its errors are that the body is not
// JSON, or an [*Error]: it is nested too deep, or has too many values.
func ReadResponse(body string) (*Response, error) {
	compact, err := Compact(body)
	if err != nil {
		return nil, err
	}
	if e := checkShape(compact); e != nil {
		return nil, e
	}
	return &Response{Body: compact}, nil
}

// WithBody returns the response with another body.
func (r Response) WithBody(body string) *Response {
	r.Body = body
	return &r
}

// A Doer performs one read under one caller's credentials. Its errors are [*Error] values.
type Doer interface {
	Do(context.Context, Request) (*Response, error)
}
