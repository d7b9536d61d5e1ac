package middleware

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// observeCall shows each call in a span, in the metrics and in the log; see [startSpan] and [logCall]. A nil tracer makes no span: the
// trace that a client named still goes on to the resource server. A nil observer counts nothing. A panic is reported as internal_error.
func observeCall(o Options) middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (reply tools.Reply, err error) {
			endSpan := func(Outcome) {}
			if o.Tracer != nil {
				ctx, endSpan = startSpan(ctx, o.Tracer, call)
			}
			if o.Observer != nil {
				o.Observer.CallBegan()
			}
			began := o.Now()
			defer func() {
				if fault := recover(); fault != nil {
					reply, err = tools.Reply{}, panicked(o.Log, call, fault)
				}
				outcome := outcomeOf(call, reply, err, o.Now().Sub(began))
				logCall(ctx, o.Log, outcome, reply, err)
				if o.Observer != nil {
					o.Observer.CallEnded(outcome)
				}
				endSpan(outcome)
			}()
			return next(ctx, call)
		}
	}
}

// panicked writes the stack of a panic to the log, and returns the error of its call. Handlers run outside net/http's own recovery, so
// without it one bad call would end the process.
func panicked(log zerolog.Logger, call tools.Call, fault any) *rs.Error {
	// The panic's value may hold record data; its type and the stack are what a maintainer needs.
	log.Error().Str("tool", call.Tool.Name).Str("panic", fmt.Sprintf("%T", fault)).Bytes("stack", debug.Stack()).Msg("panic")
	return &rs.Error{Code: "internal_error", Message: "The adapter failed to answer this call.", Hint: "Retry once; if it fails again, tell the operator."}
}
