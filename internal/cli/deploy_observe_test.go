package cli

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// exportedMetrics returns the labels of each metric of the program.
func exportedMetrics(t *testing.T) map[string][]string {
	t.Helper()
	m := observe.NewMetrics("1.2.3", tools.Names())
	m.CallBegan()
	m.CallEnded(middleware.Outcome{Tool: "fetch", Code: "ok", ReadBytes: 1, Unavailable: 1, Cuts: 1, Removed: 1})
	m.RequestBegan()
	m.RequestEnded("/mcp", 200, "", time.Second)
	m.TokenLookedUp(true)
	m.Read("schema", 200, time.Second)
	m.Retried("rs.example")
	m.RetryDenied("rs.example")
	m.BreakerChanged("rs.example", "open")
	m.FannedOut(2, 1)
	families, err := m.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string][]string{}
	for _, family := range families {
		name := family.GetName()
		if !strings.HasPrefix(name, "pdpp_mcp_") {
			continue
		}
		labels := []string{}
		for _, label := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, label.GetName())
		}
		exported[name] = labels
	}
	return exported
}

var (
	metricName  = regexp.MustCompile(`\b(?:pdpp_mcp|process|go|promhttp)_[a-z_]+`)
	selector    = regexp.MustCompile(`\b(pdpp_mcp_[a-z_]+?)(_bucket|_sum|_count)?(\{[^}]*\})?(?:[^a-z_{]|$)`)
	matcherName = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouping    = regexp.MustCompile(`\bby\s*\(([^)]*)\)`)
)

// wrongWith returns the names and labels in a query that the program does not export.
func wrongWith(query string, exported map[string][]string) []string {
	var wrong []string
	known := []string{"instance", "job"} // labels that a scraper adds
	for _, found := range selector.FindAllStringSubmatch(query, -1) {
		name, suffix, matchers := found[1], found[2], found[3]
		labels, ok := exported[name]
		if !ok && suffix != "" {
			labels, ok = exported[name+suffix]
		}
		if !ok {
			wrong = append(wrong, "there is no metric "+name+suffix)
			continue
		}
		if suffix == "_bucket" {
			known = append(known, "le")
		}
		known = append(known, labels...)
		for _, m := range matcherName.FindAllStringSubmatch(matchers, -1) {
			if !slices.Contains(append([]string{"instance", "job", "le"}, labels...), m[1]) {
				wrong = append(wrong, name+" has no label "+m[1])
			}
		}
	}
	for _, group := range grouping.FindAllStringSubmatch(query, -1) {
		for label := range strings.SplitSeq(group[1], ",") {
			if label = strings.TrimSpace(label); !slices.Contains(known, label) {
				wrong = append(wrong, "nothing in it has a label "+label)
			}
		}
	}
	return wrong
}

func TestWrongWithFindsWhatIsWrong(t *testing.T) {
	t.Chdir("../..")
	exported := map[string][]string{"pdpp_mcp_calls_total": {"tool"}, "pdpp_mcp_call_seconds": {"tool"}}
	for query, wrong := range map[string]int{
		`sum by (tool) (rate(pdpp_mcp_calls_total{tool="x",instance="y"}[5m])) > 0`:     0,
		`histogram_quantile(0.9, sum by (le) (rate(pdpp_mcp_call_seconds_bucket[5m])))`: 0,
		`pdpp_mcp_call_total`:                                   1,
		`pdpp_mcp_calls_total{tools="x"}`:                       1,
		`sum by (outcome) (pdpp_mcp_calls_total)`:               1,
		`sum by (le) (rate(pdpp_mcp_call_seconds_count[5m]))`:   1,
		`pdpp_mcp_calls_total / pdpp_mcp_x{a="b"} + pdpp_mcp_y`: 2,
	} {
		if got := wrongWith(query, exported); len(got) != wrong {
			t.Errorf("%s: %q, want %d", query, got, wrong)
		}
	}
}

// The dashboard and the alert rules use only exported metrics, and the manual names all of them.
func TestDashboardAlertsAndManualMatchTheMetrics(t *testing.T) {
	t.Chdir("../..")
	exported := exportedMetrics(t)
	if len(exported) < 15 {
		t.Fatalf("only %d metrics", len(exported))
	}
	queries := append(dashboardQueries(t), alertQueries(t)...)
	if len(queries) < 35 {
		t.Fatalf("only %d queries", len(queries))
	}
	asked := map[string]bool{}
	for _, query := range queries {
		if !metricName.MatchString(query) && !strings.HasPrefix(query, "up{") {
			t.Errorf("%s has no metric of the program", query)
		}
		for _, wrong := range wrongWith(query, exported) {
			t.Errorf("%s: %s", query, wrong)
		}
		for _, name := range metricName.FindAllString(query, -1) {
			asked[name] = true
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				asked[strings.TrimSuffix(name, suffix)] = true
			}
		}
	}
	manual, err := os.ReadFile("docs/observe.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, labels := range exported {
		if !asked[name] {
			t.Errorf("neither the dashboard nor an alert looks at %s", name)
		}
		cell := "none"
		if len(labels) > 0 {
			cell = "`" + strings.Join(labels, "`, `") + "`"
		}
		if row := "| `" + name + "` | " + cell + " |"; !strings.Contains(string(manual), row) {
			t.Errorf("docs/observe.md has no row that begins %q", row)
		}
	}
}

// dashboardQueries returns the queries of all panels and variables.
func dashboardQueries(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("deploy/grafana/pdpp-mcp.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Type, Title string
			Targets     []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Query json.RawMessage }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var queries []string
	for _, panel := range dashboard.Panels {
		if panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("panel %q shows nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			queries = append(queries, target.Expr)
		}
	}
	for _, variable := range dashboard.Templating.List {
		var query struct{ Query string }
		if json.Unmarshal(variable.Query, &query) == nil && query.Query != "" {
			queries = append(queries, query.Query)
		}
	}
	return queries
}

// alertQueries returns the expressions of all rules; each is on one line.
func alertQueries(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var queries []string
	alerts := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if query, ok := strings.CutPrefix(line, "expr: "); ok {
			queries = append(queries, query)
		}
		if strings.HasPrefix(line, "- alert: ") {
			alerts++
		}
	}
	if alerts != len(queries) {
		t.Errorf("%d alerts with %d expressions", alerts, len(queries))
	}
	return queries
}
