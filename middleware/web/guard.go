package web

import (
	"net/http"
	"slices"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// What a browser client may send and see beyond the safelisted headers.
const (
	corsAllowHeaders  = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID, Request-Id"
	corsExposeHeaders = "WWW-Authenticate, Link, Request-Id, Retry-After, Mcp-Session-Id, Mcp-Protocol-Version"
	corsMaxAge        = "600"
)

// guard refuses requests that name a host which is not this server's with 421 (RFC 9110, section 15.5.20): a web page that had its own
// name resolve to this server's address gets no further. Then every request with an Origin header that is neither listed nor this
// server's own origin is refused with 403; the transport specification demands it. Programs send none. Pages of listed origins may
// read the answers (CORS), and their preflights are answered here.
func guard(public Public, origins []string) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !public.allowed(r, public.host(r)) {
				Refuse(w, r, &rs.Error{
					Code: "host_refused", Message: "This server does not answer under the host name of this request.",
					Hint: "Use the server's public URL; an operator adds further names to the allowed hosts.",
				})
				return
			}
			sent := r.Header.Values("Origin")
			if len(origins) > 0 {
				w.Header().Add("Vary", "Origin")
				if len(sent) == 1 && slices.Contains(origins, sent[0]) && share(w, r, sent[0]) {
					return
				}
			}
			for _, origin := range sent {
				if !slices.Contains(origins, origin) && origin != public.origin(r) {
					Refuse(w, r, &rs.Error{
						Code: "origin_refused", Message: "Requests from web pages of this origin are not served.",
						Hint: "Call from a program, or have the operator list the page's origin.",
					})
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// share lets the pages of an origin read the answer, and reports whether the request was a preflight and is answered. It sends no
// Access-Control-Allow-Credentials: a bearer is sent by a program, never by a browser on its own.
func share(w http.ResponseWriter, r *http.Request, origin string) (answered bool) {
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", corsExposeHeaders)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
	w.Header().Set("Access-Control-Allow-Headers", corsAllowHeaders)
	w.Header().Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
