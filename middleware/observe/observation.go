package observe

import (
	"net/http"

	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// An Observation is the metrics, traces and logs of the program. The zero value records nothing.
type Observation struct {
	Metrics *Metrics     // nil counts nothing
	Tracer  trace.Tracer // nil makes no spans
}

// Calls is who is notified of calls, or nil.
func (o Observation) Calls() middleware.CallObserver {
	return orNone[middleware.CallObserver](o.Metrics)
}

// Requests is who is notified of requests, or nil.
func (o Observation) Requests() web.RequestObserver { return orNone[web.RequestObserver](o.Metrics) }

// Reads is who is notified of reads of the resource server and the authority, or nil.
func (o Observation) Reads() rsclient.Observer { return orNone[rsclient.Observer](o.Metrics) }

// orNone are the metrics as an observer, or nil: an interface that holds a nil *Metrics would not be nil.
func orNone[T any](m *Metrics) (observer T) {
	if m != nil {
		observer = any(m).(T)
	}
	return observer
}

// TokenLookups returns the function that counts whether a token was remembered; nil without metrics.
func (o Observation) TokenLookups() func(hit bool) {
	if o.Metrics == nil {
		return nil
	}
	return o.Metrics.TokenLookedUp
}

// FanOuts returns the function that counts how many members of a package were asked and how many answered; nil without metrics.
func (o Observation) FanOuts() func(asked, answered int) {
	if o.Metrics == nil {
		return nil
	}
	return o.Metrics.FannedOut
}

// Following puts a transport into the traces of those on whose behalf it is used; see [transport].
func (o Observation) Following(class string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return transport{next, o.Tracer, class} }
}
