package rs

import (
	"context"
	"errors"
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
	// routes within a [Package] and is never sent.
	ConnectionID string
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

// A Response is a successful answer of the resource server; an error status is an [*Error] instead.
type Response struct {
	Status      int
	Body        string // JSON in UTF-8 without white space between its tokens, or the bytes of a blob
	ContentType string
	RequestID   string
	// Common says that the body was read and that its strings hold none but the commonest characters: those of [PlainRun],
	// quotes, backslashes, slashes, line feeds and tabs. False says nothing.
	Common bool
	parts  Envelope // of the body; empty where they are not known
	// Unavailable is how many connections the answer of a [Package] names as unavailable; 0 for a whole answer.
	Unavailable int
}

// errNotJSON is the error of a body that is no JSON.
var errNotJSON = errors.New("the JSON is malformed")

// ReadResponse reads a body of JSON once, from end to end, and keeps what need not be looked for in it again. What is no UTF-8
// becomes U+FFFD. Its errors are that it is no JSON, or an [*Error]: it is too deep, or has too many values.
func ReadResponse(body string) (*Response, error) {
	compact, parts, shape, valid := readJSON(body)
	if !valid {
		return nil, errNotJSON
	}
	if e := shape.check(); e != nil {
		return nil, e
	}
	return &Response{Body: compact, Common: !shape.uncommon, parts: parts}, nil
}

// WithBody returns the response with another body, of which nothing is known.
func (r Response) WithBody(body string) *Response {
	r.Body, r.Common, r.parts = body, false, Envelope{}
	return &r
}

// Envelope is [AsEnvelope] of the body, which is not read again where the client knows. It is not to be changed.
func (r *Response) Envelope() Envelope {
	if r.parts.Members != nil {
		return r.parts
	}
	return AsEnvelope(r.Body)
}

// A Doer performs one read under one caller's credentials. Its errors are [*Error] values.
type Doer interface {
	Do(context.Context, Request) (*Response, error)
}
