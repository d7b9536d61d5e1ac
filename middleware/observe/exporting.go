package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// FlushTime is how long a hosted server exports its last spans after the last call has ended.
const FlushTime = 2 * time.Second

const maxExportError = 300 // bytes

// NewTracer returns a tracer that exports spans by OTLP over HTTP, as the standard OTEL variables configure, and a function that ends it.
// That function exports the remaining spans, at most for the given time, and logs if they cannot be sent in that time.
// The tracer is nil if no variable names an endpoint, OTEL_SDK_DISABLED is true or OTEL_TRACES_EXPORTER is none. OpenTelemetry's SDK itself
// reads sampler, limits and service name from the process's environment. The error is one sentence about a variable. version is the
// program's.
func NewTracer(ctx context.Context, version string, getenv func(string) string, log zerolog.Logger) (tracer trace.Tracer, end func(time.Duration), err error) {
	named := getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	if !named || getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, func(time.Duration) {}, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := getenv(name); protocol != "" && protocol != "http/protobuf" {
			return nil, nil, fmt.Errorf("%s is %q: only http/protobuf is served", name, protocol)
		}
	}
	// The SDK reports failed exports to one handler for the whole process. Its default handler writes unstructured text to stderr.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn().Str("error", middleware.Bounded(err.Error(), maxExportError)).Msg("traces")
	}))
	collector, err := newCollector(getenv)
	if err != nil {
		return nil, nil, err
	}
	// Do not add the process detector: the command line may contain a secret.
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "pdpp-mcp"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(otlptrace.NewUnstarted(collector)), sdktrace.WithResource(described))
	return provider.Tracer("pdpp-mcp", trace.WithInstrumentationVersion(version)), func(limit time.Duration) {
		flush, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if provider.Shutdown(flush) != nil {
			otel.Handle(fmt.Errorf("the last spans were not sent within %s", limit))
		}
	}, nil
}

// Defaults of the export.
const (
	exportTimeout = 10 * time.Second // for one batch, including retries
	exportRetries = 3
)

// A collector is an OTLP client (protobuf over HTTP) for a trace collector. OpenTelemetry's own client does the same, but depends on gRPC,
// which takes a tenth of a cold build.
type collector struct {
	endpoint string
	headers  http.Header
	timeout  time.Duration
	client   *retryablehttp.Client
}

// newCollector reads the standard variables of the OTLP exporter. Those for traces override those for all signals. Its error names the
// variable and never its value, which may be secret.
func newCollector(getenv func(string) string) (*collector, error) {
	variable := func(name string) string {
		return cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	c := &collector{headers: http.Header{}, timeout: exportTimeout}
	if c.endpoint = getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); c.endpoint == "" {
		c.endpoint = strings.TrimRight(getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "/") + "/v1/traces"
	}
	if u, err := url.Parse(c.endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT must start with http:// or https:// and name a host")
	}
	for pair := range strings.SplitSeq(variable("HEADERS"), ",") {
		name, value, found := strings.Cut(pair, "=")
		if !found {
			continue
		}
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS is not a list of name=value with percent escapes")
		}
		c.headers.Add(strings.TrimSpace(name), value)
	}
	for _, name := range []string{"CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"} {
		if variable(name) != "" {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_%s is not served: SSL_CERT_FILE names the authorities of the collector's certificate", name)
		}
	}
	if text := variable("TIMEOUT"); text != "" {
		milliseconds, err := strconv.Atoi(text)
		if err != nil || milliseconds <= 0 {
			return nil, errors.New("OTEL_EXPORTER_OTLP_TIMEOUT must be a positive number of milliseconds")
		}
		c.timeout = time.Duration(milliseconds) * time.Millisecond
	}
	c.client = retryablehttp.NewClient() // by default it retries 429, 5xx and failed connections, and respects Retry-After
	c.client.Logger, c.client.RetryMax, c.client.ErrorHandler = nil, exportRetries, retryablehttp.PassthroughErrorHandler
	c.client.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a key in the headers is never sent to another address
	}
	return c, nil
}

// Start does nothing: UploadTraces connects when there are spans to send.
func (c *collector) Start(context.Context) error { return nil }

// Stop does nothing: an idle connection closes itself.
func (c *collector) Stop(context.Context) error { return nil }

// UploadTraces sends a batch of spans. Its error has the status or the kind of failure, never text from the collector.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans}) // the same bytes as an ExportTraceServiceRequest
	if err != nil {
		return errors.New("the spans cannot be encoded")
	}
	request, _ := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, body) // newCollector has parsed the endpoint
	request.Header = c.headers.Clone()
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := c.client.Do(request)
	if err != nil {
		return fmt.Errorf("the trace collector cannot be reached: %s", failure(err))
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the trace collector answered with status %d", response.StatusCode)
	}
	return nil
}
