package web

import (
	"net/http"
	"slices"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// origin refuses every request with an Origin header that is neither listed nor this server's own origin with
// 403; the transport specification demands it. Programs send none. It must come after [host], which makes the
// server's own origin trustworthy.
func origin(origins []string, public Public) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, origin := range r.Header.Values("Origin") {
				if !slices.Contains(origins, origin) && origin != public.origin(r) {
					Refuse(w, r, http.StatusForbidden, &rs.Error{
						Code:    rs.OriginRefused,
						Message: "Requests from web pages of this origin are not served.",
						Hint:    "Call from a program, or have the operator list the page's origin.",
					}, "")
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}
