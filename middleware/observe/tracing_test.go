package observe

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// watched is a body that counts how often it is closed.
type watched struct {
	io.ReadCloser
	closed *int
}

func (w watched) Close() error {
	*w.closed++
	return w.ReadCloser.Close()
}

const canary = "canary-8a41"

// A span records how a request ended, but neither its address, nor what it sent, nor the answer.
func TestTransport(t *testing.T) {
	for name, row := range map[string]struct {
		answer func() (*http.Response, error)
		status string
		says   []string
	}{
		"a good answer": {func() (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(canary))}, nil
		}, "Unset", []string{`"http.response.status_code"`, `"http.response.body.size","Value":{"Type":"INT64","Value":11}`}},
		"a bad one": {func() (*http.Response, error) {
			return &http.Response{StatusCode: 503, Body: io.NopCloser(strings.NewReader(canary))}, nil
		}, "Error", []string{`"http.response.status_code"`}},
		"the least bad one": {func() (*http.Response, error) { return &http.Response{StatusCode: 400, Body: http.NoBody}, nil }, "Error", nil},
		"none":              {func() (*http.Response, error) { return nil, errors.New("dial " + canary) }, "Error", []string{`server_unreachable`}},
		"none in time":      {func() (*http.Response, error) { return nil, context.DeadlineExceeded }, "Error", []string{`deadline_exceeded`}},
		"nobody waits more": {func() (*http.Response, error) { return nil, context.Canceled }, "Error", []string{`canceled`}},
	} {
		t.Run(name, func(t *testing.T) {
			exporter := tracetest.NewInMemoryExporter()
			provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
			defer func() { _ = provider.Shutdown(context.Background()) }()
			var sent http.Header
			closed := 0
			tracing := Observation{Tracer: provider.Tracer("test")}
			transport := tracing.Following("introspection")(roundTrip(func(r *http.Request) (*http.Response, error) {
				sent = r.Header
				response, err := row.answer()
				if err == nil {
					response.Body = watched{response.Body, &closed}
				}
				return response, err
			}))
			request := httptest.NewRequest(http.MethodPost, "http://"+canary+".example/"+canary+"?q="+canary, nil)
			request.Header.Set("Authorization", "Bearer "+canary)
			response, err := transport.RoundTrip(request)
			if err == nil {
				if len(exporter.GetSpans()) != 0 {
					t.Error("the span ended before the body")
				}
				_, _ = io.Copy(io.Discard, response.Body)
				if _ = response.Body.Close(); closed != 1 {
					t.Errorf("the body is closed %d times", closed)
				}
			}
			spans := exporter.GetSpans()
			if len(spans) != 1 || spans[0].Name != "read introspection" || spans[0].Status.Code.String() != row.status {
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

func TestTransportWithoutATracer(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	var sent *http.Request
	transport := Observation{}.Following("other")(roundTrip(func(r *http.Request) (*http.Response, error) {
		sent = r
		return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
	}))
	request := httptest.NewRequest(http.MethodGet, "http://rs.example/", nil)
	if _, err := transport.RoundTrip(request); err != nil || sent != request {
		t.Errorf("a request of no trace is changed: %v", err)
	}
	ctx := propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": parent, "tracestate": "a=" + canary})
	if _, err := transport.RoundTrip(request.WithContext(ctx)); err != nil || sent.Header.Get("Traceparent") != parent ||
		sent.Header.Get("Tracestate") != "" {
		t.Errorf("sent %v, %v", sent.Header, err)
	}
}
