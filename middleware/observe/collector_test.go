package observe

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

var oneSpan = []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{Name: "a call"}}}}}}

func environment(pairs ...string) func(string) string {
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return values[name] }
}

func TestCollectorSendsSpans(t *testing.T) {
	var got http.Header
	var spans tracepb.TracesData
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r.Header
		body, err := io.ReadAll(r.Body)
		if err != nil || proto.Unmarshal(body, &spans) != nil {
			t.Errorf("the body is not a batch of spans: %v", err)
		}
	}))
	defer server.Close()
	c, err := newCollector(environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL+"/in", "OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b, x-other=c"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UploadTraces(t.Context(), oneSpan); err != nil {
		t.Fatal(err)
	}
	if got.Get("X-Key") != "a b" || got.Get("X-Other") != "c" || got.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("headers %v", got)
	}
	if name := spans.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0].GetName(); name != "a call" {
		t.Errorf("the span is called %q", name)
	}
}

// The headers, which may have a key, and the spans are not sent on to where a collector redirects.
func TestACollectorCannotSendSpansElsewhere(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server received %s with key %q", r.Method, r.Header.Get("X-Key"))
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		c, err := newCollector(environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL, "OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret"))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.UploadTraces(t.Context(), oneSpan); err == nil || !strings.Contains(err.Error(), strconv.Itoa(status)) {
			t.Errorf("%d: %v", status, err)
		}
		server.Close()
	}
}

// One connection serves all batches, even if the collector answers with a long body.
func TestCollectorIsReachedThroughOneConnection(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("thanks ", 9_000))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c, err := newCollector(environment("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := c.UploadTraces(t.Context(), oneSpan); err != nil {
			t.Fatal(err)
		}
	}
	if connections.Load() != 1 {
		t.Errorf("%d connections", connections.Load())
	}
}

// The timeout of a batch is OpenTelemetry's 10 seconds, or OTEL_EXPORTER_OTLP_TIMEOUT in milliseconds. A batch is sent at most four times.
func TestHowLongABatchMayTake(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 10 * time.Second, "1": time.Millisecond, "2500": 2500 * time.Millisecond} {
		c, err := newCollector(environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TIMEOUT", value))
		if err != nil || c.timeout != want || c.client.RetryMax != 3 {
			t.Errorf("%q: %+v, %v", value, c, err)
		}
	}
}

// The body of an answer is closed, so that its connection can serve another batch.
func TestTheAnswerOfACollectorIsClosed(t *testing.T) {
	c, err := newCollector(environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	closed := 0
	c.client.HTTPClient.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: watched{http.NoBody, &closed}}, nil
	})
	if err := c.UploadTraces(t.Context(), oneSpan); err != nil || closed != 1 {
		t.Errorf("the answer is closed %d times: %v", closed, err)
	}
}

func TestCollectorErrorsRepeatNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "CANARY", http.StatusForbidden)
	}))
	defer server.Close()
	c, err := newCollector(environment("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UploadTraces(t.Context(), oneSpan); err == nil || err.Error() != "the trace collector answered with status 403" {
		t.Errorf("error %v", err)
	}
	server.Close()
	c.client.RetryMax = 0
	if err := c.UploadTraces(t.Context(), oneSpan); err == nil || strings.Contains(err.Error(), server.URL) {
		t.Errorf("error %v", err)
	}
	noText := []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{Name: "CANARY\xff"}}}}}}
	if err := c.UploadTraces(t.Context(), noText); err == nil || err.Error() != "the spans cannot be encoded" {
		t.Errorf("error %v", err)
	}
}

func TestCollectorRefusesVariablesByName(t *testing.T) {
	for variable, values := range map[string][]string{
		"ENDPOINT": {"ftp://CANARY", "http:///CANARY", "://CANARY"}, "HEADERS": {"x-key=%zzCANARY"},
		"TIMEOUT": {"-5CANARY", "0", "-1"}, "CERTIFICATE": {"/CANARY"}, "CLIENT_CERTIFICATE": {"/CANARY"}, "CLIENT_KEY": {"/CANARY"},
	} {
		name := "OTEL_EXPORTER_OTLP_" + variable
		for _, value := range values {
			_, err := newCollector(environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", name, value))
			if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "CANARY") {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
}

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
