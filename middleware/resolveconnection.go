package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// resolveConnection finds out what a call touches. A connection may stand in an id, in connection_id, or in both;
// two different ones are refused rather than one silently preferred (S2-8).
func resolveConnection(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		scope, err := call.Args.Scope()
		if err != nil {
			return tools.Reply{}, err
		}
		call.Scope = scope
		return next(ctx, call)
	}
}
