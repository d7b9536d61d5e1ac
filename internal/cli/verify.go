package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/cite"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

type verifyCommand struct {
	providerFlags
	Text string
	JSON bool
}

func newVerify(app App) *cobra.Command {
	var o verifyCommand
	c := &cobra.Command{
		Use: "verify <citation>", Args: takes(1, 1), Short: "Say whether a record still says what was quoted from it.",
		Long: `Say whether a record still says what was quoted from it. <citation> is JSON
with id, field, start_chars, end_chars and sha256, as answers print them.`,
		Example: `pdpp-mcp verify '{"id":"cin_a/messages:m1","field":"body","start_chars":0,"end_chars":80,"sha256":"..."}' --provider-url https://rs.example`,
		RunE:    func(c *cobra.Command, words []string) error { return o.run(c.Context(), app, words[0]) },
	}
	o.declare(c.Flags())
	c.Flags().StringVar(&o.Text, "text", "", "The `TEXT` that was quoted; needed when its place is not known")
	c.Flags().BoolVar(&o.JSON, "json", false, "Print the verdict as a line of JSON")
	return c
}

// run prints whether the record of a citation still has the quoted text.
func (c verifyCommand) run(ctx context.Context, app App, typed string) error {
	citation, err := cite.ParseCitation(typed, c.Text)
	if err != nil {
		return exit.UsageError(err.Error() + ".")
	}
	return c.withServer(ctx, app, func(ctx context.Context, server *transport.Server, providerURL string) error {
		verdict, err := cite.Verify(ctx, server.Call, citation)
		if err != nil {
			return cite.WithExitCode(err, providerURL)
		}
		line := verdict.String()
		if c.JSON {
			line = rs.EncodeJSON(verdict)
		}
		_, err = fmt.Fprintln(app.visible(), line)
		return cmp.Or(err, verdict.Err())
	})
}
