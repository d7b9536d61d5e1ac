// Package middleware is the call pipeline: the middlewares that every tool call passes, over HTTP and over stdio. [Standard] is their
// order. The HTTP chain, which a request passes before, is package web.
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

// Standard returns a handler that passes every call through the stages of the pipeline, the outermost first, to core, which reads.
func Standard(o Options, core tools.Handler) tools.Handler {
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return chain(core,
		observeCall(o), // one span, one call in the metrics and one line in the log; a panic is an internal error
		renderResult,   // the only stage that writes a result; what is read counts until then
		admit(o),       // a principal is present and may read, until the deadline or the client's hang-up
		correctCall,    // certain mistakes are taken, others get the call that is meant
		validate,       // raw arguments become Args, and one Scope of id and connection_id
		gateExpand,     // the live schema advertises expansion
	)
}

// DefaultDeadline bounds a call where nothing else is configured.
const DefaultDeadline = 40 * time.Second

// Options configure the pipeline.
type Options struct {
	Log      zerolog.Logger
	Deadline time.Duration // of one call; 0 means DefaultDeadline
	// Source returns the resource server as one principal sees it: every read carries the principal's token or, for a package, that
	// of one of its members. See [Reading].
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

// chain wraps a core in stages, the outermost first: chain(h, a, b, c) is a(b(c(h))).
func chain(core tools.Handler, stages ...middleware) tools.Handler {
	for _, stage := range slices.Backward(stages) {
		core = stage(core)
	}
	return core
}
