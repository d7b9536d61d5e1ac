// Package cli is what can be typed: the commands of the program, each in a file of its own, and what they print. A command
// that calls tools does so through the pipeline that every call passes.
package cli

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/transport"
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

	args []string // what was typed
}

func (app App) userAgent() string { return "pdpp-mcp/" + app.Version }

// visible is the output for what a person reads.
func (app App) visible() terminal.Visible { return terminal.Visible{Out: app.Out} }

// log is what happens beside an answer.
func (app App) log(level zerolog.Level) zerolog.Logger {
	return zerolog.New(app.Err).Level(level).With().Timestamp().Logger()
}

// warn says what is wrong although the command goes on.
func (app App) warn(format string, arguments ...any) {
	fmt.Fprintf(app.Err, "pdpp-mcp: warning: "+format+"\n", arguments...)
}

// HostedConfig is what a hosted server is made of: its flags, checked, and what follows from them.
type HostedConfig struct {
	ServeFlags
	Name          string
	Public        web.Public
	Origins       []string
	Details       string                    // authorization_details that sign-ins ask for; empty, with no source named: no sign-in here
	Introspection *auth.IntrospectorOptions // nil: the schema probe
	Log           zerolog.Logger
	Watch         observe.Observation // AdminListen shows its metrics
	Page          transport.Page      // for people; nil: none
	PageForms     bool                // the page takes forms
}

// SignsIn reports whether OAuth hosts sign in here.
func (c HostedConfig) SignsIn() bool { return c.AuthorizationSource != "" || c.Details != "" }

// Hosted is a server that listens.
type Hosted interface {
	// URL is where clients find it.
	URL() string
	// Serve answers until ctx ends. Whenever the manager asks for it, read's configuration replaces the one that is served; with it come
	// the flags that changed in vain, because only a restart changes what they stand for.
	Serve(ctx context.Context, m service.Manager, read func() (HostedConfig, []string, error)) error
}
