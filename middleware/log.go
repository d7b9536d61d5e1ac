package middleware

import (
	"context"
	"strings"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// The most bytes of an external text in a log line or span.
const (
	MaxLoggedWord  = 32 // a method of MCP, a version of the protocol
	MaxLoggedCode  = 80
	maxLoggedID    = 128
	maxLoggedCause = 300
)

// Bounded truncates a text for a log to limit bytes of valid UTF-8, which end with "…" if the text is longer.
func Bounded(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit-len("…")] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// logCall writes one line per call: the tool, the protocol version, the outcome, the duration, the bytes read and those answered on each
// channel, and the ids of the request, the resource server's request and the trace. It never writes a token, an argument or a record. The
// line of a read that got no complete answer is a warning with the cause, which no caller learns.
func logCall(ctx context.Context, log zerolog.Logger, o Outcome, reply tools.Reply, err error) {
	event, refused := log.Info(), refusalOf(reply, err)
	if refused != nil && refused.NetworkCause() != "" {
		event = log.Warn().Str("cause", Bounded(refused.NetworkCause(), maxLoggedCause))
	}
	for _, number := range []struct {
		key   string
		value int
		known bool
	}{
		{"rs_bytes", o.ReadBytes, reply.Response != nil}, {"reads", o.Reads, o.Reads > 1}, {"unavailable", o.Unavailable, o.Unavailable > 0},
		{"text_bytes", o.TextBytes, reply.Result != nil}, {"structured_bytes", o.StructuredBytes, reply.Result != nil},
		{"resource_bytes", o.ResourceBytes, reply.Resource != nil}, {"rs_status", o.Status, o.Status != 0},
	} {
		if number.known {
			event = event.Int(number.key, number.value)
		}
	}
	if protocol := Bounded(o.Protocol, MaxLoggedWord); protocol != "" {
		event = event.Str("protocol", protocol)
	}
	if id := RequestFrom(ctx).ID; id != "" {
		event = event.Str("request_id", id)
	}
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		event = event.Stringer("trace_id", span.TraceID())
	}
	event.Str("tool", o.Tool).
		Bool("resource", o.Resource).
		Str("code", Bounded(string(o.Code), MaxLoggedCode)).
		Str("rs_request_id", plainID(o.RequestID)).
		Float64("ms", float64(o.Took.Microseconds())/1000).
		Msg("call")
}

// plainID returns id if it is at most maxLoggedID letters, digits and "_.:-". It returns "" for any other, which could garble a log.
func plainID(id string) string {
	if len(id) > maxLoggedID || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-") != "" {
		return ""
	}
	return id
}
