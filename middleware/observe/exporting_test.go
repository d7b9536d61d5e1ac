package observe_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel"

	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
)

func TestTracerIsOffUnlessAnEndpointIsNamed(t *testing.T) {
	for name, row := range map[string]struct {
		environment map[string]string
		on          bool
		problem     string
	}{
		"nothing is said":              {nil, false, ""},
		"an endpoint":                  {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, true, ""},
		"an endpoint for traces":       {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1/v1/traces"}, true, ""},
		"an endpoint, but disabled":    {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}, false, ""},
		"an endpoint, but no exporter": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"}, false, ""},
		"an endpoint that is none":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "127.0.0.1:1"}, false, "must start with http"},
		"another protocol":             {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "http/protobuf"},
		"an attribute without a value": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_RESOURCE_ATTRIBUTES": "team"}, false, "OTEL_RESOURCE_ATTRIBUTES: "},
	} {
		t.Run(name, func(t *testing.T) {
			for name, value := range row.environment {
				t.Setenv(name, value) // the SDK itself reads some of them
			}
			tracer, end, err := observe.NewTracer(t.Context(), "1.2.3", func(name string) string { return row.environment[name] }, zerolog.Nop())
			if err != nil || row.problem != "" {
				if err == nil || row.problem == "" || !strings.Contains(err.Error(), row.problem) {
					t.Errorf("error %v, want one about %q", err, row.problem)
				}
				return
			}
			end(observe.FlushTime)
			if (tracer != nil) != row.on {
				t.Errorf("tracer %v", tracer)
			}
		})
	}
}

// docs/observe.md states how long the last spans may take.
func TestFlushTimeIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/observe.md")
	if says := fmt.Sprintf("the last spans get %d seconds to be sent", observe.FlushTime/time.Second); err != nil || !strings.Contains(string(text), says) {
		t.Errorf("docs/observe.md does not say %q: %v", says, err)
	}
}

// The log truncates the error of a failed export, because it quotes the answer of the collector.
func TestAFailedExportIsLoggedInShort(t *testing.T) {
	var log strings.Builder
	getenv := func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}[name]
	}
	_, end, err := observe.NewTracer(t.Context(), "1.2.3", getenv, zerolog.New(&log))
	if err != nil {
		t.Fatal(err)
	}
	defer end(observe.FlushTime)
	otel.Handle(errors.New(strings.Repeat("x", 301)))
	if says := strings.Repeat("x", 297) + `…"`; !strings.Contains(log.String(), says) {
		t.Errorf("%s, without %s", log.String(), says)
	}
}

type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// A program that ends before its collector answers says that spans are lost.
func TestSpansThatAreLostAtTheEndAreLogged(t *testing.T) {
	answer := make(chan struct{})
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-answer }))
	defer collector.Close()
	defer close(answer)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	log := make(lines, 10)
	tracer, end, err := observe.NewTracer(t.Context(), "1.2.3", os.Getenv, zerolog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), "the last call")
	span.End()
	end(time.Millisecond)
	if line, want := <-log, `"the last spans were not sent within 1ms"`; !strings.Contains(line, want) {
		t.Errorf("%s, without %s", line, want)
	}
}

// Spans that are not sent yet are sent when the program ends.
func TestSpansAreFlushedAtTheEnd(t *testing.T) {
	heard := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard <- r.URL.Path + " " + string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	t.Setenv("OTEL_SERVICE_NAME", "named-by-the-environment")
	tracer, end, err := observe.NewTracer(t.Context(), "1.2.3", os.Getenv, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), "the last call")
	span.End()
	end(observe.FlushTime)
	select {
	case got := <-heard:
		for _, part := range []string{"/v1/traces ", "the last call", "named-by-the-environment", "service.version"} {
			if !strings.Contains(got, part) {
				t.Errorf("the collector heard %q, without %q", got, part)
			}
		}
		if strings.Contains(got, "command_args") {
			t.Error("the collector heard the command line")
		}
	default:
		t.Error("the collector heard nothing")
	}
}
