package middleware

import (
	"context"
	"errors"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// admit passes on calls of an admissible principal. It sets call.RS to the principal's resource server, and bounds all reads together by
// one deadline. The HTTP chain has already checked the principal; checking again makes a wrongly wired chain fail closed (S0-R3).
//
// A call also ends with its [Request], when the client hangs up or the server stops. It then fails with the cause of that end, if the
// cause is an *rs.Error.
func admit(o Options) middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (reply tools.Reply, err error) {
			principal := auth.PrincipalFrom(ctx)
			if err := principal.Admissible(); err != nil {
				return tools.Reply{}, err
			}
			ctx, release := RequestFrom(ctx).Bind(ctx)
			defer release()
			ctx, cancel := context.WithTimeout(ctx, o.Deadline)
			defer cancel()
			call.RS = o.Source(principal)
			reply, err = next(rsclient.WithCaller(ctx, principal.Caller()), call)
			var cause *rs.Error
			if err != nil && errors.As(context.Cause(ctx), &cause) {
				err = cause
			}
			return reply, err
		}
	}
}

// SourceOf returns the Source of [Options] for one resource server. Reads for a client carry its own token; reads for a package carry the
// tokens of its members.
func SourceOf(client *rsclient.Client) func(auth.Principal) rs.Doer {
	return func(p auth.Principal) rs.Doer {
		switch {
		case p.Package != nil:
			return p.Package // the package's own token is never sent (D17)
		case p.Reader != nil:
			return p.Reader
		}
		return client.For(p.Caller())
	}
}
