package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// admit lets a call pass that has an admissible principal, and gives it the principal's resource server, whose reads it counts. The HTTP
// chain has asked the same question before; asking again makes a chain that is wired wrongly fail closed (S0-R3). A read that is refused
// with 401 makes the HTTP chain ask the token authority again (D7).
func admit(source func(context.Context, auth.Principal) (rs.Doer, error)) middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
			principal := auth.PrincipalFrom(ctx)
			if err := principal.Admissible(); err != nil {
				return tools.Reply{}, err
			}
			doer, err := source(ctx, principal)
			if err != nil {
				return tools.Reply{}, err
			}
			reads := rs.CountReads(doer)
			reads.Failed = noteRefusal
			call.RS = reads
			reply, err := next(rsclient.WithCaller(ctx, principal.Caller()), call)
			reply.Reads = reads.Count()
			return reply, err
		}
	}
}
