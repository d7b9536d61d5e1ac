package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Validate parses the arguments. What does not parse is refused here, before anything is read.
func Validate(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		args, err := call.Tool.Decode(call.Raw)
		if err != nil {
			return tools.Reply{}, err
		}
		call.Args = args
		return next(ctx, call)
	}
}
