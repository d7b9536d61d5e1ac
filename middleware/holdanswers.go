package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// HoldAnswers has the answers that a call reads count against the budget of their [rs.Client] until the call is rendered,
// however it ends.
func HoldAnswers(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		ctx, release := rs.HoldAnswers(ctx)
		defer release()
		return next(ctx, call)
	}
}
