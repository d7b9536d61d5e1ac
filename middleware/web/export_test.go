package web

import (
	"net/http"

	"github.com/justinas/alice"
)

// The middlewares, exported for tests of each one.
var (
	Limit = limit
)

// Observe is the middleware that observes the requests of all paths.
func Observe(o ChainOptions) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return observeRequest(o, map[string]http.Handler{OtherPath: next})
	}
}

// AuthenticatedChain is the chain of the pipeline.
func (o ChainOptions) AuthenticatedChain() alice.Chain { return o.whole(Authenticated) }

// PublicChain is the chain of public documents.
func (o ChainOptions) PublicChain() alice.Chain { return o.whole(Anyone) }

// SignInChain is the chain of a sign-in.
func (o ChainOptions) SignInChain() alice.Chain { return o.whole(SigningIn) }

// BaseChain is the chain of probes.
func (o ChainOptions) BaseChain() alice.Chain { return o.whole(Probing) }

func (o ChainOptions) whole(access Access) alice.Chain {
	return alice.New(Observe(o)).Extend(o.chain(access))
}

// BoundBody is the guard that limits the body but does not check the Host.
func BoundBody(limit int64) alice.Constructor { return guardBody(limit) }

// Guard is the guard that also checks the Host.
func Guard(public Public, origins []string) alice.Constructor {
	return guardNames(ChainOptions{Public: public, Origins: origins})
}

// Limits returns the limits in force.
func (l *Limiter) Limits() Limits { return l.state.Load().limits }

// ContinueTrace exports continueTrace.
var ContinueTrace = continueTrace
