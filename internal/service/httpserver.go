package service

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// Limits of [NewHTTPServer]. The write timeout counts from the request's header: it lies far beyond any call's own
// deadline, and only ends clients that do not read their answer.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 5 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
)

// NewHTTPServer returns an HTTP server with the timeouts and limits that net/http leaves open. What net/http has to say of
// its requests is withheld from the log; see [FaultLog].
func NewHTTPServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr: addr, Handler: handler,
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: log.New(withheld{}, "", 0),
	}
}

// libraryFault is what is logged instead of a library's own words.
const libraryFault = "a library reported a fault; its text is withheld because it may hold record data"

// A FaultLog takes the lines that net/http and other libraries write to the standard logger. They may quote what a server
// or a client sent, so that none is passed on: the log gets one fixed line with how many there were, at the first, second,
// fourth, eighth and so on. It is safe for concurrent use.
type FaultLog struct {
	log   zerolog.Logger
	count atomic.Uint64
}

// NewFaultLog returns a FaultLog that writes to a log.
func NewFaultLog(log io.Writer) *FaultLog {
	return &FaultLog{log: zerolog.New(log).With().Timestamp().Logger()}
}

func (f *FaultLog) Write(line []byte) (int, error) {
	if n := f.count.Add(1); n&(n-1) == 0 {
		f.log.Warn().Uint64("count", n).Msg(libraryFault)
	}
	return len(line), nil
}

// withheld passes a fixed line on to the standard logger, whatever is written to it.
type withheld struct{}

func (withheld) Write(line []byte) (int, error) {
	log.Print(libraryFault)
	return len(line), nil
}

// listen opens the address of a flag. Its error is an *[exit.Error] if nothing can listen there.
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

// AdminPath is where [ServeAdmin] shows the metrics.
const AdminPath = "/metrics"

// ServeAdmin serves the metrics and the probes at a separate address until close: a caller that holds all connections of the
// endpoint does not stop them. They hold no secret, but are not the public's. An invalid address is an *[exit.Error].
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
