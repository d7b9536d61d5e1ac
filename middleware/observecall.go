package middleware

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// observeCall records each call in a span, in the metrics and in the log; see [startSpan] and [logCall]. A nil tracer makes no span, a nil
// observer counts nothing. A panic becomes "internal_error".
//
// It begins the record of what the call reads. If a read is refused with 401, the HTTP chain asks the token authority again (D7). The
// answers count against the answer budget of their [rsclient.Client] until observeCall returns. Only a blob is sent as it was read: if the
// transport has begun the record, it counts until it is sent.
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
			ctx, reads, begun := rsclient.WithCallReads(ctx)
			began := o.Now()
			call.Now = began
			defer func() {
				if fault := recover(); fault != nil {
					rs.LogPanic(o.Log.With().Str("tool", call.Tool.Name).Logger())(fault)
					reply, err = tools.Reply{}, rs.AsError(fmt.Errorf("panic of type %T", fault))
				}
				if begun || reply.Resource == nil || !call.Tool.Binary {
					reads.End()
				}
				if code, refused := reads.RefusedToken(); refused {
					RequestFrom(ctx).NoteUnauthorized(code)
				}
				reply.Reads = reads.Count()
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

// An Outcome is the result of one call for logs, metrics and traces, which learn nothing else about it: names and codes from short lists,
// ids made for logs, and numbers; never an argument, a token or anything from a record.
type Outcome struct {
	Tool      string
	Resource  bool    // the call read a resource instead of calling a tool
	Protocol  string  // the version of MCP; empty if the client did not name one
	Code      rs.Code // "ok", or the code of the error; see [rs.Code.Label]
	Status    int     // the resource server's HTTP status if it refused; else 0
	RequestID string  // the resource server's id of its request
	Took      time.Duration

	// Bytes read, and bytes of the answer by channel. Text and structured output have the same content, for different hosts.
	ReadBytes, TextBytes, StructuredBytes, ResourceBytes int
	// Reads is the number of reads, including those of members of a package.
	Reads int
	// Repaired is set for a search that found nothing and was repeated with single words.
	Repaired bool
	// Unavailable is how many connections of a package the answer names as unavailable.
	Unavailable int
	// Cuts is how many parts of the answer did not fit; Removed is how many characters were removed from record text.
	Cuts, Removed int
}

// outcomeOf returns the outcome of a call. The reply comes from renderResult, which turns most errors into results.
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

// refusalOf returns the error of a call, even if renderResult has turned it into a result; nil if the call succeeded.
func refusalOf(reply tools.Reply, err error) *rs.Error {
	if err != nil {
		return rs.AsError(err)
	}
	return reply.Refused
}

// startSpan starts the span of a call, such as "tools/call schema". end adds the outcome and ends the span.
func startSpan(ctx context.Context, tracer trace.Tracer, call tools.Call) (spanned context.Context, end func(Outcome)) {
	name := "tools/call " + call.Tool.Name
	if call.URI != "" {
		name = "resources/read " + call.Tool.Name
	}
	spanned, span := tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
	return spanned, func(o Outcome) {
		code := o.Code.Label()
		span.SetAttributes(
			attribute.String("pdpp.tool", o.Tool),
			attribute.String("pdpp.outcome", code),
			attribute.String("mcp.protocol.version", Bounded(o.Protocol, MaxLoggedWord)),
			attribute.Int("pdpp.bytes.read", o.ReadBytes),
			attribute.Int("pdpp.bytes.text", o.TextBytes),
			attribute.Int("pdpp.bytes.structured", o.StructuredBytes),
			attribute.Int("pdpp.bytes.resource", o.ResourceBytes),
		)
		if o.Code != "ok" {
			span.SetStatus(codes.Error, code)
		}
		span.End()
	}
}
