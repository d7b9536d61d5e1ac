// Package observe provides the metrics of the adapter, for Prometheus, and its traces, for OpenTelemetry. Only this package depends on
// the details of either; the stages of package middleware see small interfaces. No label and no attribute contains a token, an argument,
// a query or anything from a record.
package observe

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// Histogram buckets: seconds up to the longest call and the longest read, bytes around the budgets of an answer, members of a package.
var (
	callSeconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40}
	readSeconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
	answerBytes = []float64{1 << 10, 2 << 10, 5 << 10, 10 << 10, 24 << 10, 45_000, 64 << 10, 256 << 10, 1 << 20}
	widths      = []float64{1, 2, 4, 8, 16, 32, 64}
)

// Metrics are the metrics of one process, in a separate registry. They implement [middleware.CallObserver], [web.RequestObserver] and
// [rsclient.Observer], and are safe for concurrent use. Every label value comes from a fixed list; any other becomes "other".
type Metrics struct {
	registry *prometheus.Registry
	tools    []string

	calls         *prometheus.CounterVec
	callSeconds   *prometheus.HistogramVec
	callsInFlight prometheus.Gauge
	answerBytes   *prometheus.HistogramVec
	partial       *prometheus.CounterVec
	repairs       prometheus.Counter
	repairReads   prometheus.Counter
	cuts          *prometheus.CounterVec
	removed       *prometheus.CounterVec

	requests         *prometheus.CounterVec
	requestSeconds   *prometheus.HistogramVec
	requestsInFlight prometheus.Gauge
	tokenLookups     *prometheus.CounterVec

	reads         *prometheus.CounterVec
	readSeconds   *prometheus.HistogramVec
	retries       *prometheus.CounterVec
	retriesDenied *prometheus.CounterVec
	breaker       *prometheus.GaugeVec
	fanOutWidth   prometheus.Histogram
	fanOuts       *prometheus.CounterVec
}

