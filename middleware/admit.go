package middleware

import (
	"context"
	"errors"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// admit passes on calls with an admissible principal, and gives them the principal's resource server, whose reads it counts, and a deadline
// for all reads together. The HTTP chain has checked the principal before; a second check makes a chain that is wired wrongly fail closed
// (S0-R3). A read that is refused with 401 makes the HTTP chain ask the token authority again (D7).
//
// A call also ends with its [Request]: the client hung up, or the server stops. It then fails with the cause of that end, if that is an
// *rs.Error.
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
			doer, err := o.Source(ctx, principal)
			if err == nil {
				reads := &rs.Reads{Doer: doer, Failed: noteRefusal}
				call.RS = reads
				reply, err = next(rsclient.WithCaller(ctx, principal.Caller()), call)
				reply.Reads = reads.Count()
			}
			var cause *rs.Error
			if err != nil && errors.As(context.Cause(ctx), &cause) {
				err = cause
			}
			return reply, err
		}
	}
}

// Reading returns the Source of [Options] for one resource server. The reads of a client carry its own token, those of a package the tokens
// of its members.
func Reading(client *rsclient.Client) func(context.Context, auth.Principal) (rs.Doer, error) {
	return func(_ context.Context, p auth.Principal) (rs.Doer, error) {
		if p.Package != nil {
			return p.Package, nil // the package's own token is never sent (D17)
		}
		if p.Reader != nil {
			return p.Reader, nil
		}
		return client.For(p.Caller()), nil
	}
}

// ReadingMembers returns the function by which a package reads as one of its members: For of [fanout.PackageAuthorityOptions], or the
// argument of [fanout.NewPackage]. It is not for an [auth.SchemaProbe]: the authority must not ask about itself.
func ReadingMembers(client *rsclient.Client) func(rs.Token) rs.Doer {
	return func(token rs.Token) rs.Doer {
		return &rs.Reads{Doer: client.For(rsclient.Caller{Token: token}), Failed: noteRefusal}
	}
}

// noteRefusal records in the [Request] a refused read that may mean that the token is no longer good; the HTTP chain then asks the token
// authority. Over stdio it has no effect.
func noteRefusal(ctx context.Context, err error) {
	if refused := rs.AsError(err); refused.RefusesToken() {
		RequestFrom(ctx).NoteUnauthorized(refused.Code)
	}
}
