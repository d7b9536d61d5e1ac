package web

import (
	"net/http"
	"time"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A RequestObserver is notified of HTTP requests, so that they can be counted. Its methods are called by many goroutines at a time, and must be quick.
type RequestObserver interface {
	RequestBegan()
	// RequestEnded is told the path, which is one of ours or "other"; the status, 0 when nothing was answered; and the
	// code with which [Refuse] refused the request, or "".
	RequestEnded(path string, status int, code rs.Code, took time.Duration)
}

// MeasureHTTP tells the observer of each request when it begins and how it ended. A nil observer costs nothing.
func MeasureHTTP(observer RequestObserver) alice.Constructor {
	return func(next http.Handler) http.Handler {
		if observer == nil {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begin := time.Now()
			observer.RequestBegan()
			counted := &counter{ResponseWriter: w}
			defer func() { // also when the handler panics
				observer.RequestEnded(loggedPath(r.URL.Path), counted.status, counted.code, time.Since(begin))
			}()
			next.ServeHTTP(counted, r)
		})
	}
}

// noteRefusal tells whoever counts the answer to a request why it is a refusal.
func noteRefusal(w http.ResponseWriter, code rs.Code) {
	for w != nil {
		switch here := w.(type) {
		case *counter:
			here.code, w = code, here.ResponseWriter
		case *deferredWriter:
			w = here.w
		case interface{ Unwrap() http.ResponseWriter }:
			w = here.Unwrap()
		default:
			return
		}
	}
}
