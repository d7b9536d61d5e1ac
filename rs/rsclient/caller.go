package rsclient

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A CallerKey identifies a grant, the same for all its tokens, or a token whose authority names no grant. It keeps no credential. The zero
// key means that the caller is unknown.
type CallerKey struct {
	Kind, GrantID string
	Token         rs.TokenKey // zero if there is a GrantID
}

// A Caller is a token with its grant or package. Before the token is introspected, Kind and GrantID are empty.
type Caller struct {
	Token   rs.Token
	Kind    string // of the token, from its authority
	GrantID string
}

// Key returns the key of the caller; the zero key without a grant and a token.
func (c Caller) Key() CallerKey {
	if c.GrantID != "" {
		return CallerKey{Kind: c.Kind, GrantID: c.GrantID}
	}
	return CallerKey{Token: c.Token.Key()}
}

type callerContextKey struct{}

// WithCaller returns a context whose requests, including the reads of all members of a package, count for one caller. A context that has a
// caller keeps it.
func WithCaller(ctx context.Context, c Caller) context.Context {
	if ctx.Value(callerContextKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, callerContextKey{}, c.Key())
}

type unknownTokenKey struct{}

// WithUnknownToken returns a context for the lookup of a token that was never active. Only a failure to connect, which no
// token can cause, then counts against the endpoint.
func WithUnknownToken(ctx context.Context) context.Context {
	return context.WithValue(ctx, unknownTokenKey{}, true)
}

// callerIn returns the caller of a request; zero for a token that was never active.
func callerIn(ctx context.Context) CallerKey {
	if r := readingFrom(ctx); r != nil {
		return r.caller
	}
	caller, _ := ctx.Value(callerContextKey{}).(CallerKey)
	if ctx.Value(unknownTokenKey{}) != nil {
		return CallerKey{}
	}
	return caller
}

// A reading is what the circuit breakers and observers need to know about a read: its caller, what it reads, and the state of its attempt.
type reading struct {
	grant  CallerKey // the grant whose token is sent; each member of a package has its own
	caller CallerKey // the grant or package that made the call; zero for a token that is not introspected yet
	class  string    // see [ClassFrom]

	connecting atomic.Bool // the attempt waits for a connection
	trace      httptrace.ClientTrace
}

type readingKey struct{}

func withReading(ctx context.Context, grant, caller CallerKey, class string) context.Context {
	r := &reading{grant: grant, caller: caller, class: class}
	return context.WithValue(tracing(ctx, &r.trace, &r.connecting), readingKey{}, r)
}

// readingFrom returns nil for a request that is not part of a read.
func readingFrom(ctx context.Context) *reading {
	r, _ := ctx.Value(readingKey{}).(*reading)
	return r
}

func (r *reading) waitsForConnection() bool { return r != nil && r.connecting.Load() }
