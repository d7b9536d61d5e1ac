// Package cli implements the commands of the program, each in its own file. Commands that call tools use the same pipeline as every other
// call.
package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// An App is the environment of the commands: the process, and the constructor that package main provides.
type App struct {
	Version  string
	Getenv   func(string) string
	In       io.Reader
	Out, Err io.Writer // for stdio and demo --json, Out carries only protocol

	// Host returns a hosted server that already listens.
	Host func(ctx context.Context, c HostedConfig, inherited []net.Listener) (Hosted, error)

	args []string // the command line, without the program's name
}

func (app App) userAgent() string { return "pdpp-mcp/" + app.Version }

// visible returns the output for text that a person reads.
func (app App) visible() terminal.Visible { return terminal.Visible{Out: app.Out} }

func (app App) log(level zerolog.Level) zerolog.Logger {
	return zerolog.New(app.Err).Level(level).With().Timestamp().Logger()
}

// observe sets up traces if the environment configures them. end exports the remaining spans within the given time.
func (app App) observe(ctx context.Context, log zerolog.Logger) (watch observe.Observation, end func(time.Duration), err error) {
	tracer, end, err := observe.NewTracer(ctx, app.Version, app.Getenv, log)
	if err != nil {
		return observe.Observation{}, nil, exit.UsageError(err.Error())
	}
	return observe.Observation{Tracer: tracer}, end, nil
}

// warn prints a warning to Err; the command goes on.
func (app App) warn(format string, arguments ...any) {
	fmt.Fprintf(app.Err, "pdpp-mcp: warning: "+format+"\n", arguments...)
}

// HostedConfig is the configuration of a hosted server: its validated flags, and what is derived from them.
type HostedConfig struct {
	ServeFlags
	Name          string
	Public        web.Public
	Origins       []string
	Details       string                    // authorization_details that sign-ins ask for (JSON); may be empty, see SignsIn
	Introspection *auth.IntrospectorOptions // nil: the schema probe
	Log           zerolog.Logger
	Level         zerolog.Level       // of the whole process's log, in addition to that of Log
	Watch         observe.Observation // AdminListen shows its metrics
	Page          transport.Page      // the page for people; nil for none
	PageForms     bool                // the page accepts forms
}

// SignsIn reports whether OAuth hosts sign in here.
func (c HostedConfig) SignsIn() bool { return c.AuthorizationSource != "" || c.Details != "" }

// Hosted is a server that listens.
type Hosted interface {
	// URL returns the URL of the endpoint for clients on this machine.
	URL() string
	// Serve answers until ctx ends. When the manager asks for a reload, the configuration that read returns replaces the current one. read
	// also returns the changed flags that take effect only after a restart.
	Serve(ctx context.Context, m service.Manager, read func() (HostedConfig, []string, error)) error
}

func (app App) warnUnusable(unusable []error) {
	for _, why := range unusable {
		app.warn("%v. Fix or delete it.", why)
	}
}
