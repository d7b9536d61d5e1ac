package cli

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

type stdioCommand struct {
	providerFlags
	ServerName  string `name:"server-name" help:"Name shown to the client; ${default} if absent." default:"pdpp" env:"PDPP_MCP_SERVER_NAME" placeholder:"NAME"`
	SearchRelax bool   `name:"search-relax" help:"Search for the words one by one where no record has all of them; on if absent." negatable:"" default:"true" env:"PDPP_MCP_SEARCH_RELAX"`
}

// Run serves one local client with one cached token.
func (c stdioCommand) Run(ctx context.Context, app App) error {
	ctx = terminal.Watch(ctx, app.Out)
	log := app.log(zerolog.WarnLevel)
	watch, unwatch, err := app.Observe(ctx, false, app.Getenv, log)
	if err != nil {
		return err
	}
	defer within(LastLineWait, unwatch)
	return c.open(ctx, log, app, true, func(p provider) error {
		server, principal, err := p.pipeline(ctx, app, transport.PipelineOptions{Name: c.ServerName, Logger: log, NoSearchRelax: !c.SearchRelax}, watch)
		if err != nil {
			return err
		}
		return transport.Stdio(ctx, server, principal, app.In, app.Out)
	})
}

// within runs f, and waits for its end no longer than limit.
func within(limit time.Duration, f func()) {
	ended := make(chan struct{})
	go func() {
		f()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(limit):
	}
}
