// Package middleware is the call pipeline: the middlewares that every tool call passes, over HTTP and over stdio, composed as
// alice composes those of HTTP. [Standard] is their order. The HTTP chain, which a request passes before, is package
// web.
package middleware

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Standard is the order in which every call is handled, over HTTP and over stdio, before core reads. It is the program.
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
