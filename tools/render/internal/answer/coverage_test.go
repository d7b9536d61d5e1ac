package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
)

// The freshness of only some connections is named; both channels count the others.
func TestConnectionsWithoutNamedFreshnessAreCounted(t *testing.T) {
	for connections, more := range map[int]int{8: 0, 11: 3} {
		var rows []string
		for i := range connections {
			rows = append(rows, fmt.Sprintf(`{"object":"stream","name":"notes","connection_id":"c%d","freshness":{"status":"stale","captured_at":"2026-01-%02dT00:00:00Z"}}`, i, i+1))
		}
		c := answer.CoverageOf((&rs.Response{Body: `{"object":"list","data":[` + strings.Join(rows, ",") + `]}`}).ListedStreams(), nil)
		text, structured := strings.Join(c.Lines(), "\n"), c.Members().JSON()
		noted := fmt.Sprintf("; %d more: schema {}", more)
		counted := fmt.Sprintf(`"freshness_unlisted":%d`, more)
		if strings.Contains(text, noted) != (more > 0) || strings.Contains(structured, counted) != (more > 0) || !strings.Contains(text, "c7") {
			t.Errorf("%d connections: %s\n%s", connections, text, structured)
		}
	}
}

// What connections have in common is said once.
func TestConnectionsThatAreEquallyFreshShareALine(t *testing.T) {
	row := func(connection, status, synced, updated string) string {
		return fmt.Sprintf(`{"object":"stream","name":"notes","connection_id":%q,"freshness":{"status":%q,"captured_at":%q},"last_updated":%q}`, connection, status, synced, updated)
	}
	c := answer.CoverageOf((&rs.Response{Body: `{"object":"list","data":[` + strings.Join([]string{
		row("a", "stale", "", "2026-01-02T10:00:00Z"), row("b", "stale", "", "2026-01-03T10:00:00Z"), row("c", "stale", "", ""),
		row("d", "current", "2026-01-04T10:00:00Z", "2026-01-03T10:00:00Z"), row("e", "unknown", "", "2026-01-01T00:00:00Z"),
	}, ",") + `]}`}).ListedStreams(), nil)
	const text = "how fresh, by connector: stale, last sync unknown, newest records emitted: a 2026-01-02 10:00, b 2026-01-03 10:00, c unknown; " +
		"d current, data as of 2026-01-04 10:00; e unknown, last sync unknown, newest record emitted 2026-01-01 00:00"
	const structured = `{"freshness":[{"connections":["a","b","c"],"connector_status":"stale","last_sync":"unknown",` +
		`"newest_emitted":{"a":"2026-01-02T10:00:00Z","b":"2026-01-03T10:00:00Z"}},` +
		`{"connections":["d"],"connector_status":"current","data_as_of":"2026-01-04T10:00:00Z"},` +
		`{"connections":["e"],"connector_status":"unknown","last_sync":"unknown","newest_emitted":{"e":"2026-01-01T00:00:00Z"}}]}`
	if lines := c.Lines(); len(lines) != 1 || lines[0] != text || c.Members().JSON() != structured {
		t.Errorf("%s\n%s", lines, c.Members().JSON())
	}
}
