package observe_test

import (
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestMetricsAreWellNamed(t *testing.T) {
	m := observe.NewMetrics("1.2.3", []string{"schema"})
	m.RequestEnded("/mcp", 200, "", time.Second)
	problems, err := testutil.GatherAndLint(m.Registry())
	if err != nil || len(problems) != 0 {
		t.Errorf("%+v, %v", problems, err)
	}
}

// The number of series stays bounded whatever labels are recorded.
func TestLabelsAreBounded(t *testing.T) {
	m := observe.NewMetrics("1.2.3", []string{"schema"})
	made := func(i int) string { return strings.Repeat("x", i) }
	for i := range 200 {
		m.CallEnded(middleware.Outcome{Tool: made(i), Protocol: "2026-07-28" + made(i), Code: rs.Code("made_up_" + made(i)), Removed: 1})
		m.RequestEnded("/mcp", 401, rs.Code("made_up_"+made(i)), 0)
		m.Read("schema", 600+i, 0)
	}
	for name, want := range map[string]int{
		"pdpp_mcp_calls_total": 3, "pdpp_mcp_sanitised_characters_total": 1, "pdpp_mcp_requests_total": 2, "pdpp_mcp_reads_total": 1,
	} {
		if got, err := testutil.GatherAndCount(m.Registry(), name); err != nil || got != want {
			t.Errorf("%s has %d series, want %d (%v)", name, got, want, err)
		}
	}
}

// The metrics page after a few events, line by line. A line that begins with "!" must be absent.
func TestWhatAScraperReads(t *testing.T) {
	m := observe.NewMetrics("1.2.3", []string{"search", "schema"})
	o := observe.Observation{Metrics: m}
	o.Observer().CallBegan()
	o.Observer().CallBegan()
	o.Observer().CallEnded(middleware.Outcome{
		Tool: "search", Protocol: "2026-07-28", Code: "ok", Took: 10 * time.Second,
		ReadBytes: 1, TextBytes: 24 << 10, StructuredBytes: 45_000, ResourceBytes: 1 << 20, Reads: 3, Repaired: true, Unavailable: 1, Cuts: 1, Removed: 1,
	})
	o.Observer().CallBegan()
	o.Observer().CallEnded(middleware.Outcome{Tool: "schema", Protocol: "2025-11-25", Code: "deadline_exceeded", Took: 41 * time.Second, Reads: 2})
	o.Observer().CallBegan()
	o.Observer().CallEnded(middleware.Outcome{Tool: "schema", Code: "ok"})
	o.Observer().RequestBegan()
	o.Observer().RequestBegan()
	for status, refusal := range map[int]rs.Code{0: "", 200: "", 399: "", 400: "", 429: "rate_limited"} {
		o.Observer().RequestBegan()
		o.Observer().RequestEnded("/mcp", status, refusal, time.Second)
	}
	for status, times := range map[int]int{0: 1, 99: 1, 100: 1, 200: 2, 599: 1, 600: 1} {
		for range times {
			o.Observer().Read("search", status, 10*time.Second)
		}
	}
	o.Observer().Retried("rs.example")
	o.Observer().RetryDenied("rs.example")
	for _, answered := range []int{0, 0, 1, 2, 2} {
		o.Metrics.FannedOut(2, answered)
	}
	o.Metrics.FannedOut(65, 65)
	for _, hit := range []bool{true, true, false} {
		o.Metrics.TokenLookedUp(hit)
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		`calls_total{era="modern",outcome="ok",tool="search"} 1`,
		`calls_total{era="legacy",outcome="deadline_exceeded",tool="schema"} 1`,
		`calls_total{era="unknown",outcome="ok",tool="schema"} 1`,
		`calls_total{era="modern",outcome="internal_error",tool="search"} 0`,
		`calls_in_flight 1`,
		`call_seconds_bucket{tool="search",le="5"} 0`, `call_seconds_bucket{tool="search",le="10"} 1`, `call_seconds_bucket{tool="schema",le="40"} 1`,
		`call_seconds_count{tool="schema"} 2`,
		`answer_bytes_bucket{channel="read",le="1024"} 1`, `answer_bytes_bucket{channel="read",le="2048"} 1`, `answer_bytes_bucket{channel="read",le="5120"} 1`,
		`answer_bytes_bucket{channel="read",le="65536"} 1`,
		`answer_bytes_bucket{channel="text",le="10240"} 0`, `answer_bytes_bucket{channel="text",le="24576"} 1`,
		`answer_bytes_bucket{channel="structured",le="24576"} 0`, `answer_bytes_bucket{channel="structured",le="45000"} 1`,
		`answer_bytes_bucket{channel="resource",le="262144"} 0`, `answer_bytes_bucket{channel="resource",le="1.048576e+06"} 1`,
		`answer_bytes_count{channel="read"} 1`, `answer_bytes_count{channel="text"} 1`,
		`budget_cuts_total{tool="search"} 1`, `!budget_cuts_total{tool="schema"}`,
		`sanitised_characters_total{tool="search"} 1`, `!sanitised_characters_total{tool="schema"}`,
		`partial_answers_total{tool="search"} 1`, `!partial_answers_total{tool="schema"}`,
		`search_repairs_total 1`, `search_repair_reads_total 3`,
		`requests_total{code="ok",path="/mcp",status="200"} 1`, `requests_total{code="ok",path="/mcp",status="399"} 1`,
		`requests_total{code="protocol",path="/mcp",status="0"} 1`, `requests_total{code="protocol",path="/mcp",status="400"} 1`,
		`requests_total{code="rate_limited",path="/mcp",status="429"} 1`, `requests_total{code="owner_token_refused",path="/mcp",status="403"} 0`,
		`requests_in_flight 2`, `request_seconds_bucket{path="/mcp",le="0.5"} 0`, `request_seconds_bucket{path="/mcp",le="1"} 5`,
		`reads_total{class="search",status="none"} 3`, `reads_total{class="search",status="1xx"} 1`, `reads_total{class="search",status="2xx"} 2`,
		`reads_total{class="search",status="5xx"} 1`,
		`read_seconds_bucket{class="search",le="5"} 0`, `read_seconds_bucket{class="search",le="10"} 7`,
		`read_retries_total{host="rs.example"} 1`, `read_retries_denied_total{host="rs.example"} 1`,
		`fanout_width_bucket{le="1"} 0`, `fanout_width_bucket{le="2"} 5`, `fanout_width_bucket{le="4"} 5`,
		`fanout_width_bucket{le="8"} 5`, `fanout_width_bucket{le="16"} 5`, `fanout_width_bucket{le="32"} 5`, `fanout_width_bucket{le="64"} 5`, `fanout_width_count 6`,
		`fanouts_total{result="whole"} 3`, `fanouts_total{result="partial"} 1`, `fanouts_total{result="failed"} 2`,
		`token_lookups_total{result="hit"} 2`, `token_lookups_total{result="miss"} 1`,
		`build_info{go_version="` + runtime.Version() + `",version="1.2.3"} 1`,
	} {
		name, absent := strings.CutPrefix(line, "!")
		if !absent {
			name += "\n"
		}
		if strings.Contains(w.Body.String(), "\npdpp_mcp_"+name) == absent {
			t.Errorf("wrong: %s", line)
		}
	}
	for _, other := range []string{"\ngo_goroutines ", "\nprocess_start_time_seconds "} {
		if !strings.Contains(w.Body.String(), other) {
			t.Errorf("there is no%s", other)
		}
	}
}

// Without metrics there is no observer, and the methods of nil metrics do nothing.
func TestNothingIsCountedWithoutMetrics(t *testing.T) {
	var o observe.Observation
	if o.Observer() != nil {
		t.Error("somebody is notified")
	}
	o.Metrics.TokenLookedUp(true)
	o.Metrics.FannedOut(2, 1)
}

func TestBreakerStateIsOneOfThree(t *testing.T) {
	m := observe.NewMetrics("1.2.3", nil)
	for _, state := range []string{"open", "half-open", "closed", "open"} {
		m.BreakerChanged("rs.example", state)
	}
	want := `# HELP pdpp_mcp_breaker_state 1 for the current state of a host's breaker.
# TYPE pdpp_mcp_breaker_state gauge
pdpp_mcp_breaker_state{host="rs.example",state="closed"} 0
pdpp_mcp_breaker_state{host="rs.example",state="half-open"} 0
pdpp_mcp_breaker_state{host="rs.example",state="open"} 1
`
	if err := testutil.GatherAndCompare(m.Registry(), strings.NewReader(want), "pdpp_mcp_breaker_state"); err != nil {
		t.Error(err)
	}
}

func TestMetricsMayBeObservedAndScrapedAtOnce(t *testing.T) {
	m := observe.NewMetrics("1.2.3", []string{"schema"})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				m.CallBegan()
				m.CallEnded(middleware.Outcome{Tool: "schema", Code: "ok"})
				m.BreakerChanged("rs.example", "open")
			}
			m.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil))
		})
	}
	all.Wait()
	if err := testutil.GatherAndCompare(m.Registry(), strings.NewReader("# HELP pdpp_mcp_calls_in_flight Calls under way.\n# TYPE pdpp_mcp_calls_in_flight gauge\npdpp_mcp_calls_in_flight 0\n"), "pdpp_mcp_calls_in_flight"); err != nil {
		t.Error(err)
	}
}
