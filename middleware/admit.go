package middleware

import (
	"context"
	"errors"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// admit lets a call pass that has an admissible principal, and gives it what it may use: the principal's resource server, whose reads it
// counts, and the time until the deadline of all reads together. The HTTP chain has asked the same question before; asking again makes a
// chain that is wired wrongly fail closed (S0-R3). A read that is refused with 401 makes the HTTP chain ask the token authority again (D7).
//
// The end of its [Request] ends a call sooner: the client hung up, or the server stops. Then the call fails with the cause of that end,
// where that is an *rs.Error.
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

// Reading is the Source, see [Options], of a server over one resource server. A client's reads carry its own token, a package's those of its
// members.
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

// ReadingMembers returns the resource server as one member of a package sees it, in the shape that
// [fanout.PackageAuthorityOptions] takes. It is not for an [auth.SchemaProbe]: the authority must not ask about itself.
func ReadingMembers(client *rsclient.Client) func(rs.Token) rs.Doer {
	return func(token rs.Token) rs.Doer {
		return &rs.Reads{Doer: client.For(rsclient.Caller{Token: token}), Failed: noteRefusal}
	}
}

// noteRefusal notes in the [Request] the error of a read whose refusal may mean that the token is dead; the HTTP chain then asks the token
// authority. Over stdio it has no effect.
func noteRefusal(ctx context.Context, err error) {
	if refused := rs.AsError(err); refused.RefusesToken() {
		RequestFrom(ctx).NoteUnauthorized(refused.Code)
	}
}
