package observe_test

import (
	"net/http/httptest"
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

// Whatever is recorded, the number of series stays bounded.
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

func TestBreakerStateIsOneOfThree(t *testing.T) {
	m := observe.NewMetrics("1.2.3", nil)
	for _, state := range []string{"open", "half-open", "closed", "open"} {
		m.BreakerChanged("rs.example", state)
	}
	want := `# HELP pdpp_mcp_breaker_state 1 for the state in which the breaker of a host is.
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
