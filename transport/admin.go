package transport

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/rs/zerolog"
)

// AdminPath is where [ServeAdmin] shows the metrics; it serves nothing else.
const AdminPath = "/metrics"

// ServeAdmin serves the metrics at an address of their own until close. They hold no secret, but are not the public's.
// An address that is none is an *ExitError.
func ServeAdmin(ctx context.Context, address string, metrics http.Handler, log zerolog.Logger) (closeAdmin func(), err error) {
	if _, err := net.ResolveTCPAddr("tcp", address); err != nil {
		return nil, UsageError(fmt.Sprintf("--admin-listen: cannot listen on %s: %v", address, err))
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --admin-listen", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+AdminPath, metrics)
	server := NewHTTPServer("", mux)
	go func() { _ = server.Serve(listener) }() // ends with Close
	log.Info().Str("address", listener.Addr().String()).Msg("serving " + AdminPath)
	return func() { _ = server.Close() }, nil
}
