package middleware

import (
	"context"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Deadline bounds a call, all its reads together. The caller's hang-up ends it sooner.
func Deadline(limit time.Duration) Middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			return next(ctx, call)
		}
	}
}
