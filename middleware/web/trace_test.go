package web_test

import (
	"cmp"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

func TestContinueTrace(t *testing.T) {
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for name, row := range map[string]struct {
		text string
		want string
	}{
		"a valid one":               {"00-" + id + "-" + span + "-01", id},
		"a later version":           {"cc-" + id + "-" + span + "-01-what-the-future-holds", id},
		"none":                      {"", ""},
		"no hexadecimal digits":     {"00-" + "canary" + "-" + span + "-01", ""},
		"capital letters":           {"00-" + strings.ToUpper(id) + "-" + span + "-01", ""},
		"a trace id of zeros":       {"00-" + strings.Repeat("0", 32) + "-" + span + "-01", ""},
		"a span id of zeros":        {"00-" + id + "-" + strings.Repeat("0", 16) + "-01", ""},
		"the forbidden version":     {"ff-" + id + "-" + span + "-01", ""},
		"more than version 00 has":  {"00-" + id + "-" + span + "-01-x", ""},
		"a line break and a header": {"00-" + id + "-" + span + "-01\r\nX: y", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := trace.SpanContextFromContext(web.ContinueTrace(t.Context(), row.text))
			if (row.want == "") == got.IsValid() || got.IsValid() && (got.TraceID().String() != row.want || !got.IsRemote()) {
				t.Errorf("%+v", got)
			}
			within := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}})
			got = trace.SpanContextFromContext(web.ContinueTrace(trace.ContextWithSpanContext(t.Context(), within), row.text))
			if want := cmp.Or(row.want, within.TraceID().String()); got.TraceID().String() != want {
				t.Errorf("within a trace: %s", got.TraceID())
			}
		})
	}
}
