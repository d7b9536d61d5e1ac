package transport

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// Identify asks an authority who the bearer of a cached token is. It is asked before anything else is read, so that a
// mis-filed owner token never reads a record. Its errors are *ExitError values: ExitUnavailable when the provider does not
// answer, ExitNotReady for a token that is not good any more, ExitOwner for an owner's; or a *[StoppedError] when ctx ends first.
func Identify(ctx context.Context, authority auth.Authority, providerURL string, token rs.Token) (auth.Principal, error) {
	verdict, err := authority.Introspect(ctx, token)
	if err != nil && ctx.Err() != nil {
		return auth.Principal{}, &StoppedError{fmt.Sprintf("stopped: %v, while the provider was asked about the credential", context.Cause(ctx))}
	}
	if err != nil {
		return auth.Principal{}, &ExitError{ExitUnavailable, fmt.Sprintf("the provider %s cannot be reached. Check the URL and the network.", providerURL)}
	}
	if verdict.Inactive != nil {
		return auth.Principal{}, &ExitError{ExitNotReady, verdict.Inactive.Message + " Connect again: pdpp connect " + providerURL}
	}
	if err := verdict.Principal.Admissible(); err != nil {
		code := ExitNotReady
		if verdict.Principal.Kind == auth.KindOwner {
			code = ExitOwner
		}
		return auth.Principal{}, &ExitError{code, rs.AsError(err).Message + " Connect with a scoped grant: pdpp connect " + providerURL}
	}
	return verdict.Principal, nil
}

// Inside opens a session with a server of this process, as a client has one over [Stdio]. Whoever opens it closes it.
func Inside(ctx context.Context, server *Server, principal auth.Principal, client *mcp.Implementation) (*mcp.ClientSession, error) {
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(auth.WithPrincipal(ctx, principal), far, nil); err != nil {
		return nil, err
	}
	return mcp.NewClient(client, nil).Connect(ctx, near, nil)
}
