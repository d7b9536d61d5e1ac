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

// A duration that no record has as it is written is found by its seconds, where a record lasted so long.
func TestADurationIsFoundByItsSeconds(t *testing.T) {
	var records []model.Record
	for i, took := range []int{5400, 7200} {
		data, _ := json.Marshal(map[string]any{"id": fmt.Sprint(i), "took": fmt.Sprintf("%02d:%02d:00", took/3600, took/60%60), "took_seconds": took})
		records = append(records, model.Record{ConnectionID: "cin_c", Stream: "runs", ID: fmt.Sprint(i), EmittedAt: time.Unix(1767312000, 0), Data: data})
	}
	server := serve(t, []model.Connector{{
		Key: "runs", SourceID: "https://registry.test/runs", Connections: []model.Connection{{ID: "cin_c", DisplayName: "Runs"}},
		Streams: []model.Stream{{Name: "runs", PrimaryKey: []string{"id"}, CursorField: "id", Fields: []model.Field{
			{Name: "id", Type: "string", Exact: true},
			{Name: "took", Type: "string", Exact: true, Lexical: true, Aggregations: []string{"group_by"}},
			{Name: "took_seconds", Type: "number", Exact: true, Range: true, Aggregations: []string{"sum"}},
		}}},
	}}, records)
	for value, want := range map[string]string{"2h": `"took_seconds":7200`, "90 min": `"took_seconds":5400`, "3h": "", "soon": ""} {
		text, _, _ := server.call(t, tools.QueryRecords(), `{"stream":"runs","filter":{"took":"`+value+`"}}`)
		if found := strings.Contains(text, "Did you mean: query_records"); found != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s: %s", value, text)
		}
	}
}