// NewMetrics returns the metrics of a program. version is the program's; tools names the tools that it serves.
func NewMetrics(version string, tools []string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), tools: tools}
	register := promauto.With(m.registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return register.NewCounterVec(prometheus.CounterOpts{Namespace: "pdpp_mcp", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return register.NewHistogramVec(prometheus.HistogramOpts{Namespace: "pdpp_mcp", Name: name, Help: help, Buckets: buckets}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return register.NewGaugeVec(prometheus.GaugeOpts{Namespace: "pdpp_mcp", Name: name, Help: help}, labels)
	}

	m.calls = counter("calls_total", "Tool calls and resource reads by how they ended; outcome is ok or the code of the error, also of one that went out as a result with isError.", "tool", "era", "outcome")
	m.callSeconds = histogram("call_seconds", "Time of one call, all its reads together.", callSeconds, "tool")
	m.callsInFlight = gauge("calls_in_flight", "Calls under way.").WithLabelValues()
	m.answerBytes = histogram("answer_bytes", "Size of an answer on each channel: text, structured, resource; and read, what the resource server sent for it.", answerBytes, "channel")
	m.repairs = counter("search_repairs_total", "Searches in which no record had all words, so that the words were searched for one by one.").WithLabelValues()
	m.repairReads = counter("search_repair_reads_total", "Reads of the resource server, or of members of a package, that these searches took.").WithLabelValues()
	m.partial = counter("partial_answers_total", "Answers that name connections of a package as unavailable.", "tool")
	m.cuts = counter("budget_cuts_total", "Records, fields and pages that were left out or made smaller because they did not fit.", "tool")
	m.removed = counter("sanitised_characters_total", "Characters taken out of the text of records.", "tool")

	m.requests = counter("requests_total", "HTTP requests; code is ok, the code of a refusal, or protocol for a message that is refused.", "path", "status", "code")
	m.requestSeconds = histogram("request_seconds", "Time of one HTTP request.", callSeconds, "path")
	m.requestsInFlight = gauge("requests_in_flight", "HTTP requests under way.").WithLabelValues()
	m.tokenLookups = counter("token_lookups_total", "Tokens that memory knew (hit), or that the authority was asked about (miss).", "result")

	m.reads = counter("reads_total", "Reads of the resource server and of the token authority with all their retries; status is a class, or none where no whole answer came.", "class", "status")
	m.readSeconds = histogram("read_seconds", "Time of one such read.", readSeconds, "class")
	m.retries = counter("read_retries_total", "Retries.", "host")
	m.retriesDenied = counter("read_retries_denied_total", "Retries that were skipped because the retry budget was spent.", "host")
	m.breaker = gauge("breaker_state", "1 for the current state of a host's breaker.", "host", "state")
	m.fanOutWidth = histogram("fanout_width", "How many members of a package one round of reads asked.", widths).WithLabelValues().(prometheus.Histogram)
	m.fanOuts = counter("fanouts_total", "Rounds of reads of several members of a package: whole, partial where one of those that were asked failed, failed where all did.", "result")

	// Create the series that alerts watch now: Prometheus sees no increase when a series first appears with the value 1.
	for _, name := range tools {
		for _, eraLabel := range [...]string{"legacy", "modern"} {
			m.calls.WithLabelValues(name, eraLabel, "internal_error")
		}
	}
	m.requests.WithLabelValues(web.EndpointPath, strconv.Itoa(http.StatusForbidden), "owner_token_refused")

	gauge("build_info", "1, for the version of this program and of Go.", "version", "go_version").WithLabelValues(version, runtime.Version()).Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the metrics to a scraper.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Registry returns the registry, so that a Go program can add its own metrics.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// CallBegan counts a call as under way.
func (m *Metrics) CallBegan() { m.callsInFlight.Inc() }

// CallEnded counts a call.
func (m *Metrics) CallEnded(o middleware.Outcome) {
	m.callsInFlight.Dec()
	tool := o.Tool
	if !slices.Contains(m.tools, tool) {
		tool = "other"
	}
	m.calls.WithLabelValues(tool, era(o.Protocol), o.Code.Label()).Inc()
	m.callSeconds.WithLabelValues(tool).Observe(o.Took.Seconds())
	for _, channel := range [...]struct {
		name  string
		bytes int
	}{{"read", o.ReadBytes}, {"text", o.TextBytes}, {"structured", o.StructuredBytes}, {"resource", o.ResourceBytes}} {
		if channel.bytes > 0 {
			m.answerBytes.WithLabelValues(channel.name).Observe(float64(channel.bytes))
		}
	}
	if o.Repaired {
		m.repairs.Inc()
		m.repairReads.Add(float64(o.Reads))
	}
	if o.Unavailable > 0 {
		m.partial.WithLabelValues(tool).Inc()
	}
	if o.Cuts > 0 {
		m.cuts.WithLabelValues(tool).Add(float64(o.Cuts))
	}
	if o.Removed > 0 {
		m.removed.WithLabelValues(tool).Add(float64(o.Removed))
	}
}

// RequestBegan counts a request as under way.
func (m *Metrics) RequestBegan() { m.requestsInFlight.Inc() }

// RequestEnded counts a request.
func (m *Metrics) RequestEnded(path string, status int, refusal rs.Code, took time.Duration) {
	m.requestsInFlight.Dec()
	label := "ok"
	switch {
	case refusal != "":
		label = refusal.Label()
	case status == 0 || status >= http.StatusBadRequest:
		label = "protocol"
	}
	m.requests.WithLabelValues(path, strconv.Itoa(status), label).Inc()
	m.requestSeconds.WithLabelValues(path).Observe(took.Seconds())
}

// TokenLookedUp counts a token lookup, which hit the cache or asked the authority; see [auth.TokenCacheOptions]. Nil Metrics count nothing.
func (m *Metrics) TokenLookedUp(hit bool) {
	if m == nil {
		return
	}
	result := "miss"
	if hit {
		result = "hit"
	}
	m.tokenLookups.WithLabelValues(result).Inc()
}

// Read counts a read.
func (m *Metrics) Read(class string, status int, took time.Duration) {
	m.reads.WithLabelValues(class, statusClass(status)).Inc()
	m.readSeconds.WithLabelValues(class).Observe(took.Seconds())
}

// Retried counts a retried attempt.
func (m *Metrics) Retried(host string) { m.retries.WithLabelValues(host).Inc() }

// RetryDenied counts an attempt that was not retried because the retry budget was spent.
func (m *Metrics) RetryDenied(host string) { m.retriesDenied.WithLabelValues(host).Inc() }

// BreakerChanged records the state of a host's breaker.
func (m *Metrics) BreakerChanged(host, state string) {
	for _, s := range [...]string{"closed", "half-open", "open"} {
		value := 0.0
		if s == state {
			value = 1
		}
		m.breaker.WithLabelValues(host, s).Set(value)
	}
}

// FannedOut counts one round of reads of several members of a package; see [fanout.PackageOptions]. Nil Metrics count nothing.
func (m *Metrics) FannedOut(asked, answered int) {
	if m == nil {
		return
	}
	m.fanOutWidth.Observe(float64(asked))
	result := "whole"
	switch {
	case answered == 0:
		result = "failed"
	case answered < asked:
		result = "partial"
	}
	m.fanOuts.WithLabelValues(result).Inc()
}

// modern is the first version of MCP without sessions.
const modern = "2026-07-28"

// era returns "modern" for versions of MCP without sessions, "legacy" for earlier ones, and "unknown" if the client named none.
// Versions are dates, so they compare as text.
func era(protocol string) string {
	switch {
	case protocol == "":
		return "unknown"
	case protocol < modern:
		return "legacy"
	}
	return "modern"
}

// statusClass returns "2xx", "4xx" and so on, or "none" without a status.
func statusClass(status int) string {
	if class := status / 100; class >= 1 && class <= 5 {
		return strconv.Itoa(class) + "xx"
	}
	return "none"
}

// An Observation is the metrics and traces of the program. The zero value records nothing.
type Observation struct {
	Metrics *Metrics     // nil counts nothing
	Tracer  trace.Tracer // nil makes no spans
}

// An Observer is notified of calls, of HTTP requests, and of reads of the resource server and the authority.
type Observer interface {
	middleware.CallObserver
	web.RequestObserver
	rsclient.Observer
}

// Observer returns the metrics, or nil if there are none: an interface with a nil *Metrics in it would not be nil.
func (o Observation) Observer() Observer {
	if o.Metrics == nil {
		return nil
	}
	return o.Metrics
}
