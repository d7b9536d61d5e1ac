package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// holdAnswers has the answers that a call reads count against the budget of their [rsclient.Client] until the call is rendered,
// however it ends. A transport that holds them itself releases a blob, which is as large as what was read; every other reply
// is small.
func holdAnswers(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (reply tools.Reply, err error) {
		ctx, release, sent := rsclient.HoldAnswers(ctx)
		defer func() {
			if !sent || reply.Resource == nil || !call.Tool.Binary {
				release()
			}
		}()
		return next(ctx, call)
	}
}
