package middleware

import (
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"
)

// DefaultDeadline bounds a call where nothing else is configured.
const DefaultDeadline = 40 * time.Second

// Options configure the pipeline.
type Options struct {
	Log      zerolog.Logger
	Deadline time.Duration // of one call; 0 means DefaultDeadline
	Source   Source
	Now      func() time.Time // nil means time.Now
	Tracer   trace.Tracer     // nil makes no spans
	Observer CallObserver     // nil counts nothing
}

// Standard is the order in which every call is handled, over HTTP and over stdio. It is the program.
func Standard(o Options) Chain {
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return New(
		Trace(o.Tracer),            // one span per call
		Measure(o.Observer, o.Now), // one call in the metrics
		Log(o.Log, o.Now),          // one line per call
		Recover(o.Log),             // a panic is a bug: JSON-RPC internal error, stack to the log
		HoldAnswers,                // what is read counts until it is rendered
		Render,                     // the only stage that writes a result
		Deadline(o.Deadline),       // and the client's hang-up
		Admit(o.Source),            // a principal is present and may read
		Correct,                    // certain mistakes are taken, others get the call that is meant
		Validate,                   // raw arguments become Args
		ResolveConnection,          // id and connection_id become one Scope
		GateExpand,                 // the live schema advertises expansion
	)
}
