package middleware

import (
	"context"
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

// Standard is the order in which every call is handled, over HTTP and over stdio, before core reads. It is the program.
func Standard(o Options, core tools.Handler) tools.Handler {
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return chain(core,
		observeCall(o),       // one span, one call in the metrics and one line in the log; a panic is an internal error
		holdAnswers,          // what is read counts until it is rendered
		renderResult,         // the only stage that writes a result
		deadline(o.Deadline), // and the client's hang-up
		admit(o.Source),      // a principal is present and may read
		correctCall,          // certain mistakes are taken, others get the call that is meant
		validate,             // raw arguments become Args, and one Scope of id and connection_id
		gateExpand,           // the live schema advertises expansion
	)
}
