package web

import (
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// ChainOptions configure the chains.
type ChainOptions struct {
	Authenticator Authenticator
	Public        Public                // under which names this server is reached
	Origins       []string              // browser origins that may call, such as https://app.example; usually none
	Limiter       *Limiter              // nil means one with DefaultLimits
	Offers        func(rs.Missing) bool // reports whether a new sign-in asks the owner for what a call misses; nil: none does
	Logger        zerolog.Logger
	Tracer        trace.Tracer    // nil makes no spans
	Observer      RequestObserver // nil counts nothing
}

// A RequestObserver is notified of HTTP requests, so that they can be counted. Its methods are called by many goroutines at a time,
// and must be quick.
type RequestObserver interface {
	RequestBegan()
	// RequestEnded gets the path, which is one of ours or "other"; the status, 0 when nothing was answered; and the code with
	// which [Refuse] refused the request, or "".
	RequestEnded(path string, status int, code rs.Code, took time.Duration)
}
