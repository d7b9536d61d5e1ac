package web

// The middlewares that tests try one by one.
var (
	BoundBody = boundBody
	Guard     = guard
	Limit     = limit
	Observe   = observe
)

// Limits returns the limits in force.
func (l *Limiter) Limits() Limits { return l.state.Load().limits }
