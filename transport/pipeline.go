package transport

import (
	"cmp"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// PipelineOptions configure [NewPipeline].
type PipelineOptions struct {
	Client     *rsclient.Client // reads the one resource server
	RecordBase string           // the resource server's public URL, for citations; empty means the client's own
	Name       string           // of the server, shown to clients; empty means "pdpp"
	Title      string           // shown to people; empty means "Personal data (PDPP)"
	Version    string           // of the server
	Deadline   time.Duration    // of one call; 0 means middleware.DefaultDeadline
	// NoSearchRelax is set to answer a search that finds nothing with just that: see docs/search.md.
	NoSearchRelax bool
	Logger        zerolog.Logger
	Tracer        trace.Tracer            // nil makes no spans
	Observer      middleware.CallObserver // nil counts nothing
}

// NewPipeline returns the adapter's MCP server over one resource server: every tool and resource, behind the chain of
// [middleware.Standard]. It is what [Handler] mounts and [Stdio] serves, so that every way in leads to the same pipeline.
func NewPipeline(o PipelineOptions) *Server {
	all := tools.AllWith(tools.Options{RecordBase: cmp.Or(o.RecordBase, o.Client.Base()), NoSearchRelax: o.NoSearchRelax})
	handle := middleware.Standard(middleware.Options{Log: o.Logger, Deadline: o.Deadline, Source: middleware.Reading(o.Client), Tracer: o.Tracer, Observer: o.Observer}, tools.Forward)
	return NewServer(ServerOptions{
		Name: cmp.Or(o.Name, "pdpp"), Title: cmp.Or(o.Title, "Personal data (PDPP)"), Version: o.Version,
		Instructions: tools.Instructions, Tools: all, Resources: tools.Resources(all), Prompts: tools.Prompts(),
		Handler: handle, Logger: o.Logger,
	})
}
