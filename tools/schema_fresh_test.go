package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// FRESHNESS: the schema of a stream says how fresh its connector is and from which time on the grant allows reads; an index also says
// this for connectors that are current.
func TestASchemaSaysHowFreshItIs(t *testing.T) {
	const stream = `{"connector_key":"gmail","granted_connections":[{"connection_id":"c1","display_name":"Work"}],"streams":[{"name":"messages"}]}`
	asOf := func(when string) string {
		if when == "" {
			return `,"last_sync":"unknown"`
		}
		return `,"data_as_of":"` + when + `"`
	}
	for name, row := range map[string]struct {
		status, run   string // run is the resource server's report of the last sync
		text, as, day string
	}{
		"current after a run": {"current", `,"last_attempted_at":"2026-03-02T10:11:12Z"`, "data as of 2026-03-02 10:11", "2026-03-02T10:11:12Z", "2026-03-02"},
		"stale after a run":   {"stale", `,"last_attempted_at":"2026-03-05T00:00:00Z"`, "data as of 2026-03-02 10:11", "2026-03-02T10:11:12Z", "2026-03-02"},
		// Recorded from a server without sync runs: captured_at is then the time of the newest record.
		"stale without a run":   {"stale", "", "last sync unknown", "", ""},
		"unknown without a run": {"unknown", "", "last sync unknown", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			freshness := `"freshness":{"status":"` + row.status + `","captured_at":"2026-03-02T10:11:12Z"` + row.run + `}`
			server := &middlewaretest.RS{Answers: map[string]string{
				"/v1/schema": `{"detail":"compact","connectors":[` + stream + `]}`,
				"/v1/streams": `{"data":[{"name":"messages","connection_id":"c1","display_name":"Work","record_count":3,"last_updated":"2026-03-02T10:11:12Z",` +
					freshness + `}]}`,
				"/v1/streams/messages":         `{"name":"messages",` + freshness + `,"time_constraint":{"field":"at","since":"2026-01-01T00:00:00Z"}}`,
				"/v1/streams/messages/records": `{"data":[],"has_more":false}`,
			}}
			one := use(t, tools.Schema(), server, json.RawMessage(`{"stream":"messages"}`))
			const limit = "the grant is limited to at from 2026-01-01 00:00; records of other times are not shown"
			if !strings.HasSuffix(one.Text, "\nthis connector (gmail) is "+row.status+", "+row.text+"\n"+limit) {
				t.Errorf("of a stream: %s; want %q", one.Text, row.text)
			}
			if want := `{"freshness":[{"connections":["gmail"],"connector_status":"` + row.status + `"` + asOf(row.as) + `}],` +
				`"granted_time":{"field":"at","since":"2026-01-01T00:00:00Z"},`; !strings.HasPrefix(one.Structured, want) {
				t.Errorf("stream: %s", one.Structured)
			}
			index := use(t, tools.Schema(), server, json.RawMessage(`{}`))
			said := strings.TrimSuffix(row.text, " 10:11")
			if !strings.Contains(index.Text, "messages 3 (to 2026-03-02); connector "+row.status+", "+said+"\n") ||
				!strings.Contains(index.Structured, `"connector_status":"`+row.status+`"`+asOf(row.day)+`,"streams"`) {
				t.Errorf("index: %s %s", index.Text, index.Structured)
			}
			newest := ""
			if row.run == "" {
				newest = ", newest record emitted 2026-03-02 10:11"
			}
			nothing := use(t, tools.QueryRecords(), server, json.RawMessage(`{"stream":"messages","connection_id":"c1"}`))
			if !strings.Contains(nothing.Text, "\nthis connector (Work) is "+row.status+", "+row.text+newest+"\n") {
				t.Errorf("of no records: %s; want %q", nothing.Text, row.text)
			}
		})
	}
}

// What is the same for all connectors of an index is in the text once.
func TestAnIndexPrintsCommonFreshnessOnce(t *testing.T) {
	for name, row := range map[string]struct{ other, want string }{
		"the same":  {"stale", "Every connector is stale, last sync unknown.\ngmail, c1: messages 3\nslack, c2: messages 3\n"},
		"different": {"unknown", "gmail, c1: messages 3; connector stale, last sync unknown\nslack, c2: messages 3; connector unknown, last sync unknown\n"},
	} {
		t.Run(name, func(t *testing.T) {
			of := func(id, status string) string {
				return `{"name":"messages","connection_id":"` + id + `","record_count":3,"freshness":{"status":"` + status + `"}}`
			}
			stream := `"streams":[{"name":"messages"}]}`
			server := &middlewaretest.RS{Answers: map[string]string{
				"/v1/schema": `{"detail":"compact","connectors":[{"connector_key":"gmail","granted_connections":[{"connection_id":"c1"}],` + stream +
					`,{"connector_key":"slack","granted_connections":[{"connection_id":"c2"}],` + stream + `]}`,
				"/v1/streams": `{"data":[` + of("c1", "stale") + "," + of("c2", row.other) + `]}`,
			}}
			index := use(t, tools.Schema(), server, json.RawMessage(`{}`))
			if !strings.Contains(index.Text, row.want) || strings.Count(index.Structured, `"connector_status"`) != 2 {
				t.Errorf("want %q in\n%s\n%s", row.want, index.Text, index.Structured)
			}
		})
	}
}

// If a requested field is unknown to a stream, the nearest fields are proposed, as in an error.
func TestASchemaProposesTheNearestFields(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
			`{"name":"mails","field_capabilities":{"subject":"t=text,lex","from_name":"t=string,role=actor,eq"}}]}]}`), nil
	}}
	for fields, want := range map[string]string{
		`["subjet"]`: `["subject"]`, `["sender","subject"]`: `["from_name","subject"]`, `["subjet","zzzz"]`: "", `["zzzz"]`: "",
	} {
		result := use(t, tools.Schema(), server, []byte(`{"stream":"mails","fields":`+fields+`}`))
		meant := rs.AsObject(result.Structured).Object("did_you_mean").Object("arguments")
		if meant.Text("stream") != "mails" || meant.Get("fields") != want {
			t.Errorf("%s: want %q, got\n%s\n%s", fields, want, meant.JSON(), result.Text)
		}
	}
}
