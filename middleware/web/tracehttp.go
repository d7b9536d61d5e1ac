package web

import (
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/middleware"

	"github.com/justinas/alice"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// TraceHTTP takes over the trace that a request's traceparent names, and puts the request into a span of its own. A nil
// tracer makes no span.
func TraceHTTP(tracer trace.Tracer) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if values := r.Header.Values("Traceparent"); len(values) == 1 {
				r = r.WithContext(middleware.ContinueTrace(r.Context(), values[0]))
			}
			if tracer == nil {
				next.ServeHTTP(w, r)
				return
			}
			method, path := loggedMethod(r.Method), loggedPath(r.URL.Path)
			ctx, span := tracer.Start(r.Context(), method+" "+path, trace.WithSpanKind(trace.SpanKindServer),
				trace.WithAttributes(attribute.String("http.request.method", method), attribute.String("http.route", path)))
			counted := &counter{ResponseWriter: w}
			defer func() {
				span.SetAttributes(attribute.Int("http.response.status_code", counted.status))
				if counted.code != "" {
					span.SetAttributes(attribute.String("pdpp.refusal", middleware.BoundedCode(counted.code)))
				}
				if counted.status >= http.StatusInternalServerError {
					span.SetStatus(codes.Error, "")
				}
				span.End()
			}()
			next.ServeHTTP(counted, r.WithContext(ctx))
		})
	}
}

// loggedMethod is the method of a request as a trace shows it: a client may send any word.
func loggedMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
