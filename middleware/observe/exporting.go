package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// flushTime is how long the last spans may take on their way out, after the last call has ended.
const flushTime = 2 * time.Second

// maxExportError is how many bytes of a failed export's error are logged: it quotes what a collector answered.
const maxExportError = 300

// NewTracer returns a tracer that exports spans by OTLP over HTTP as the standard variables say, and a function that ends it;
// or nil if no variable names an endpoint or OTEL_SDK_DISABLED is true. OpenTelemetry's SDK reads the sampler, the limits and
// the service's name from the process's environment itself. The error is one sentence about a variable. version is the
// program's.
func NewTracer(ctx context.Context, version string, getenv func(string) string, log zerolog.Logger) (tracer trace.Tracer, end func(), err error) {
	named := getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	if !named || getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, func() {}, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := getenv(name); protocol != "" && protocol != "http/protobuf" {
			return nil, nil, fmt.Errorf("%s is %q: only http/protobuf is served", name, protocol)
		}
	}
	// The SDK reports failed exports to one handler for the whole process; its own writes to stderr as it likes.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn().Str("error", middleware.Bounded(err.Error(), maxExportError)).Msg("traces")
	}))
	collector, err := newCollector(getenv)
	if err != nil {
		return nil, nil, err
	}
	// No detector of the process: its command line may hold a secret.
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "pdpp-mcp"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(otlptrace.NewUnstarted(collector)), sdktrace.WithResource(described))
	return provider.Tracer("pdpp-mcp", trace.WithInstrumentationVersion(version)), func() {
		flush, cancel := context.WithTimeout(context.Background(), flushTime)
		defer cancel()
		_ = provider.Shutdown(flush)
	}, nil
}
