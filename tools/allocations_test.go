//go:build !race

package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A ceiling is exact where a time is not: whoever meets one either finds what has come to be made in vain for each call,
// or raises it.
func TestArgumentsMakeLittleGarbage(t *testing.T) {
	rows := map[string]struct {
		arguments string
		ceiling   float64
	}{
		"schema":            {`{"stream":"messages"}`, 7},
		"list_streams":      {`{}`, 5},
		"search":            {`{"q":"invoice","limit":25}`, 7},
		"query_records":     {`{"stream":"messages","connection_id":"cin_gmail_work","limit":20,"sort":"-received_at","fields":["subject","from_email"],"filter":{"is_seen":false,"received_at":{"gte":"2026-01-01","lt":"2026-02-01"}}}`, 33},
		"fetch":             {`{"id":"cin_gmail_work/messages:m1","fields":["subject"]}`, 11},
		"read_record_field": {`{"id":"cin_gmail_work/messages:m1","field":"body","offset_chars":4096}`, 12},
		"aggregate":         {`{"stream":"messages","metric":"count","group_by":"from_email"}`, 11},
		"fetch_blob":        {`{"blob_id":"blob_1"}`, 7},
	}
	for _, tool := range tools.All("https://rs.example") {
		row, ok := rows[tool.Name]
		if !ok {
			t.Errorf("%s has no ceiling", tool.Name)
			continue
		}
		got := testing.AllocsPerRun(200, func() {
			if _, err := tool.Decode(json.RawMessage(row.arguments)); err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
		})
		if got > row.ceiling {
			t.Errorf("%s: %.0f allocations, want at most %.0f", tool.Name, got, row.ceiling)
		}
	}
}
