package middleware

import (
	"context"
	"errors"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// deadline bounds a call, all its reads together. The end of its [Request] ends it sooner: the client hung up, or the server
// stops. Then the call fails with the cause of that end, where that is an *rs.Error.
func deadline(limit time.Duration) middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
			ctx, release := RequestFrom(ctx).Bind(ctx)
			defer release()
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
