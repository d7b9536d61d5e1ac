package web

import (
	"net/http"
	"slices"

	"github.com/justinas/alice"
)

// What a browser client may send and see beyond the safelisted headers.
const (
	corsAllowHeaders  = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID, Request-Id"
	corsExposeHeaders = "WWW-Authenticate, Link, Request-Id, Retry-After, Mcp-Session-Id, Mcp-Protocol-Version"
	corsMaxAge        = "600"
)

// cors lets the pages of listed origins read the answers, and answers their preflights itself. It sends no
// Access-Control-Allow-Credentials: a bearer is sent by a program, never by a browser on its own.
func cors(origins []string) alice.Constructor {
	return func(next http.Handler) http.Handler {
		if len(origins) == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("Vary", "Origin")
			origin := r.Header.Values("Origin")
			if len(origin) != 1 || !slices.Contains(origins, origin[0]) {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Access-Control-Allow-Origin", origin[0])
			w.Header().Set("Access-Control-Expose-Headers", corsExposeHeaders)
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
				w.Header().Set("Access-Control-Allow-Headers", corsAllowHeaders)
				w.Header().Set("Access-Control-Max-Age", corsMaxAge)
				w.WriteHeader(http.StatusNoContent)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
