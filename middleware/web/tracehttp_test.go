package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestTraceHTTP(t *testing.T) {
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, row := range map[string]struct {
		method, path string
		traceparents []string
		pipeline     http.HandlerFunc
		span         string
		continued    bool
		attributes   map[string]string
		status       string
	}{
		"a request": {"POST", "/mcp", nil, nil, "POST /mcp", false,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "200"}, "Unset"},
		"a request of a trace": {"POST", "/mcp", []string{parent}, nil, "POST /mcp", true,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "200"}, "Unset"},
		"two traceparents are nobody's": {"POST", "/mcp", []string{parent, parent}, nil, "POST /mcp", false,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "200"}, "Unset"},
		"words of the client's own are not shown": {middlewaretest.CanaryArgument, "/" + middlewaretest.CanaryToken, nil, nil, "other other", false,
			map[string]string{"http.request.method": "other", "http.route": "other", "http.response.status_code": "200"}, "Unset"},
		"a refusal has its code": {"POST", "/mcp", nil, func(w http.ResponseWriter, r *http.Request) {
			web.Refuse(w, r, 503, &rs.Error{Code: rs.AuthorityUnreachable, Message: middlewaretest.CanaryRecord}, "")
		}, "POST /mcp", false,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "503", "pdpp.refusal": "authority_unreachable"}, "Error"},
	} {
		t.Run(name, func(t *testing.T) {
			tracer, exporter := middlewaretest.NewTracer(t)
			var inside trace.SpanContext
			handler := web.Record(web.Public{})(web.TraceHTTP(tracer)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inside = trace.SpanContextFromContext(r.Context())
				if row.pipeline != nil {
					row.pipeline(w, r)
					return
				}
				w.WriteHeader(200)
			})))
			request := httptest.NewRequest(row.method, row.path+"?q="+middlewaretest.CanaryArgument, nil)
			request.Header["Traceparent"] = row.traceparents
			request.Header.Set("Tracestate", "a="+middlewaretest.CanaryArgument)
			handler.ServeHTTP(httptest.NewRecorder(), request)
			spans := exporter.GetSpans()
			if len(spans) != 1 || spans[0].Name != row.span || !spans[0].SpanContext.Equal(inside) || spans[0].Status.Code.String() != row.status {
				t.Fatalf("spans %+v", spans)
			}
			if (spans[0].SpanContext.TraceID().String() == id) != row.continued {
				t.Errorf("trace %s", spans[0].SpanContext.TraceID())
			}
			got := map[string]string{}
			for _, a := range spans[0].Attributes {
				got[string(a.Key)] = a.Value.String()
			}
			if diff := cmp.Diff(row.attributes, got); diff != "" {
				t.Error(diff)
			}
			text, err := json.Marshal(spans)
			if err != nil {
				t.Fatal(err)
			}
			middlewaretest.WithoutSecrets(t, string(text))
		})
	}
}
