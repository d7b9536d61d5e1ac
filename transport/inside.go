package transport

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// Inside opens a session with a server of this process, as a client has one over [Stdio]. Whoever opens it closes it.
func Inside(ctx context.Context, server *Server, principal auth.Principal, client *mcp.Implementation) (*mcp.ClientSession, error) {
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(auth.WithPrincipal(ctx, principal), far, nil); err != nil {
		return nil, err
	}
	return mcp.NewClient(client, nil).Connect(ctx, near, nil)
}
