package web

import (
	"net/http"
	"time"

	"github.com/justinas/alice"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// How many bytes of what comes from outside a line has.
const (
	maxLoggedMethod = 32
	maxLoggedCode   = 80
)

// accessLog writes one line per request: method, path, status, milliseconds, bytes of the answer, request id; of a refusal its
// code; and the id of the trace, if there is one. A method is cut to 32 bytes, a code to 80. The query is left out, because clients put
// tokens there; so are all headers. Lines of probes, which come every few seconds, are of level debug.
func accessLog(log zerolog.Logger) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begin := time.Now()
			defer func() { // also when the handler panics past recoverHTTP, as http.ErrAbortHandler does
				request, level := middleware.RequestFrom(r.Context()), zerolog.InfoLevel
				if request.Path == LivePath || request.Path == ReadyPath {
					level = zerolog.DebugLevel
				}
				event := log.WithLevel(level)
				if request.Refusal != "" {
					event = event.Str("code", middleware.Bounded(string(request.Refusal), maxLoggedCode))
				}
				if span := trace.SpanContextFromContext(r.Context()); span.HasTraceID() {
					event = event.Stringer("trace_id", span.TraceID())
				}
				event.Str("method", middleware.Bounded(r.Method, maxLoggedMethod)).Str("path", request.Path).Int("status", request.Status).
					Int64("ms", time.Since(begin).Milliseconds()).Int64("bytes", request.Bytes).
					Str("request_id", request.ID).Msg("request")
			}()
			next.ServeHTTP(w, r)
		})
	}
}
