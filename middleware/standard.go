// Package middleware is the call pipeline: the middlewares that every tool call passes, over HTTP and over stdio. [Standard] sets their
// order. The HTTP chain, which an HTTP request passes first, is package web.
package middleware

import (
	"slices"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Standard returns a handler that passes every call through the stages of the pipeline to core, which reads from the resource server.
func Standard(o Options, core tools.Handler) tools.Handler {
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return chain(core,
		observeCall(o), // records the call and its reads: one span, one log line, the metrics; turns a panic into an internal error
		renderResult,   // the only stage that writes a result
		admit(o),       // requires an admissible principal; ends the call at the deadline or when the client hangs up
		correctCall,    // rewrites unambiguous mistakes; adds the call that is meant to other errors
		validate,       // decodes raw arguments into Args, and id and connection_id into one Scope
		gateExpand,     // refuses expansion that the live schema does not advertise
	)
}

// DefaultDeadline is the default of [Options].Deadline.
const DefaultDeadline = 40 * time.Second

// Options configure the pipeline.
type Options struct {
	Log      zerolog.Logger
	Deadline time.Duration // of one call; 0 means DefaultDeadline
	// Source returns the resource server as one principal sees it: every read carries the principal's token or, for a package, that
	// of one of its members. See [SourceOf].
	Source   func(auth.Principal) rs.Doer
	Now      func() time.Time // nil means time.Now
	Tracer   trace.Tracer     // nil makes no spans
	Observer CallObserver     // nil counts nothing
}

// A CallObserver is notified of calls, to count them. Its methods are called concurrently and must return quickly.
type CallObserver interface {
	CallBegan()
	CallEnded(Outcome)
}

// A middleware wraps a handler of calls in one more stage.
type middleware func(tools.Handler) tools.Handler

// chain wraps a core in stages, the outermost first: chain(h, a, b, c) is a(b(c(h))).
func chain(core tools.Handler, stages ...middleware) tools.Handler {
	for _, stage := range slices.Backward(stages) {
		core = stage(core)
	}
	return core
}
