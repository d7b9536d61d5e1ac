// Package rs is the PDPP resource server's REST contract and nothing else: requests, answers, identifiers, errors and the schema document.
// It does not depend on MCP. rs/rsclient makes the reads, rs/auth identifies the caller, and rs/fanout reads a package of grants as one.
package rs

import (
	"net/url"
	"strings"
)

// A Request is one read of the resource server. The method is always GET.
type Request struct {
	// Path is the path below the resource server's base, starting with /v1/ and already escaped; see [Path].
	Path string
	// Query holds the parameters. Arrays are repeated plain keys; nested ones have bracketed keys.
	Query url.Values
	// Binary is set when the answer is bytes of any type rather than JSON.
	Binary bool
	// ConnectionID is the connection whose grant covers a blob; may be empty. Blobs are addressed by id alone, so it only routes within a
	// package of grants and is never sent.
	ConnectionID string
	// OneRound makes a package search each of its members at most once, even if its page is then short.
	OneRound bool
	// Parts are the streams of a search whose records are parts of records of its other streams, such as the bodies of messages. A package
	// never searches a member for them alone, and keeps them in its cursor.
	Parts []string
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

// MetadataPath is the path of a protected resource's metadata (RFC 9728).
const MetadataPath = "/.well-known/oauth-protected-resource"

// MaxLimit is the largest limit of records, hits or groups. Resource servers clamp a larger one; the tools refuse it.
const MaxLimit = 100

// Bounds are the operators that compare a field with a bound, in the order in which they are shown. A resource server that names none for
// a range filter has all of them, and a field with one of them can be sorted by.
var Bounds = []string{"gte", "gt", "lte", "lt"}

// RangeOperators are the operators of a range filter, filter[field][operator]=value (S3-R10). One that is no bound is added here alone.
var RangeOperators = append([]string{}, Bounds...)

// IsLowerBound reports whether an operator is gte or gt.
func IsLowerBound(operator string) bool { return operator == "gte" || operator == "gt" }

// IsUpperBound reports whether an operator is lte or lt.
func IsUpperBound(operator string) bool { return operator == "lte" || operator == "lt" }

// opposites has the operators that match exactly the other values; "" is equality.
var opposites = map[string]string{"gte": "lt", "lt": "gte", "gt": "lte", "lte": "gt"}

// Opposite returns the operator that matches exactly the other values, such as "lt" for "gte"; ok is false if there is none.
func Opposite(operator string) (opposite string, ok bool) {
	opposite, ok = opposites[operator]
	return opposite, ok
}

// A Scope is what a call reads, as far as its arguments say.
type Scope struct {
	Stream       string
	RecordID     string
	ConnectionID string
	// Expands is set when the call asks for related records, by expand or by expand_limit alone (S4-R5).
	Expands bool
}
