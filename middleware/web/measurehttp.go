package web

import (
	"net/http"
	"time"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A RequestObserver is notified of HTTP requests, so that they can be counted. Its methods are called by many goroutines at a time,
// and must be quick.
type RequestObserver interface {
	RequestBegan()
	// RequestEnded gets the path, which is one of ours or "other"; the status, 0 when nothing was answered; and the code with
	// which [Refuse] refused the request, or "".
	RequestEnded(path string, status int, code rs.Code, took time.Duration)
}

// measureHTTP notifies the observer when a request begins and when it has ended. A nil observer costs nothing.
func measureHTTP(observer RequestObserver) alice.Constructor {
	return func(next http.Handler) http.Handler {
		if observer == nil {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begin := time.Now()
			observer.RequestBegan()
			defer func() { // also when the handler panics
				request := middleware.RequestFrom(r.Context())
				observer.RequestEnded(request.Path, request.Status, request.Refusal, time.Since(begin))
			}()
			next.ServeHTTP(w, r)
		})
	}
}
