package middleware_test

import (
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
			core := spy{Err: row.err, Do: func(ctx context.Context, _ tools.Call) { inside = trace.SpanContextFromContext(ctx) }}
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
