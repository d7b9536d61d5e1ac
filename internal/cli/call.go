package cli

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type callCommand struct {
	Tool      string   `arg:"" help:"Name of the tool; pdpp-mcp tools lists them."`
	Arguments []string `arg:"" optional:"" name:"argument" help:"One JSON object, or key=value for each argument; lists are typed with commas."`
	providerFlags
	Structured bool `help:"Print the structured result instead of the text."`
}

// runCall calls a tool as a model would, and prints what it would see.
func runCall(ctx context.Context, c callCommand, app App) error {
	return c.inside(ctx, app, func(session *mcp.ClientSession, _ string) error {
		return callTool(ctx, session, app.Out, c.Tool, c.Arguments, c.Structured)
	})
}
