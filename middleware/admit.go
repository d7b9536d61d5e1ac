package middleware

import (
	"context"
	"errors"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// admit passes on calls of an admissible principal. It sets call.RS to the principal's resource server, counts the reads, and bounds all of
// them together by one deadline. The HTTP chain has already checked the principal; checking again makes a wrongly wired chain fail closed
// (S0-R3). If a read is refused with 401, the HTTP chain asks the token authority again (D7).
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
			reads := &rs.Reads{Doer: o.Source(principal), Failed: noteRefusal}
			call.RS = reads
			reply, err = next(rsclient.WithCaller(ctx, principal.Caller()), call)
			reply.Reads = reads.Count()
			var cause *rs.Error
			if err != nil && errors.As(context.Cause(ctx), &cause) {
				err = cause
			}
			return reply, err
		}
	}
}

// Reading returns the Source of [Options] for one resource server. Reads for a client carry its own token; reads for a package carry the
// tokens of its members.
func Reading(client *rsclient.Client) func(auth.Principal) rs.Doer {
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

// ReadingMembers returns the function with which a package reads as one of its members: For in [fanout.PackageAuthorityOptions], or the
// argument of [fanout.NewPackage]. Do not use it for an [auth.SchemaProbe]: a refusal there would make the authority ask itself again.
func ReadingMembers(client *rsclient.Client) func(rs.Token) rs.Doer {
	return func(token rs.Token) rs.Doer {
		return &rs.Reads{Doer: client.For(rsclient.Caller{Token: token}), Failed: noteRefusal}
	}
}

// noteRefusal records in the [Request] a refused read that may mean that the token is no longer valid. The HTTP chain then asks the token
// authority. Over stdio it has no effect.
func noteRefusal(ctx context.Context, err error) {
	if refused := rs.AsError(err); refused.RefusesToken() {
		RequestFrom(ctx).NoteUnauthorized(refused.Code)
	}
}
