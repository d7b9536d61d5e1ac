package middleware

import (
	"context"
	"net/netip"
	"sync/atomic"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A Request records one HTTP request, or one session over stdio. It and the principal are the only values that the HTTP chain and the
// pipeline share through the context. Only the HTTP chain writes its fields, in one goroutine at a time. Its methods are safe for
// concurrent use.
type Request struct {
	ID      string            // in the answer's header and in the logs; empty over stdio
	Path    string            // for logs, metrics and traces: a path of this server, or "other"
	Client  netip.Prefix      // the client's address, or its network for IPv6; the zero Prefix for a peer without an address
	Ends    []context.Context // when one of them ends, the calls of the request are canceled; set before the first call
	IconURL string            // the public URL of the server's icon; empty over stdio

	Status  int     // HTTP status of the answer; 0 before there is one
	Bytes   int64   // size of the answer's body
	Refusal rs.Code // why the HTTP chain refused the request; empty if it did not

	unauthorized atomic.Pointer[rs.Code]
	ungranted    atomic.Pointer[ungrantedCall] // the last one
}

// An ungrantedCall is a call that was refused because the grant does not cover what it reads.
type ungrantedCall struct {
	missing rs.Missing
	refused *rs.Error
}

type requestKey struct{}

// WithRequest returns a context that carries the record of a request.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestFrom returns the record of a request, or an empty record if ctx carries none.
func RequestFrom(ctx context.Context) *Request {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r
	}
	return &Request{}
}

// NoteUnauthorized records the code of a refusal by the resource server that may mean that the caller's token is no longer valid. Only the
// first code is kept.
func (r *Request) NoteUnauthorized(reason rs.Code) {
	r.unauthorized.CompareAndSwap(nil, &reason)
}

// Unauthorized returns what NoteUnauthorized recorded, and whether it recorded anything.
func (r *Request) Unauthorized() (reason rs.Code, noted bool) {
	if first := r.unauthorized.Load(); first != nil {
		return *first, true
	}
	return "", false
}

// Ungranted returns what the grant lacks for the last call that was refused for that reason, and the error of the call; nil without one.
func (r *Request) Ungranted() (rs.Missing, *rs.Error) {
	if last := r.ungranted.Load(); last != nil {
		return last.missing, last.refused
	}
	return rs.Missing{}, nil
}

// Bind returns a context for a call of the request that is also canceled when one of Ends ends. The SDK passes on the values of an HTTP
// request's context but, before version 2026-07-28 of MCP, not its cancellation. The caller must call release after the call.
func (r *Request) Bind(ctx context.Context) (call context.Context, release func()) {
	call, cancel := context.WithCancelCause(ctx)
	var stops []func() bool
	for _, end := range r.Ends {
		if end.Err() != nil {
			cancel(context.Cause(end))
		}
		stops = append(stops, context.AfterFunc(end, func() { cancel(context.Cause(end)) }))
	}
	return call, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}
