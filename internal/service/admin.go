package service

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// AdminPath is where [ServeAdmin] shows the metrics.
const AdminPath = "/metrics"

// ServeAdmin serves the metrics and the probes at an address of their own until close: whoever holds all connections of the
// endpoint does not stop them. They hold no secret, but are not the public's. An invalid address is an *[exit.Error].
func ServeAdmin(ctx context.Context, address string, metrics, probes http.Handler, log zerolog.Logger) (closeAdmin func(), err error) {
	if _, err := net.ResolveTCPAddr("tcp", address); err != nil {
		return nil, exit.UsageError(fmt.Sprintf("--admin-listen: cannot listen on %s: %v", address, err))
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --admin-listen", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+AdminPath, metrics)
	mux.Handle(web.LivePath, probes)
	mux.Handle(web.ReadyPath, probes)
	server := NewHTTPServer("", mux)
	go func() { _ = server.Serve(listener) }() // ends with Close
	log.Info().Str("address", listener.Addr().String()).Msg("serving " + AdminPath)
	return func() { _ = server.Close() }, nil
}
