package web

import (
	"context"
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

type framingKey struct{}

// WithFraming carries a function that reports whether the length of the request at hand can be read in two ways; see
// [Framing]. It belongs into the context of a connection.
func WithFraming(ctx context.Context, ambiguous func(r *http.Request) bool) context.Context {
	return context.WithValue(ctx, framingKey{}, ambiguous)
}

// Framing refuses a request with both Content-Length and Transfer-Encoding with 400 and closes its connection (RFC 9112,
// section 6.1). A proxy in front that reads the other length would take the rest of the body for the next request, which may
// be another client's. net/http drops Content-Length without a word; the listener of transport.Service notices it.
func Framing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ambiguous, ok := r.Context().Value(framingKey{}).(func(*http.Request) bool); ok && ambiguous(r) {
			w.Header().Set("Connection", "close")
			Refuse(w, http.StatusBadRequest, &rs.Error{
				Code: rs.RequestMalformed, Message: "The request has both Content-Length and Transfer-Encoding.", Hint: "Send one of them.",
			}, "")
			return
		}
		next.ServeHTTP(w, r)
	})
}
