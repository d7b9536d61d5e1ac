package middleware_test

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

func TestTrace(t *testing.T) {
	for name, row := range map[string]struct {
		uri        string
		err        error
		span, code string
	}{
		"a tool call":             {"", nil, "tools/call search", "ok"},
		"a resource":              {"pdpp://" + middlewaretest.CanaryArgument, nil, "resources/read search", "ok"},
		"a failure":               {"", &rs.Error{Code: "not_found", Message: middlewaretest.CanaryRecord}, "tools/call search", "not_found"},
		"a code that was made up": {"", &rs.Error{Code: middlewaretest.CanaryRecord, Cause: textError(middlewaretest.CanaryRecord)}, "tools/call search", "other"},
	} {
		t.Run(name, func(t *testing.T) {
			tracer, exporter := middlewaretest.NewTracer(t)
			var inside trace.SpanContext
			core := middlewaretest.Spy{Err: row.err, Do: func(ctx context.Context, _ tools.Call) { inside = trace.SpanContextFromContext(ctx) }}
			call := callOf(t, "search", `{"q":"`+middlewaretest.CanaryArgument+`"}`)
			call.URI = row.uri
			if _, err := middleware.Observe(middleware.Options{Tracer: tracer, Now: time.Now})(core.Handle)(as(t.Context(), auth.KindClient), call); err != row.err { //nolint:errorlint // the very same
				t.Errorf("error %v", err)
			}
			spans := exporter.GetSpans()
			if len(spans) != 1 || spans[0].Name != row.span || !spans[0].SpanContext.Equal(inside) {
				t.Fatalf("spans %v around %v", spans, inside)
			}
			text, err := json.Marshal(spans)
			if err != nil {
				t.Fatal(err)
			}
			middlewaretest.WithoutSecrets(t, string(text))
			if !strings.Contains(string(text), `"`+row.code+`"`) {
				t.Errorf("the span does not say %s: %s", row.code, text)
			}
			if failed := spans[0].Status.Code == codes.Error; failed != (row.err != nil) {
				t.Errorf("the span's status is %v", spans[0].Status)
			}
		})
	}
}

// A call that names a trace of its own is in that one, and linked to the span of its HTTP request.
func TestACallIsLinkedToItsRequest(t *testing.T) {
	const id, other, span = "0af7651916cd43dd8448eb211c80319c", "1bf7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for name, row := range map[string]struct {
		request, named string // trace ids
		linked         bool
	}{
		"another trace than the request's": {other, id, true},
		"the request's trace":              {id, id, false},
		"the request is in no trace":       {"", id, false},
		"the call names no trace":          {other, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := as(t.Context(), auth.KindClient)
			if row.request != "" {
				ctx = middleware.ContinueTrace(ctx, "00-"+row.request+"-"+span+"-01")
			}
			request := trace.SpanContextFromContext(ctx)
			ctx = middleware.WithRequest(ctx, &middleware.Request{Span: request})
			if row.named != "" {
				ctx = middleware.ContinueTrace(ctx, "00-"+row.named+"-"+span+"-01")
			}
			tracer, exporter := middlewaretest.NewTracer(t)
			if _, err := middleware.Observe(middleware.Options{Tracer: tracer, Now: time.Now})(new(middlewaretest.Spy).Handle)(ctx, callOf(t, "search", `{"q":"x"}`)); err != nil {
				t.Fatal(err)
			}
			links := exporter.GetSpans()[0].Links
			if (len(links) == 1) != row.linked || len(links) > 1 || row.linked && !links[0].SpanContext.Equal(request) {
				t.Errorf("links %+v, the request %+v", links, request)
			}
		})
	}
}

func TestContinueTrace(t *testing.T) {
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for name, row := range map[string]struct {
		text string
		want string
	}{
		"a valid one":               {"00-" + id + "-" + span + "-01", id},
		"a later version":           {"cc-" + id + "-" + span + "-01-what-the-future-holds", id},
		"none":                      {"", ""},
		"no hexadecimal digits":     {"00-" + middlewaretest.CanaryArgument + "-" + span + "-01", ""},
		"capital letters":           {"00-" + strings.ToUpper(id) + "-" + span + "-01", ""},
		"a trace id of zeros":       {"00-" + strings.Repeat("0", 32) + "-" + span + "-01", ""},
		"a span id of zeros":        {"00-" + id + "-" + strings.Repeat("0", 16) + "-01", ""},
		"the forbidden version":     {"ff-" + id + "-" + span + "-01", ""},
		"more than version 00 has":  {"00-" + id + "-" + span + "-01-x", ""},
		"a line break and a header": {"00-" + id + "-" + span + "-01\r\nX: y", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := trace.SpanContextFromContext(middleware.ContinueTrace(t.Context(), row.text))
			if (row.want == "") == got.IsValid() || got.IsValid() && (got.TraceID().String() != row.want || !got.IsRemote()) {
				t.Errorf("%+v", got)
			}
			within := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}})
			got = trace.SpanContextFromContext(middleware.ContinueTrace(trace.ContextWithSpanContext(t.Context(), within), row.text))
			if want := cmp.Or(row.want, within.TraceID().String()); got.TraceID().String() != want {
				t.Errorf("within a trace: %s", got.TraceID())
			}
		})
	}
}
