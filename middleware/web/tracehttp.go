package web

import (
	"net/http"

	"github.com/justinas/alice"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// traceHTTP continues the trace that a request's traceparent names, and makes a span for the request. A nil tracer makes no span.
//
// otelhttp is not used: its spans have url.path and user_agent.original as the client sent them, and people paste tokens into
// paths.
func traceHTTP(tracer trace.Tracer) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if values := r.Header.Values("Traceparent"); len(values) == 1 {
				r = r.WithContext(middleware.ContinueTrace(r.Context(), values[0]))
			}
			if tracer == nil {
				next.ServeHTTP(w, r)
				return
			}
			request, method := middleware.RequestFrom(r.Context()), loggedMethod(r.Method)
			ctx, span := tracer.Start(r.Context(), method+" "+request.Path, trace.WithSpanKind(trace.SpanKindServer),
				trace.WithAttributes(attribute.String("http.request.method", method), attribute.String("http.route", request.Path)))
			request.Span = span.SpanContext()
			defer func() {
				span.SetAttributes(attribute.Int("http.response.status_code", request.Status))
				if request.Refusal != "" {
					span.SetAttributes(attribute.String("pdpp.refusal", request.Refusal.Label()))
				}
				if request.Status >= http.StatusInternalServerError {
					span.SetStatus(codes.Error, "")
				}
				span.End()
			}()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// loggedMethod returns the method of a request as a trace shows it: a client may send any word.
func loggedMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
