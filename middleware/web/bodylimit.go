package web

import (
	"fmt"
	"net/http"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// bodyLimit refuses a body that announces more than limit bytes with 413, and cuts one that does not announce its
// length at limit bytes: the reader then fails with *http.MaxBytesError.
func bodyLimit(limit int64) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > limit {
				RefuseLarge(w, r, limit)
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, limit)
			next.ServeHTTP(w, r)
		})
	}
}

// RefuseLarge answers 413.
func RefuseLarge(w http.ResponseWriter, r *http.Request, limit int64) {
	Refuse(w, r, http.StatusRequestEntityTooLarge, &rs.Error{
		Code:    rs.RequestTooLarge,
		Message: fmt.Sprintf("The request body is larger than %d bytes.", limit),
		Hint:    "Send one request with smaller arguments.",
	}, "")
}
