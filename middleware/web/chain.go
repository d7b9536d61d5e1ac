// Package web is the HTTP chain: the net/http middlewares that a request passes before the call pipeline, which is package
// middleware. They decide who may enter; see [ChainOptions.AuthenticatedChain].
package web

import "github.com/justinas/alice"

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

// PublicChain is what a request for a public document passes: no bearer is asked for.
func (o ChainOptions) PublicChain() alice.Chain { return o.guarded(maxBodyBytes, true) }

// SignInChain is what a request of a sign-in passes before it is answered or passed on.
func (o ChainOptions) SignInChain() alice.Chain { return o.guarded(maxSignInBytes, true) }

// BaseChain is what the probes of a load balancer pass: those name an address of the
// machine, not a public name, and learn nothing but whether the server is up.
func (o ChainOptions) BaseChain() alice.Chain { return o.guarded(maxBodyBytes, false) }

func (o ChainOptions) guarded(most int64, named bool) alice.Chain {
	return alice.New(
		observe(o),            // one record of the request for all that follows; its log line, span and metrics, never a token or a query; a panic is a 500
		guard(o, most, named), // two lengths are 400, more bytes 413; a name that is not ours is 421, a browser that is not listed 403
	)
}
