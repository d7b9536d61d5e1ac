package web

import "github.com/justinas/alice"

// The middlewares that tests try one by one.
var (
	Limit   = limit
	Observe = observe
)

// BoundBody is the guard of what names no host.
func BoundBody(limit int64) alice.Constructor { return guard(ChainOptions{}, limit, false) }

// Guard is the guard of names.
func Guard(public Public, origins []string) alice.Constructor {
	return guard(ChainOptions{Public: public, Origins: origins}, maxBodyBytes, true)
}

// Limits returns the limits in force.
func (l *Limiter) Limits() Limits { return l.state.Load().limits }

// ContinueTrace is for the tests of this folder.
var ContinueTrace = continueTrace
