package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Following the calls of a time-grouped list to the last page counts every record exactly once, even when dates without a time are mixed
// with instants, in any zone, and where a clock change skips or repeats midnight.
func TestEveryRecordIsInOneTimeGroup(t *testing.T) {
	times := []string{
		"2026-08-03", "2026-08-03T08:00:00Z", "2026-08-02T22:30:00Z", "2026-08-03T00:00:00Z", "2026-08-03T00:10:00Z", "2026-08-04", "2026-08-04T04:00:00Z",
		"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25", "2026-10-26", "2026-11-01", "2026-11-01T04:30:00Z", "2026-11-01T05:30:00Z",
		"2018-11-04", "2018-11-04T02:30:00Z", "2018-11-04T03:30:00Z", "2018-11-03", "2026-03-29", "2026-03-29T01:00:00Z", "2025-12-31T23:59:59.5Z",
	}
	records := make([]model.Record, len(times))
	for i, at := range times {
		data, _ := json.Marshal(map[string]any{"id": fmt.Sprint(i), "at": at})
		records[i] = model.Record{ConnectionID: "cin_a", Stream: "log", ID: fmt.Sprint(i), EmittedAt: time.Unix(1767312000, 0), Data: data}
	}
	server := serve(t, []model.Connector{{
		Key: "log", SourceID: "https://registry.test/log", Connections: []model.Connection{{ID: "cin_a", DisplayName: "Log"}},
		Streams: []model.Stream{{Name: "log", PrimaryKey: []string{"id"}, Fields: []model.Field{
			{Name: "id", Type: "string", Exact: true}, {Name: "at", Type: "timestamp", Exact: true, Range: true, Aggregations: []string{"group_by_time"}},
		}}},
	}}, records)
	zones := []string{"UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Havana", "America/Sao_Paulo", "Pacific/Apia", "Pacific/Pago_Pago",
		"Asia/Kathmandu", "Asia/Tokyo"}
	for _, granularity := range []string{"hour", "day", "week", "month", "quarter", "year"} {
		for _, zone := range zones {
			for _, more := range []string{`"limit":1`, `"limit":3,"order":"desc"`, `"limit":1,"order":"desc"`, `"limit":2,"filter":{"at":{"gte":"2018-01-01"}}`} {
				call := fmt.Sprintf(`{"stream":"log","metric":"count","group_by_time":"at","granularity":%q,"time_zone":%q,%s}`, granularity, zone, more)
				begun, counted, seen := call, 0, map[string]bool{}
				for pages := 0; call != ""; pages++ {
					text, _, _ := server.call(t, tools.Aggregate(), call)
					for _, line := range strings.Split(text, "\n") {
						var key string
						var n int
						if _, err := fmt.Sscanf(line, "%s | %d", &key, &n); err != nil {
							continue
						}
						if counted += n; seen[key] {
							t.Fatalf("%s: %s is on two pages: %s", begun, key, text)
						}
						seen[key] = true
					}
					_, next, _ := strings.Cut(text, "next: aggregate ")
					if call, _, _ = strings.Cut(next, "\n"); pages > len(times) {
						t.Fatalf("%s: the calls do not end: %s", begun, text)
					}
				}
				if counted != len(times) {
					t.Errorf("%s: %d records, want %d", begun, counted, len(times))
				}
			}
		}
	}
}
