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

// A Doer performs one read under one caller's credentials. Its errors are [*Error] values.
type Doer interface {
	Do(context.Context, Request) (*Response, error)
}
