package middleware

import (
	"context"
	"errors"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Deadline bounds a call, all its reads together. The caller's hang-up ends it sooner, and so does a server that stops:
// then the call fails for the reason that its context gives as the cause, where that is an *rs.Error.
func Deadline(limit time.Duration) Middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			reply, err := next(ctx, call)
			if err == nil {
				return reply, nil
			}
			var cause *rs.Error
			if errors.As(context.Cause(ctx), &cause) {
				return reply, cause
			}
			return reply, err
		}
	}
}
