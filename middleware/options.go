package middleware

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// DefaultDeadline bounds a call where nothing else is configured.
const DefaultDeadline = 40 * time.Second

// Options configure the pipeline.
type Options struct {
	Log      zerolog.Logger
	Deadline time.Duration // of one call; 0 means DefaultDeadline
	// Source gives the resource server as one principal sees it: every read carries that principal's token, or, for a package, one
	// of its members'.
	Source   func(context.Context, auth.Principal) (rs.Doer, error)
	Now      func() time.Time // nil means time.Now
	Tracer   trace.Tracer     // nil makes no spans
	Observer CallObserver     // nil counts nothing
}

// A CallObserver is notified of calls, so that they can be counted. Its methods are called by many goroutines at a time, and must be quick.
type CallObserver interface {
	CallBegan()
	CallEnded(Outcome)
}

// A middleware wraps a handler of calls in one more stage.
type middleware func(tools.Handler) tools.Handler

// chain puts stages around a core, the outermost first: chain(h, a, b, c) is a(b(c(h))).
func chain(core tools.Handler, stages ...middleware) tools.Handler {
	for _, stage := range slices.Backward(stages) {
		core = stage(core)
	}
	return core
}
