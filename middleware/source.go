package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

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
		reads := rs.CountReads(client.For(rsclient.Caller{Token: token}))
		reads.Failed = noteRefusal
		return reads
	}
}

// noteRefusal notes in the [Request] the error of a read whose refusal may mean that the token is dead; the HTTP chain then asks the token
// authority. Over stdio it has no effect.
func noteRefusal(ctx context.Context, err error) {
	if refused := rs.AsError(err); refused.RefusesToken() {
		RequestFrom(ctx).NoteUnauthorized(refused.Code)
	}
}
