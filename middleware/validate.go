package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// validate decodes the arguments and determines the scope that the call reads. It refuses invalid arguments before anything is read. An id,
// connection_id, or both may name the connection; it refuses two different ones instead of silently preferring one (S2-8).
func validate(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		args, err := call.Tool.Decode(call.Arguments)
		if err != nil {
			return tools.Reply{}, err
		}
		scope, err := args.Scope()
		if err != nil {
			return tools.Reply{}, err
		}
		call.Args, call.Scope = args, scope
		return next(ctx, call)
	}
}
