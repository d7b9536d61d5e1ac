package web

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// RequestIDHeader names a request in the answer and in the log.
const RequestIDHeader = "Request-Id"

// RequestID gives every request an id and repeats it in the answer. A client's own id is taken over when it is
// harmless in a log: at most 64 letters, digits, dots, dashes and underscores, and no part of the credential.
func RequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(RequestIDHeader)
		if id == "" {
			id = r.Header.Get("X-Request-Id")
		}
		if !sane(id) || len(id) >= 8 && strings.Contains(r.Header.Get("Authorization"), id) {
			id = "req_" + strings.ToLower(rand.Text())
		}
		w.Header().Set(RequestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(middleware.WithRequestID(r.Context(), id)))
	})
}

func sane(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r)
	})
}
