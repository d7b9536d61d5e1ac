package web

import (
	"context"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
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

// An Authenticator says who bears a token. Its errors are *rs.Error values: AuthorityUnreachable if it could not find out, any
// other code if the token is not good. The principal may still not be admissible.
type Authenticator interface {
	Authenticate(context.Context, rs.Token) (auth.Principal, error)
}

// An AuthenticatorFunc is a function that is an [Authenticator].
type AuthenticatorFunc func(context.Context, rs.Token) (auth.Principal, error)

// Authenticate calls f.
func (f AuthenticatorFunc) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	return f(ctx, token)
}
