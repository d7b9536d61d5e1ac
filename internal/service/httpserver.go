package service

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// Limits of [NewHTTPServer]. The write timeout starts at the request's header. It is far longer than the deadline of any call, and
// only ends connections whose client does not read the answer.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 5 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
)

// NewHTTPServer returns an HTTP server with the timeouts and limits that net/http does not set by default. Its log lines go to the standard
// logger, which the program gives a [FaultLog].
func NewHTTPServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr: addr, Handler: handler,
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
	}
}

// listen opens a TCP listener at the address that a flag gives. Its error is an *[exit.Error] if the address is invalid.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	if _, err := net.ResolveTCPAddr("tcp", address); err != nil {
		return nil, exit.UsageError(fmt.Sprintf("%s: cannot listen on %s: %v. Give HOST:PORT, such as 127.0.0.1:7700.", flag, address, err))
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with %s", err, flag)
	}
	return listener, nil
}

// AdminPath is the path of the metrics that [ServeAdmin] serves.
const AdminPath = "/metrics"

// ServeAdmin serves the metrics and the probes at a separate address until closeAdmin is called, so that they answer even if clients use
// all connections of the endpoint. They contain no secret, but are not meant for the public. An invalid address is an *[exit.Error].
func ServeAdmin(ctx context.Context, address string, metrics, probes http.Handler, log zerolog.Logger) (closeAdmin func(), err error) {
	listener, err := listen(ctx, "--admin-listen", address)
	if err != nil {
		return nil, err
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
