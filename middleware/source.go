package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// Reading is the Source, see [Options], of a server over one resource server. A client's reads carry its own token, a package's those of its
// members. A read that is refused with 401 makes the HTTP chain ask the token authority again (D7).
func Reading(client *rsclient.Client) func(context.Context, auth.Principal) (rs.Doer, error) {
	return func(_ context.Context, p auth.Principal) (rs.Doer, error) {
		if p.Package != nil {
			return noting{p.Package}, nil // the package's own token is never sent (D17)
		}
		if p.Reader != nil {
			return noting{p.Reader}, nil
		}
		return noting{client.For(p.Caller())}, nil
	}
}

// ReadingMembers returns the resource server as one member of a package sees it, in the shape that
// [fanout.PackageAuthorityOptions] takes. It is not for an [auth.SchemaProbe]: the authority must not ask about itself.
func ReadingMembers(client *rsclient.Client) func(rs.Token) rs.Doer {
	return func(token rs.Token) rs.Doer { return noting{client.For(rsclient.Caller{Token: token})} }
}

// noting is a Doer that notes in the [Request] each read whose refusal may mean that the token is dead. The error goes on unchanged;
// the HTTP chain asks the token authority. Over stdio it has no effect.
type noting struct{ rs.Doer }

// Do performs one read.
func (n noting) Do(ctx context.Context, request rs.Request) (*rs.Response, error) {
	response, err := n.Doer.Do(ctx, request)
	if err != nil && rs.AsError(err).RefusesToken() {
		RequestFrom(ctx).NoteUnauthorized(rs.AsError(err).Code)
	}
	return response, err
}
