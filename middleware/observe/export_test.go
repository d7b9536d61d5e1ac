package observe

import (
	"net/http"

	"go.opentelemetry.io/otel/trace"
)

// Transport is for the tests of this folder.
func Transport(next http.RoundTripper, tracer trace.Tracer, class string) http.RoundTripper {
	return transport{next, tracer, class}
}

// FlushTime is what docs/observe.md says.
const FlushTime = flushTime
