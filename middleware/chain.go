package middleware

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A middleware wraps a handler of calls in one more stage.
type middleware func(tools.Handler) tools.Handler

// chain puts stages around a core, the outermost first: chain(h, a, b, c) is a(b(c(h))).
func chain(core tools.Handler, stages ...middleware) tools.Handler {
	for _, stage := range slices.Backward(stages) {
		core = stage(core)
	}
	return core
}
