package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// Reading is the Source of a server over one resource server: a client's reads carry the caller's own token, a package's
// those of its members. A 401 to either makes the HTTP chain ask the authority again (D7).
func Reading(client *rs.Client) Source {
	return func(_ context.Context, p auth.Principal) (rs.Doer, error) {
		if p.Package != nil {
			return rs.Revalidating{Doer: p.Package}, nil // the package's own token is never sent (D17)
		}
		return rs.Revalidating{Doer: client.For(p.Caller())}, nil
	}
}

// ReadingChildren gives the resource server as one member of a package sees it, in the shape that
// [fanout.PackageAuthorityOptions] takes. It is not for an [auth.SchemaProbe]: the authority must not ask about itself.
func ReadingChildren(client *rs.Client) func(rs.Token) rs.Doer {
	return func(token rs.Token) rs.Doer { return rs.Revalidating{Doer: client.For(rs.Caller{Token: token})} }
}
