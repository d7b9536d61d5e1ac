// Package web is the HTTP chain: the net/http middlewares that a request passes before the call pipeline, which is package
// middleware. They decide who may enter; see [ChainOptions.AuthenticatedChain].
package web

import (
	"time"

	"github.com/justinas/alice"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How many bytes a request's body may have: an MCP request is a few hundred, and a long one a few thousand.
const (
	maxBodyBytes   = 1 << 20
	maxSignInBytes = 32 << 10 // of a registration or a token request
)

// AuthenticatedChain is what an HTTP request passes before the pipeline. Together with [ChainOptions.PublicChain] it is the whole policy
// of access control:
//
//	observe(guard(bearer(limit(pipeline))))
func (o ChainOptions) AuthenticatedChain() alice.Chain {
	if o.Limiter == nil {
		o.Limiter = NewLimiter(DefaultLimits(), nil)
	}
	return o.PublicChain().Append(
		bearer(o),        // exactly one good client bearer, else 401, 403, 429 or 503
		limit(o.Limiter), // faster is 429; more at a time wait a moment, then 429
	)
}

// PublicChain is what a request for a public document passes: it needs no bearer.
func (o ChainOptions) PublicChain() alice.Chain { return o.guarded(maxBodyBytes, true) }

// SignInChain is what a request of a sign-in passes before it is answered or passed on.
func (o ChainOptions) SignInChain() alice.Chain { return o.guarded(maxSignInBytes, true) }

// BaseChain is what the probes of a load balancer pass. They name an address of the machine instead of a public name, and learn
// only whether the server is up.
func (o ChainOptions) BaseChain() alice.Chain { return o.guarded(maxBodyBytes, false) }

func (o ChainOptions) guarded(maxBody int64, named bool) alice.Chain {
	return alice.New(
		observe(o),               // one record of the request for all that follows; its log line, span and metrics, never a token or a query; a panic is a 500
		guard(o, maxBody, named), // two lengths are 400, more bytes 413; a name that is not ours is 421, a browser that is not listed 403
	)
}

// ChainOptions configure the chains.
type ChainOptions struct {
	Authenticator Authenticator
	Public        Public                // the names and paths under which this server is reached
	Origins       []string              // browser origins that may call, such as https://app.example; usually none
	Limiter       *Limiter              // nil means one with DefaultLimits
	Offers        func(rs.Missing) bool // reports whether a new sign-in asks the owner for what a call lacks; nil if none does
	Logger        zerolog.Logger
	Tracer        trace.Tracer    // nil makes no spans
	Observer      RequestObserver // nil counts nothing
}

// A RequestObserver is notified of HTTP requests, so that they can be counted. Its methods are called by many goroutines at a time,
// and must be quick.
type RequestObserver interface {
	RequestBegan()
	// RequestEnded gets the path, which is one of ours or "other"; the status, 0 when nothing was answered; and the code with
	// which [Refuse] refused the request, or "".
	RequestEnded(path string, status int, code rs.Code, took time.Duration)
}
