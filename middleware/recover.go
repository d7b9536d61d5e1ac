package middleware

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// recoverCall turns a panic below it into an Internal error, with the stack in the log. Handlers run outside net/http's
// own recovery, so without it one bad call would end the process.
func recoverCall(log zerolog.Logger) middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (reply tools.Reply, err error) {
			defer func() {
				if fault := recover(); fault != nil {
					// The panic's value may hold record data; its type and the stack are what a maintainer needs.
					log.Error().Str("tool", call.Tool.Name).Str("panic", fmt.Sprintf("%T", fault)).Bytes("stack", debug.Stack()).Msg("panic")
					reply = tools.Reply{}
					err = &rs.Error{Code: rs.Internal, Message: "The adapter failed to answer this call.", Hint: "Retry once; if it fails again, tell the operator."}
				}
			}()
			return next(ctx, call)
		}
	}
}
