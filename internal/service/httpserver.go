package service

import (
	"log"
	"net/http"
	"time"
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
