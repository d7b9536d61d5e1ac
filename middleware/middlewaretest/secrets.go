package middlewaretest

import (
	"context"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// What must appear in no log, metric or trace.
const (
	CanaryToken    = "canary-token-91d2" // #nosec G101 -- a test's
	CanaryArgument = "canary-argument-7f30"
	CanaryRecord   = "canary-record-c4e8"
)

// WithoutSecrets fails the test if a text holds one of the canaries.
func WithoutSecrets(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{CanaryToken, CanaryArgument, CanaryRecord} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is shown in %s", secret, text)
		}
	}
}

// NewTracer returns a tracer and the exporter that keeps its spans.
func NewTracer(t *testing.T) (trace.Tracer, *tracetest.InMemoryExporter) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	return provider.Tracer("test"), exporter
}
