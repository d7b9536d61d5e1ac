package web

import (
	"net/http"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// host refuses requests that name a host which is not this server's with 421 (RFC 9110, section 15.5.20). A web
// page that had its own name resolve to this server's address gets no further.
func host(public Public) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !public.allowed(r, public.host(r)) {
				Refuse(w, r, http.StatusMisdirectedRequest, &rs.Error{
					Code:    rs.HostRefused,
					Message: "This server does not answer under the host name of this request.",
					Hint:    "Use the server's public URL; an operator adds further names to the allowed hosts.",
				}, "")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
