package observe

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// Trace returns a function that starts a span for each attempt of a request, as part of the call that makes it, and names the span in the
// request's traceparent. class names requests that are not reads of a resource server. Without a tracer it makes no span: the request then
// carries the traceparent of the incoming request, if there is one.
func (o Observation) Trace(class string) rsclient.Trace {
	return func(request *http.Request) (traced *http.Request, end func(status, bytes int, err error)) {
		ctx := request.Context()
		if o.Tracer == nil {
			return withTraceparent(ctx, request), func(int, int, error) {}
		}
		class := cmp.Or(rsclient.ClassFrom(ctx), class)
		ctx, span := o.Tracer.Start(ctx, "read "+class, trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(attribute.String("pdpp.read", class), attribute.String("http.request.method", request.Method)))
		return withTraceparent(ctx, request), func(status, bytes int, err error) { endRead(span, status, bytes, err) }
	}
}

// endRead ends the span of an attempt. Of an error it records only the kind, because the text names the address.
func endRead(span trace.Span, status, bytes int, err error) {
	defer span.End()
	if err != nil {
		span.SetStatus(codes.Error, failure(err))
		return
	}
	span.SetAttributes(attribute.Int("http.response.status_code", status), attribute.Int("http.response.body.size", bytes))
	if status >= http.StatusBadRequest {
		span.SetStatus(codes.Error, "")
	}
}

// withTraceparent returns the request with the traceparent of the span in ctx, or the request unchanged if ctx has none.
func withTraceparent(ctx context.Context, request *http.Request) *http.Request {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return request
	}
	sent := request.Clone(ctx) // the request may be sent again
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(sent.Header))
	sent.Header.Del("Tracestate") // it is the state of local samplers, useless to the receiver
	return sent
}

func failure(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline_exceeded"
	}
	return "server_unreachable"
}
