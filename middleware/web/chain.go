// Package web is the HTTP chain: the net/http middlewares that a request passes before the call pipeline, which is package
// middleware. They authenticate callers and limit their requests; see [ChainOptions.Handler].
package web

import (
	"net/http"
	"time"

	"github.com/justinas/alice"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxSignInBytes bounds the body of a registration or a token request.
const maxSignInBytes = 32 << 10

// Handler returns the handler of all paths of this server. Each request passes the chain of its route, which is the whole access control
// policy. That of the pipeline is
//
//	observeRequest(guardBody(guardNames(bearer(limit(pipeline)))))
//
// routes has the paths above, without a prefix, and OtherPath for every path that is not in it.
func (o ChainOptions) Handler(routes map[string]Route) http.Handler {
	handlers := map[string]http.Handler{}
	for path, route := range routes {
		handlers[path] = o.chain(route.Access).Then(route.Handler)
	}
	return observeRequest(o, handlers) // records the request in context, log, metrics and a span, without token or query; a panic is a 500
}

// A Route is what serves a path, and who may use it.
type Route struct {
	Access  Access
	Handler http.Handler
}

// An Access is who may use a path.
type Access int

// Who may use a path.
const (
	Authenticated Access = iota // callers with exactly one valid client token
	Anyone                      // the readers of public documents
	SigningIn                   // clients that sign in
	// Probing is for the probes of a load balancer. Host names are not checked, because probes name an address of the machine. They learn
	// only whether the server is up.
	Probing
)

// chain returns what a request passes after [observeRequest].
func (o ChainOptions) chain(access Access) alice.Chain {
	switch access {
	case Anyone:
		return alice.New(guardBody(MaxBodyBytes), guardNames(o))
	case SigningIn:
		return alice.New(guardBody(maxSignInBytes), guardNames(o))
	case Probing:
		return alice.New(guardBody(MaxBodyBytes))
	}
	if o.Limiter == nil {
		o.Limiter = NewLimiter(DefaultLimits(), nil)
	}
	return alice.New(
		guardBody(MaxBodyBytes), // 400 for two lengths, 413 for a larger body
		guardNames(o),           // 421 for a foreign host name, 403 for an unlisted origin
		bearer(o),               // requires exactly one valid client token, else 401, 403, 429 or 503
		limit(o.Limiter),        // 429 above the rate; calls above the concurrency limit wait a moment, then 429
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
