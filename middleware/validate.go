package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// validate checks the arguments and finds out what the call reads. It refuses invalid ones before anything is read. A connection may be
// named in an id, in connection_id, or in both; two different ones are refused rather than one silently preferred (S2-8).
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
