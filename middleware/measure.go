package middleware

import (
	"context"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A Meter counts calls. Its methods are called by many goroutines at a time, and must be quick.
type Meter interface {
	CallBegan()
	CallEnded(Outcome)
}

// Measure tells the meter of each call when it begins and how it went. A nil meter costs nothing.
func Measure(meter Meter, now func() time.Time) Middleware {
	return func(next tools.Handler) tools.Handler {
		if meter == nil {
			return next
		}
		return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
			start := now()
			meter.CallBegan()
			reply, err := next(ctx, call)
			meter.CallEnded(outcomeOf(call, reply, err, now().Sub(start)))
			return reply, err
		}
	}
}
