package web

import "github.com/justinas/alice"

// The middlewares, exported for tests of each one.
var (
	Limit   = limit
	Observe = observe
)

// BoundBody is the guard that limits the body but does not check the Host.
func BoundBody(limit int64) alice.Constructor { return guard(ChainOptions{}, limit, false) }

// Guard is the guard that also checks the Host.
func Guard(public Public, origins []string) alice.Constructor {
	return guard(ChainOptions{Public: public, Origins: origins}, MaxBodyBytes, true)
}

// Limits returns the limits in force.
func (l *Limiter) Limits() Limits { return l.state.Load().limits }

// ContinueTrace exports continueTrace.
var ContinueTrace = continueTrace
