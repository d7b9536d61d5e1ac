package web

import (
	"github.com/justinas/alice"
)

// maxBodyBytes bounds a request body: an MCP request is a few hundred bytes, and a long one a few thousand.
const maxBodyBytes = 1 << 20

// AuthenticatedChain is what an HTTP request passes before the pipeline. Together with [ChainOptions.PublicChain] it is the whole policy
// of access control:
//
//	closeUnread(observe(framing(guard(bodyLimit(bearer(limit(pipeline)))))))
func (o ChainOptions) AuthenticatedChain() alice.Chain {
	if o.Limiter == nil {
		o.Limiter = NewLimiter(DefaultLimits(), nil)
	}
	return o.PublicChain().Append(
		bodyLimit(maxBodyBytes), // more is 413
		bearer(refusedTokens{o.Authenticator, o.Limiter}, o.Public, o.Offers), // exactly one good client bearer, else 401, 403, 429 or 503
		limit(o.Limiter), // faster is 429; more at a time wait a moment, then 429
	)
}

// PublicChain is what a request for a public document passes: no bearer is asked for.
func (o ChainOptions) PublicChain() alice.Chain {
	return o.BaseChain().Append(guard(o.Public, o.Origins)) // a name that is not ours is 421, a browser that is not listed 403
}

// maxSignInBytes bounds a registration or a token request.
const maxSignInBytes = 32 << 10

// SignInChain is what a request of a sign-in passes before it is answered or passed on.
func (o ChainOptions) SignInChain() alice.Chain {
	return o.PublicChain().Append(bodyLimit(maxSignInBytes))
}

// BaseChain is what the probes of a load balancer pass: those name an address of the
// machine, not a public name, and learn nothing but whether the server is up.
func (o ChainOptions) BaseChain() alice.Chain {
	return alice.New(
		closeUnread, // an answer before the body is read ends the connection
		observe(o),  // one record of the request for all that follows; its log line, span and metrics, never a token or a query; a panic is a 500
		framing,     // two lengths are 400
	)
}
