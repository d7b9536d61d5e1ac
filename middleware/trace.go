package middleware

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// traceCall makes a span for each call, such as "tools/call schema". Where the call names another trace than that of its HTTP
// request, the span is linked to the request's. A nil tracer makes no span; the trace that a client named still goes on to the
// resource server.
func traceCall(tracer trace.Tracer) middleware {
	return func(next tools.Handler) tools.Handler {
		if tracer == nil {
			return next
		}
		return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
			name := "tools/call " + call.Tool.Name
			if call.URI != "" {
				name = "resources/read " + call.Tool.Name
			}
			options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
			if request := RequestFrom(ctx).Span; request.IsValid() && request.TraceID() != trace.SpanContextFromContext(ctx).TraceID() {
				options = append(options, trace.WithLinks(trace.Link{SpanContext: request}))
			}
			ctx, span := tracer.Start(ctx, name, options...)
			defer span.End()
			reply, err := next(ctx, call)
			if span.IsRecording() {
				describe(span, outcomeOf(call, reply, err, 0))
			}
			return reply, err
		}
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
	if o.Code != Good {
		span.SetStatus(codes.Error, code)
	}
}

// ContinueTrace returns a context in the trace that a traceparent (W3C Trace Context) names. An invalid traceparent changes
// nothing. tracestate and baggage are not read, because they may hold anything.
func ContinueTrace(ctx context.Context, traceparent string) context.Context {
	current := trace.SpanContextFromContext(ctx)
	named := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent}))
	if !named.IsValid() || named.TraceID() == current.TraceID() {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, named)
}
