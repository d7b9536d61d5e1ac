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
		c := answer.CoverageOf(&rs.Response{Body: `{"object":"list","data":[` + strings.Join(rows, ",") + `]}`}, nil)
		text, structured := strings.Join(c.Lines(), "\n"), c.Members().JSON()
		noted := fmt.Sprintf("; %d more: schema {}", more)
		counted := fmt.Sprintf(`"freshness_unlisted":%d`, more)
		if strings.Contains(text, noted) != (more > 0) || strings.Contains(structured, counted) != (more > 0) || !strings.Contains(text, "c7") {
			t.Errorf("%d connections: %s\n%s", connections, text, structured)
		}
	}
}
