package observe

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

const canary = "canary-8a41"

// A span records how an attempt ended, but neither its address, nor what it sent, nor the answer.
func TestTraceOfAnAttempt(t *testing.T) {
	for name, row := range map[string]struct {
		status, bytes int
		err           error
		want          string
		says          []string
	}{
		"a good answer":     {200, 11, nil, "Unset", []string{`"http.response.status_code"`, `"http.response.body.size","Value":{"Type":"INT64","Value":11}`}},
		"a bad one":         {503, 11, nil, "Error", []string{`"http.response.status_code"`}},
		"the least bad one": {400, 0, nil, "Error", nil},
		"none":              {0, 0, errors.New("dial " + canary), "Error", []string{`server_unreachable`}},
		"none in time":      {0, 0, context.DeadlineExceeded, "Error", []string{`deadline_exceeded`}},
		"nobody waits more": {0, 0, context.Canceled, "Error", []string{`canceled`}},
	} {
		t.Run(name, func(t *testing.T) {
			exporter := tracetest.NewInMemoryExporter()
			provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
			defer func() { _ = provider.Shutdown(context.Background()) }()
			tracing := Observation{Tracer: provider.Tracer("test")}
			request := httptest.NewRequest(http.MethodPost, "http://"+canary+".example/"+canary+"?q="+canary, nil)
			request.Header.Set("Authorization", "Bearer "+canary)
			traced, end := tracing.Trace("introspection")(request)
			sent := traced.Header
			if len(exporter.GetSpans()) != 0 {
				t.Error("the span ended before the attempt")
			}
			end(row.status, row.bytes, row.err)
			spans := exporter.GetSpans()
			if len(spans) != 1 || spans[0].Name != "read introspection" || spans[0].Status.Code.String() != row.want {
				t.Fatalf("spans %+v", spans)
			}
			text, err := json.Marshal(spans)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range row.says {
				if !strings.Contains(string(text), part) {
					t.Errorf("the span does not say %s: %s", part, text)
				}
			}
			if strings.Contains(string(text), canary) {
				t.Errorf("the span says too much: %s", text)
			}
			if got := sent.Get("Traceparent"); !strings.Contains(got, spans[0].SpanContext.SpanID().String()) || sent.Get("Authorization") == "" {
				t.Errorf("sent %v", sent)
			}
			if request.Header.Get("Traceparent") != "" {
				t.Error("the caller's own request was changed")
			}
		})
	}
}

func TestTraceWithoutATracer(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	trace := Observation{}.Trace("other")
	request := httptest.NewRequest(http.MethodGet, "http://rs.example/", nil)
	if sent, end := trace(request); sent != request {
		t.Error("a request of no trace is changed")
	} else {
		end(200, 0, nil)
	}
	ctx := propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": parent, "tracestate": "a=" + canary})
	if sent, _ := trace(request.WithContext(ctx)); sent.Header.Get("Traceparent") != parent || sent.Header.Get("Tracestate") != "" {
		t.Errorf("sent %v", sent.Header)
	}
}
