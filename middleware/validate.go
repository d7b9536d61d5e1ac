package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// validate parses the arguments. What does not parse is refused here, before anything is read.
func validate(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		args, err := call.Tool.Decode(call.Raw)
		if err != nil {
			return tools.Reply{}, err
		}
		call.Args = args
		return next(ctx, call)
	}
}
