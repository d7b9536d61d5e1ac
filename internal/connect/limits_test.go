package connect

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Each stream of a grant has the time limit from the server; the whole grant has a limit only if all of its streams have the same.
func TestEachStreamHasItsOwnTimeLimit(t *testing.T) {
	const june, october, december = "2026-06-01T00:00:00Z", "2026-10-01T00:00:00Z", "2026-12-01T00:00:00Z"
	for name, row := range map[string]struct {
		streams string
		limits  []rs.TimeLimit
		since   string
		until   string
	}{
		"of three, one has none": {
			`{"name":"messages","time_constraint":{"field":"sent_at","since":"2026-06-01T00:00:00Z"}},{"name":"channels"},{"name":"files","time_range":{"since":"2026-10-01T00:00:00Z"}}`,
			[]rs.TimeLimit{{Stream: "messages", Field: "sent_at", Since: june}, {Stream: "files", Since: october}}, "", "",
		},
		"all have one": {
			`{"name":"messages","time_range":{"since":"2026-10-01T00:00:00Z","until":"2026-12-01T00:00:00Z"}},{"name":"files","time_range":{"since":"2026-06-01T00:00:00Z"}}`,
			[]rs.TimeLimit{{Stream: "messages", Since: october, Until: december}, {Stream: "files", Since: june}}, june, "",
		},
		"until": {
			`{"name":"messages","time_range":{"until":"2026-10-01T00:00:00Z"}},{"name":"files","time_range":{"since":"2026-06-01T00:00:00Z","until":"2026-12-01T00:00:00Z"}}`,
			[]rs.TimeLimit{{Stream: "messages", Until: october}, {Stream: "files", Since: june, Until: december}}, "", december,
		},
		"earlier and later, whatever the zone they are written in": {
			`{"name":"messages","time_range":{"since":"2026-06-01T00:00:00+02:00","until":"2026-12-01T00:00:00Z"}},{"name":"files","time_range":{"since":"2026-05-31T23:00:00Z","until":"2026-11-30T23:30:00-01:00"}}`,
			[]rs.TimeLimit{
				{Stream: "messages", Since: "2026-06-01T00:00:00+02:00", Until: december}, {Stream: "files", Since: "2026-05-31T23:00:00Z", Until: "2026-11-30T23:30:00-01:00"},
			}, "2026-06-01T00:00:00+02:00", "2026-11-30T23:30:00-01:00",
		},
		"without any, all have the requested one": {
			`{"name":"messages"},{"name":"files"}`, []rs.TimeLimit{{Stream: "messages", Since: june}, {Stream: "files", Since: june}}, june, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := &attempt{Options: Options{Now: time.Now}}
			a.asked = selection{Source: source{ID: "https://r.example/connectors/slack"}, Streams: []stream{{Name: "*", Time: &period{Since: june}}}}
			var answer issued
			if err := json.Unmarshal([]byte(`{"access_token":"at","grant_id":"grt_1","grant":{"streams":[`+row.streams+`]}}`), &answer); err != nil {
				t.Fatal(err)
			}
			d, err := a.document(answer)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			var stored credentials.Document
			if err := json.Unmarshal(text, &stored); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.limits, stored.Grant.TimeLimits()); diff != "" {
				t.Error(diff)
			}
			if stored.Grant.Since != row.since || stored.Grant.Until != row.until {
				t.Errorf("all since %q, until %q", stored.Grant.Since, stored.Grant.Until)
			}
		})
	}
}
