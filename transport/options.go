// Package transport serves the tools over MCP: Streamable HTTP behind the HTTP chain, or stdio. It makes no policy decisions: package
// middleware/web decides who may call, package middleware what a call does.
package transport

import (
	"context"
	"net/http"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// HandlerOptions configure [Handler].
type HandlerOptions struct {
	Server        *Server // from NewPipeline
	Authenticator web.Authenticator
	Public        web.Public
	Origins       []string // browser origins that may call; usually none
	Metadata      Metadata
	Limiter       *web.Limiter    // nil means one with web.DefaultLimits
	Health        *Health         // answers /livez and /readyz; nil serves neither
	Page          Page            // what GET / shows to people; nil serves none
	PageForms     bool            // the page also accepts forms, which are POST to /
	SignIn        SignIn          // answers web.ServerPath, AuthorizePath, RegisterPath and TokenPath; nil serves none
	NoFastPath    bool            // the SDK answers every message, also plain ones; see package fastpath
	Stop          context.Context // when it ends, calls under way fail with its cause, which should be an *rs.Error; may be nil
	Logger        zerolog.Logger
	Tracer        trace.Tracer        // nil makes no spans
	Observer      web.RequestObserver // nil counts nothing
}

// A Page is what the server shows in a browser. endpoint is the URL of /mcp; status is the one in /readyz, or "" if it is not known.
type Page interface {
	Serve(w http.ResponseWriter, r *http.Request, endpoint, status string)
}

// A SignIn serves the requests of a sign-in at this server. path is one of the paths of package web, and the method has been checked.
type SignIn interface {
	Serve(w http.ResponseWriter, r *http.Request, path string)
	// Offers reports whether a sign-in asks the owner for what a call lacks.
	Offers(rs.Missing) bool
}
