package cli

import (
	"context"
	"os"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/doctor"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

type doctorCommand struct {
	providerFlags
	JSON bool `name:"json" help:"Print the findings as JSON."`
}

// runDoctor looks at everything that stands between a person and an answer.
func runDoctor(ctx context.Context, c doctorCommand, app App) error {
	if err := c.check(); err != nil {
		return err
	}
	place, err := thisPlace(app.Getenv)
	if err != nil {
		return err
	}
	program, _, err := ownPath()
	if err != nil {
		return err
	}
	options := doctor.Options{
		OwnerVariable: credentials.OwnerVariable(os.Environ()), Roots: cacheRoots(c.CacheRoot), ProviderURL: c.ProviderURL, GrantID: c.GrantID,
		Program: program, Environment: os.Environ(), Place: place, UserAgent: app.userAgent(), Now: time.Now,
	}
	if c.Demo || c.Data != "" {
		config, err := c.embedded(embeddedConfig{log: zerolog.Nop(), progress: app.Err, now: time.Now})
		if err != nil {
			return err
		}
		sample, err := startEmbedded(ctx, config)
		if err != nil {
			return err
		}
		defer sample.close()
		options.Sample = &doctor.Sample{URL: sample.url, Token: rs.NewToken(sample.tokens.Client)}
	}
	return doctor.Run(ctx, options, c.JSON, visible{app.Out})
}
