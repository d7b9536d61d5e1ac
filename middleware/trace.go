package middleware

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// startSpan starts the span of a call, such as "tools/call schema". Where the call names another trace than that of its HTTP request, the
// span is linked to the request's. end writes how the call went into it.
func startSpan(ctx context.Context, tracer trace.Tracer, call tools.Call) (spanned context.Context, end func(Outcome)) {
	name := "tools/call " + call.Tool.Name
	if call.URI != "" {
		name = "resources/read " + call.Tool.Name
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
	if request := RequestFrom(ctx).Span; request.IsValid() && request.TraceID() != trace.SpanContextFromContext(ctx).TraceID() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: request}))
	}
	spanned, span := tracer.Start(ctx, name, options...)
	return spanned, func(o Outcome) {
		if span.IsRecording() {
			describe(span, o)
		}
		span.End()
	}
}

// describe writes how a call went into its span.
func describe(span trace.Span, o Outcome) {
	code := o.Code.Label()
	span.SetAttributes(
		attribute.String("pdpp.tool", o.Tool),
		attribute.String("pdpp.outcome", code),
		attribute.String("mcp.protocol.version", Bounded(o.Protocol, maxLoggedWord)),
		attribute.Int("pdpp.bytes.read", o.ReadBytes),
		attribute.Int("pdpp.bytes.text", o.TextBytes),
		attribute.Int("pdpp.bytes.structured", o.StructuredBytes),
		attribute.Int("pdpp.bytes.resource", o.ResourceBytes),
	)
	if o.Code != "ok" {
		span.SetStatus(codes.Error, code)
	}
}

// ContinueTrace returns a context in the trace that a traceparent (W3C Trace Context) names. An invalid traceparent changes
// nothing. tracestate and baggage are not read, because they may hold anything.
func ContinueTrace(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	current := trace.SpanContextFromContext(ctx)
	named := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent}))
	if !named.IsValid() || named.TraceID() == current.TraceID() {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, named)
}
