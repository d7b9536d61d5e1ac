// Package web is the HTTP chain: the net/http middlewares that a request passes before the call pipeline, which is package
// middleware. They authenticate callers and limit their requests; see [ChainOptions.AuthenticatedChain].
package web

import (
	"time"

	"github.com/justinas/alice"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxSignInBytes bounds the body of a registration or a token request.
const maxSignInBytes = 32 << 10

// AuthenticatedChain returns the chain in front of the pipeline. Together with [ChainOptions.PublicChain] it is the whole access control
// policy:
//
//	observe(guard(bearer(limit(pipeline))))
func (o ChainOptions) AuthenticatedChain() alice.Chain {
	if o.Limiter == nil {
		o.Limiter = NewLimiter(DefaultLimits(), nil)
	}
	return o.PublicChain().Append(
		bearer(o),        // requires exactly one valid client token, else 401, 403, 429 or 503
		limit(o.Limiter), // 429 above the rate; calls above the concurrency limit wait a moment, then 429
	)
}

// PublicChain returns the chain for public documents, which need no bearer.
func (o ChainOptions) PublicChain() alice.Chain { return o.guarded(MaxBodyBytes, true) }

// SignInChain returns the chain for requests of a sign-in.
func (o ChainOptions) SignInChain() alice.Chain { return o.guarded(maxSignInBytes, true) }

// BaseChain returns the chain for the probes of a load balancer. It does not check host names, because probes name an address of the
// machine. They learn only whether the server is up.
func (o ChainOptions) BaseChain() alice.Chain { return o.guarded(MaxBodyBytes, false) }

func (o ChainOptions) guarded(maxBody int64, named bool) alice.Chain {
	return alice.New(
		observe(o),               // records the request in context, log, metrics and a span, without token or query; a panic is a 500
		guard(o, maxBody, named), // refuses two lengths (400), a larger body (413), a foreign host name (421), an unlisted origin (403)
	)
}

// ChainOptions configure the chains.
type ChainOptions struct {
	Authenticator Authenticator
	Public        Public                // the public names and paths of this server
	Origins       []string              // browser origins that may call, such as https://app.example; usually none
	Limiter       *Limiter              // nil means one with DefaultLimits
	Offers        func(rs.Missing) bool // reports whether a new sign-in would ask the owner for what a call lacks; nil means never
	Logger        zerolog.Logger
	Tracer        trace.Tracer    // nil makes no spans
	Observer      RequestObserver // nil counts nothing
}

// A RequestObserver is notified of HTTP requests, to count them. Its methods are called concurrently and must return quickly.
type RequestObserver interface {
	RequestBegan()
	// RequestEnded gets the path, which is one of this server or "other"; the status, 0 if nothing was answered; and the code with
	// which [Refuse] refused the request, or "".
	RequestEnded(path string, status int, code rs.Code, took time.Duration)
}
