package middleware

import "github.com/pdp-connect/pdpp-mcp/tools"

// A Middleware wraps a handler of calls in one more stage.
type Middleware func(tools.Handler) tools.Handler

// A Chain is a list of stages. It has the shape of alice's chain, for calls instead of HTTP requests.
type Chain struct{ stages []Middleware }

// New returns the chain of the given stages, the outermost first.
func New(stages ...Middleware) Chain {
	return Chain{append([]Middleware(nil), stages...)}
}

// Then closes the chain over a core: New(a, b, c).Then(h) is a(b(c(h))).
func (c Chain) Then(core tools.Handler) tools.Handler {
	for i := len(c.stages) - 1; i >= 0; i-- {
		core = c.stages[i](core)
	}
	return core
}
