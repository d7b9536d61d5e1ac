package cli

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/internal/cite"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

type verifyCommand struct {
	Citation string `arg:"" help:"JSON with id, field, start_chars, end_chars and sha256, as answers print them; - reads one a line from standard input."`
	providerFlags
	Text string `help:"The text that was quoted; needed when its place is not known." placeholder:"TEXT"`
	JSON bool   `name:"json" help:"Print each verdict as a line of JSON."`
}

// Run says of each citation whether its record still says it: one line a citation on stdout.
func (c verifyCommand) Run(ctx context.Context, app App) error {
	citations, err := cite.ReadCitations(c.Citation, c.Text, app.In)
	if err != nil {
		return err
	}
	return c.inside(ctx, app, func(ctx context.Context, server *transport.Server, providerURL string) error {
		return cite.PrintVerdicts(ctx, server.Call, citations, providerURL, c.JSON, app.visible())
	})
}
