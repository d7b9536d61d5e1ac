package observe

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A transport starts a span for every request and names it in the request's traceparent. class names requests that are not reads of a
// resource server. A nil tracer makes no span: the request then carries the traceparent of the incoming request, if there is one.
type transport struct {
	next   http.RoundTripper
	tracer trace.Tracer
	class  string
}

// RoundTrip sends one request. Its span ends when the body of the answer is closed.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	if t.tracer == nil {
		return t.next.RoundTrip(withTraceparent(ctx, request))
	}
	class := cmp.Or(rsclient.ClassFrom(ctx), t.class)
	ctx, span := t.tracer.Start(ctx, "read "+class, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("pdpp.read", class), attribute.String("http.request.method", request.Method)))
	response, err := t.next.RoundTrip(withTraceparent(ctx, request))
	if err != nil { // record only its kind: the text names the address
		span.SetStatus(codes.Error, failure(err))
		span.End()
		return response, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, "")
	}
	response.Body = &tracedBody{ReadCloser: response.Body, span: span}
	return response, nil
}

// withTraceparent returns the request with the traceparent of the span in ctx, or the request unchanged if ctx has none.
func withTraceparent(ctx context.Context, request *http.Request) *http.Request {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return request
	}
	sent := request.Clone(ctx) // a RoundTripper must not modify its request
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

// A tracedBody ends its span when it is closed.
type tracedBody struct {
	io.ReadCloser
	span  trace.Span
	bytes int
}

func (b *tracedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes += n
	return n, err
}

func (b *tracedBody) Close() error {
	b.span.SetAttributes(attribute.Int("http.response.body.size", b.bytes))
	b.span.End()
	return b.ReadCloser.Close()
}
