package cli

import (
	"context"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/config"
	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/internal/localserver"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

type stdioCommand struct {
	providerFlags
	ServerName              string
	SearchRelax, HitContext bool
}

func newStdio(app App) *cobra.Command {
	var o stdioCommand
	c := &cobra.Command{
		Use: "stdio", Args: takes(0, 0), Example: "pdpp-mcp stdio --provider-url https://rs.example",
		Short: "Serve one local client over standard input and output.",
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context(), app) },
	}
	o.declare(c.Flags())
	c.Flags().StringVar(&o.ServerName, "server-name", "pdpp", "`NAME` shown to the client")
	searchVar(c.Flags(), &o.SearchRelax, &o.HitContext)
	config.Environment(c.Flags(), "PDPP_MCP_", "server-name", "search-relax", "hit-context")
	return c
}

func (c stdioCommand) run(ctx context.Context, app App) error {
	ctx = terminal.Watch(ctx, app.Out)
	log := app.log(zerolog.WarnLevel)
	watch, unwatch, err := app.observe(ctx, log)
	if err != nil {
		return err
	}
	defer unwatch(LastLineWait)
	return c.open(ctx, app, localserver.Config{Log: log, InBackground: true}, func(p provider) error {
		server, principal, err := p.pipeline(ctx, app, transport.PipelineOptions{
			Name: c.ServerName, Logger: log, NoSearchRelax: !c.SearchRelax, NoHitContext: !c.HitContext,
		}, watch)
		if err != nil {
			return err
		}
		return transport.Stdio(ctx, server, principal, app.In, app.Out)
	})
}
