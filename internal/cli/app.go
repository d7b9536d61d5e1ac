package cli

import (
	"context"
	"io"
	"net"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
)

// An App is what the commands run in: the process, and what the program can build. main fills it.
type App struct {
	Version  string
	Getenv   func(string) string
	In       io.Reader
	Out, Err io.Writer // for stdio and demo --json, Out is protocol

	// Host builds a hosted server, which listens already.
	Host func(ctx context.Context, c HostedConfig, inherited []net.Listener) (Hosted, error)
	// Observe sets up metrics, if they are asked for, and traces, if the environment asks for them. The function sends what is
	// left.
	Observe func(ctx context.Context, metrics bool, getenv func(string) string, log zerolog.Logger) (observe.Observation, func(), error)
}

func (app App) userAgent() string { return "pdpp-mcp/" + app.Version }
