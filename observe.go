package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// An observation is who looks on while the program works. The zero value is nobody, and costs nothing.
type observation struct {
	metrics *observe.Metrics // nil counts nothing
	tracer  trace.Tracer     // nil makes no spans
}

// calls is who is told of calls, or nil; requests and reads are likewise. An interface that holds a nil *observe.Metrics would
// not be nil.
func (o observation) calls() middleware.CallObserver {
	if o.metrics == nil {
		return nil
	}
	return o.metrics
}

func (o observation) requests() middleware.RequestObserver {
	if o.metrics == nil {
		return nil
	}
	return o.metrics
}

func (o observation) reads() rs.Observer {
	if o.metrics == nil {
		return nil
	}
	return o.metrics
}

func (o observation) tokenLookups() func(hit bool) {
	if o.metrics == nil {
		return nil
	}
	return o.metrics.TokenLookedUp
}

func (o observation) fanOuts() func(asked, answered int) {
	if o.metrics == nil {
		return nil
	}
	return o.metrics.FannedOut
}

// following puts a transport into the traces of those on whose behalf it is used; see [observe.Transport].
func (o observation) following(class string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return observe.Transport(next, o.tracer, class) }
}

// newObservation is metrics at an address of their own, unless that is empty, and traces where the environment asks for
// them. end sends what is left.
func newObservation(ctx context.Context, adminListen string, getenv func(string) string, log zerolog.Logger) (watch observation, end func(), err error) {
	tracer, endTracing, err := newTracer(ctx, getenv, log)
	if err != nil || adminListen == "" {
		return observation{tracer: tracer}, endTracing, err
	}
	watch = observation{metrics: observe.NewMetrics(version, toolNames()), tracer: tracer}
	closeAdmin, err := serveAdmin(ctx, adminListen, watch.metrics, log)
	if err != nil {
		endTracing()
		return observation{}, nil, err
	}
	return watch, func() { closeAdmin(); endTracing() }, nil
}

// toolNames are the names of all tools, as labels.
func toolNames() []string {
	var names []string
	for _, tool := range tools.All("") {
		names = append(names, tool.Name)
	}
	return names
}

// metricsPath is where the admin listener shows the metrics; it serves nothing else.
const metricsPath = "/metrics"

// serveAdmin serves the metrics at an address of their own until close. They hold no secret, but are not the public's.
func serveAdmin(ctx context.Context, address string, metrics *observe.Metrics, log zerolog.Logger) (closeAdmin func(), err error) {
	if _, err := net.ResolveTCPAddr("tcp", address); err != nil {
		return nil, usage(fmt.Sprintf("--admin-listen: cannot listen on %s: %v", address, err))
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --admin-listen", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+metricsPath, metrics.Handler())
	server := transport.NewHTTPServer("", mux)
	go func() { _ = server.Serve(listener) }() // ends with Close
	log.Info().Str("address", listener.Addr().String()).Msg("serving " + metricsPath)
	return func() { _ = server.Close() }, nil
}

// flushTime is how long the last spans may take on their way out, after the last call has ended.
const flushTime = 2 * time.Second

// newTracer returns a tracer that exports spans by OTLP over HTTP as the standard variables say, and what ends it; or nil
// when none of them names an endpoint or OTEL_SDK_DISABLED is true. Which endpoint, headers, certificates and sampler is
// read by OpenTelemetry's own packages, from the process's environment: those of their variables that are looked at
// here only decide whether there is tracing at all.
func newTracer(ctx context.Context, getenv func(string) string, log zerolog.Logger) (tracer trace.Tracer, end func(), err error) {
	named := getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	if !named || getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, func() {}, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := getenv(name); protocol != "" && protocol != "http/protobuf" {
			return nil, nil, usage(fmt.Sprintf("%s is %q: only http/protobuf is served.", name, protocol))
		}
	}
	// The SDK reports failed exports to one handler for the whole process; its own writes to stderr as it likes.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn().Err(err).Msg("traces") }))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, usage("OTEL_EXPORTER_OTLP_…: " + err.Error())
	}
	return traceTo(ctx, sdktrace.WithBatcher(exporter))
}

// traceTo returns a tracer over a span processor.
func traceTo(ctx context.Context, processor sdktrace.TracerProviderOption) (trace.Tracer, func(), error) {
	// No detector of the process: its command line may hold a secret.
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "pdpp-mcp"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, nil, usage("OTEL_RESOURCE_ATTRIBUTES: " + err.Error())
	}
	provider := sdktrace.NewTracerProvider(processor, sdktrace.WithResource(described))
	return provider.Tracer("pdpp-mcp", trace.WithInstrumentationVersion(version)), func() {
		flush, cancel := context.WithTimeout(context.Background(), flushTime)
		defer cancel()
		_ = provider.Shutdown(flush)
	}, nil
}
