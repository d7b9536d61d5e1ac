package web

import (
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"

	"github.com/justinas/alice"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// loggedPath is the path of a request as the log shows it. Only our own paths are shown: people paste tokens into others.
func loggedPath(path string) string {
	switch path {
	case EndpointPath, MetadataPath, MetadataPath + EndpointPath, IconPath, PagePath, LivePath, ReadyPath:
		return path
	}
	return "other"
}

// AccessLog writes one line per request: method, path, status, milliseconds, bytes of the answer, request id; of a
// refusal its code; and the trace to which the request belongs, if it does.
// A method has at most 32 bytes in it, and a code 80.
// The query is left out, because clients put tokens there; so are all headers. Probes are asked every few seconds for
// ever: their lines are of level debug.
func AccessLog(log zerolog.Logger) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begin := time.Now()
			counted := &counter{ResponseWriter: w}
			defer func() { // also when the handler panics past RecoverHTTP, as http.ErrAbortHandler does
				level := zerolog.InfoLevel
				if r.URL.Path == LivePath || r.URL.Path == ReadyPath {
					level = zerolog.DebugLevel
				}
				event := log.WithLevel(level)
				if counted.code != "" {
					event = event.Str("code", middleware.Bounded(string(counted.code), middleware.MaxLoggedCode))
				}
				if id := middleware.TraceIDFrom(r.Context()); id != "" {
					event = event.Str("trace_id", id)
				}
				event.Str("method", middleware.Bounded(r.Method, middleware.MaxLoggedWord)).Str("path", loggedPath(r.URL.Path)).Int("status", counted.status).
					Int64("ms", time.Since(begin).Milliseconds()).Int64("bytes", counted.bytes).
					Str("request_id", middleware.RequestIDFrom(r.Context())).Msg("request")
			}()
			next.ServeHTTP(counted, r)
		})
	}
}

// A counter notes status and size of an answer, and of a refusal its code. Status 0 means that nothing was answered.
type counter struct {
	http.ResponseWriter
	status int
	bytes  int64
	code   rs.Code
}

func (c *counter) WriteHeader(status int) {
	if c.status == 0 && status >= http.StatusOK {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counter) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach what is below.
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
