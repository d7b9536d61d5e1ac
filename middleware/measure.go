package middleware

import (
	"context"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A CallObserver is notified of calls, so that they can be counted. Its methods are called by many goroutines at a time, and must be quick.
type CallObserver interface {
	CallBegan()
	CallEnded(Outcome)
}

// measure notifies the observer when a call begins, and how it ended. A nil observer costs nothing.
func measure(observer CallObserver, now func() time.Time) middleware {
	return func(next tools.Handler) tools.Handler {
		if observer == nil {
			return next
		}
		return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
			start := now()
			observer.CallBegan()
			reply, err := next(ctx, call)
			observer.CallEnded(outcomeOf(call, reply, err, now().Sub(start)))
			return reply, err
		}
	}
}
