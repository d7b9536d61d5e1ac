package cli

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/internal/cite"
	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
)

type verifyCommand struct {
	Citation string `arg:"" help:"JSON with id, field, start_chars, end_chars and sha256, as answers print them; - reads one a line from standard input."`
	providerFlags
	Text string `help:"The text that was quoted; needed when its place is not known." placeholder:"TEXT"`
	JSON bool   `name:"json" help:"Print each verdict as a line of JSON."`
}

// runVerify says of each citation whether its record still says it: one line a citation on stdout.
func runVerify(ctx context.Context, c verifyCommand, app App) error {
	citations, err := cite.ReadCitations(c.Citation, c.Text, app.In)
	if err != nil {
		return err
	}
	return c.inside(ctx, app, func(session *mcp.ClientSession, providerURL string) error {
		return cite.PrintVerdicts(ctx, session, citations, providerURL, c.JSON, terminal.Visible{Out: app.Out})
	})
}
