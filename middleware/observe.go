package middleware

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// observeCall records each call in a span, in the metrics and in the log; see [startSpan] and [logCall]. Without a tracer there is no span,
// without an observer nothing is counted. A panic becomes "internal_error".
func observeCall(o Options) middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (reply tools.Reply, err error) {
			endSpan := func(Outcome) {}
			if o.Tracer != nil {
				ctx, endSpan = startSpan(ctx, o.Tracer, call)
			}
			if o.Observer != nil {
				o.Observer.CallBegan()
			}
			began := o.Now()
			defer func() {
				if fault := recover(); fault != nil {
					reply, err = tools.Reply{}, panicked(o.Log, call, fault)
				}
				outcome := outcomeOf(call, reply, err, o.Now().Sub(began))
				logCall(ctx, o.Log, outcome, reply, err)
				if o.Observer != nil {
					o.Observer.CallEnded(outcome)
				}
				endSpan(outcome)
			}()
			return next(ctx, call)
		}
	}
}

// panicked writes the stack of a panic to the log, and returns the error of its call. Handlers run outside net/http's own recovery, so
// without it one bad call would end the process.
func panicked(log zerolog.Logger, call tools.Call, fault any) *rs.Error {
	// The panic's value may hold record data; its type and the stack are what a maintainer needs.
	log.Error().Str("tool", call.Tool.Name).Str("panic", fmt.Sprintf("%T", fault)).Bytes("stack", debug.Stack()).Msg("panic")
	return &rs.Error{Code: "internal_error", Message: "The adapter failed to answer this call.", Hint: "Retry once; if it fails again, tell the operator."}
}

// An Outcome is how one call went. It is all that a log, a metric or a trace learns of the call: names and codes from short lists, ids
// that were made for logs, and numbers; never an argument, a token or anything of a record.
type Outcome struct {
	Tool      string
	Resource  bool    // a resource was read, not a tool called
	Protocol  string  // the version of MCP; empty when the client did not say
	Code      rs.Code // "ok", or the code of the error; see [rs.Code.Label]
	Status    int     // the resource server's status, where it refused; else 0
	RequestID string  // the resource server's
	Took      time.Duration

	// Bytes that were read, and bytes of the answer by channel. Text and structured output say the same, for different hosts.
	ReadBytes, TextBytes, StructuredBytes, ResourceBytes int
	// Reads is how many reads the answer took, those of members of a package among them.
	Reads int
	// Repaired is set for a search that found nothing and was repeated with single words.
	Repaired bool
	// Unavailable is how many connections of a package the answer names as unavailable.
	Unavailable int
	// Cuts is how many parts of the answer did not fit; Removed is how many characters were taken out of record text.
	Cuts, Removed int
}

// outcomeOf says how a call went. The reply comes from renderResult, which turns most errors into results.
func outcomeOf(call tools.Call, reply tools.Reply, err error, took time.Duration) Outcome {
	o := Outcome{
		Tool: call.Tool.Name, Resource: call.URI != "", Protocol: call.Protocol, Code: "ok", Took: took,
		Cuts: reply.Rendered.Cuts, Removed: reply.Rendered.Removed(),
	}
	if reply.Response != nil {
		o.RequestID, o.ReadBytes, o.Unavailable = reply.Response.RequestID, len(reply.Response.Body), reply.Response.Unavailable
	}
	o.Reads, o.Repaired = reply.Reads, reply.Repair != nil
	if refused := refusalOf(reply, err); refused != nil {
		o.Code, o.Status = refused.Code, refused.Status
		if refused.RequestID != "" {
			o.RequestID = refused.RequestID
		}
	}
	if reply.Result != nil {
		o.TextBytes, o.StructuredBytes = len(reply.Rendered.Text), len(reply.Rendered.Structured)
	}
	if reply.Resource != nil {
		for _, contents := range reply.Resource.Contents {
			o.ResourceBytes += len(contents.Text) + len(contents.Blob)
		}
	}
	return o
}

// refusalOf is why a call failed, whether or not that has become a result; nil when it did not fail.
func refusalOf(reply tools.Reply, err error) *rs.Error {
	if err != nil {
		return rs.AsError(err)
	}
	return reply.Refused
}

// startSpan starts the span of a call, such as "tools/call schema". end writes how the call went into it.
func startSpan(ctx context.Context, tracer trace.Tracer, call tools.Call) (spanned context.Context, end func(Outcome)) {
	name := "tools/call " + call.Tool.Name
	if call.URI != "" {
		name = "resources/read " + call.Tool.Name
	}
	spanned, span := tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
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
