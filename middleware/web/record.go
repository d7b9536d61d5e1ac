package web

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// requestIDHeader names a request in the answer and in the log.
const requestIDHeader = "Request-Id"

// record gives every request its [middleware.Request], in which the stages below it find its id and path, and how it is answered.
// The id is repeated in the answer. A client's own id is kept if it is harmless in a log: at most 64 letters, digits, dots,
// dashes and underscores, and no part of the credential.
//
// Only our own paths are recorded: people paste tokens into others.
func record(public Public) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			request := &middleware.Request{ID: requestID(r.Header), Path: public.Route(r.URL.Path)}
			w.Header().Set(requestIDHeader, request.ID)
			next.ServeHTTP(&recordingWriter{w, request}, r.WithContext(middleware.WithRequest(r.Context(), request)))
		})
	}
}

// requestID returns the id that a client sent, or a new one.
func requestID(header http.Header) string {
	id := header.Get(requestIDHeader)
	if id == "" {
		id = header.Get("X-Request-Id")
	}
	if !isHarmlessID(id) || len(id) >= 8 && strings.Contains(header.Get("Authorization"), id) {
		return "req_" + strings.ToLower(rand.Text())
	}
	return id
}

func isHarmlessID(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r)
	})
}

// A recordingWriter records status and size of an answer. github.com/felixge/httpsnoop is not used: it reports 200, or nothing,
// where a handler did not set a status, and the log shows whether there was an answer.
type recordingWriter struct {
	http.ResponseWriter
	request *middleware.Request
}

// WriteHeader begins the answer.
func (w *recordingWriter) WriteHeader(status int) {
	if w.request.Status == 0 && status >= http.StatusOK {
		w.request.Status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes the answer.
func (w *recordingWriter) Write(p []byte) (int, error) {
	if w.request.Status == 0 {
		w.request.Status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.request.Bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recordingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
