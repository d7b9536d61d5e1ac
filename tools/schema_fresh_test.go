package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// FRESHNESS: a stream's schema says how fresh its connector is and to which time the grant is limited in it, and an index also says it of
// what is current.
func TestASchemaSaysHowFreshItIs(t *testing.T) {
	const stream = `{"connector_key":"gmail","granted_connections":[{"connection_id":"c1","display_name":"Work"}],"streams":[{"name":"messages"}]}`
	fresh := func(status string) *middlewaretest.RS {
		freshness := `"freshness":{"status":"` + status + `","captured_at":"2026-03-02T10:11:12Z"}`
		return &middlewaretest.RS{Answers: map[string]string{
			"/v1/schema":           `{"detail":"compact","connectors":[` + stream + `]}`,
			"/v1/streams":          `{"data":[{"name":"messages","connection_id":"c1","record_count":3,` + freshness + `}]}`,
			"/v1/streams/messages": `{"name":"messages",` + freshness + `,"time_constraint":{"field":"at","since":"2026-01-01T00:00:00Z"}}`,
		}}
	}
	for _, status := range []string{"current", "stale", "unknown"} {
		one := use(t, tools.Schema(), fresh(status), json.RawMessage(`{"stream":"messages"}`))
		const limit = "the grant is limited to at from 2026-01-01 00:00; records of other times are not shown"
		if !strings.HasSuffix(one.Text, "\nhow fresh, by connector: gmail "+status+", data as of 2026-03-02 10:11\n"+limit) {
			t.Errorf("of a stream: %s", one.Text)
		}
		if want := `{"freshness":[{"connections":["gmail"],"status":"` + status + `","captured_at":"2026-03-02T10:11:12Z"}],` +
			`"granted_time":{"field":"at","since":"2026-01-01T00:00:00Z"},`; !strings.HasPrefix(string(one.Structured), want) {
			t.Errorf("of a stream: %s", one.Structured)
		}
		index := use(t, tools.Schema(), fresh(status), json.RawMessage(`{}`))
		if !strings.Contains(index.Text, "messages 3; "+status+", data as of 2026-03-02") ||
			!strings.Contains(string(index.Structured), `"freshness":"`+status+`","data_as_of":"2026-03-02"`) {
			t.Errorf("of an index: %s %s", index.Text, index.Structured)
		}
	}
}
