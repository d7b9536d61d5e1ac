package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// newCalendarServer has a trip of three days, a lunch on the second day, an event that ends where the second day begins, and a task
// without an end.
func newCalendarServer(t *testing.T, nullable bool) *shopServer {
	t.Helper()
	at := func(name, role string, nullable bool) model.Field {
		return model.Field{
			Name: name, Type: "timestamp", Role: role, Exact: true, Range: true, Nullable: nullable, Aggregations: []string{"min", "max", "group_by_time"},
		}
	}
	event := func(id, starts string, ends any) model.Record {
		data, _ := json.Marshal(map[string]any{"id": id, "title": id, "starts_at": starts, "ends_at": ends})
		return model.Record{ConnectionID: "cin_c", Stream: "events", ID: id, EmittedAt: time.Unix(1767312000, 0), Data: data}
	}
	records := []model.Record{
		event("trip", "2026-03-02T09:00:00Z", "2026-03-04T18:00:00Z"), event("lunch", "2026-03-03T12:00:00Z", "2026-03-03T13:00:00Z"),
		event("holiday", "2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"), event("later", "2026-03-09T12:00:00Z", "2026-03-09T13:00:00Z"),
	}
	if nullable {
		records = append(records, event("task", "2026-03-03T10:00:00Z", nil))
	}
	return serve(t, []model.Connector{{
		Key: "calendar", SourceID: "https://registry.test/calendar", Connections: []model.Connection{{ID: "cin_c", DisplayName: "Calendar"}},
		Streams: []model.Stream{{Name: "events", PrimaryKey: []string{"id"}, CursorField: "starts_at", Fields: []model.Field{
			{Name: "id", Type: "string", Exact: true}, {Name: "title", Type: "text", Role: "primary-title", Exact: true, Lexical: true},
			at("starts_at", "event-time", false), at("ends_at", "", nullable),
		}}},
	}}, records)
}

// If events began before the day in a filter on the start and last into it, both channels count them, and the proposed call returns
// exactly what is on that day.
func TestEventsThatLastIntoADayAreCounted(t *testing.T) {
	for name, row := range map[string]struct {
		tool      *tools.Tool
		arguments string
		nullable  bool
		then      string // what the call that the answer prints finds; "" where it prints none
	}{
		"a day":                   {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":"2026-03-03"}}`, false, "lunch trip"},
		"a range":                 {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":{"gte":"2026-03-03","lt":"2026-03-04"}}}`, false, "lunch trip"},
		"times":                   {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":{"gte":"2026-03-04T00:00:00Z","lte":"2026-03-05T00:00:00Z"}}}`, false, "trip"},
		"a day of a zone":         {tools.QueryRecords(), `{"stream":"events","time_zone":"Europe/Berlin","filter":{"starts_at":"2026-03-03"}}`, false, "lunch trip holiday"},
		"no upper bound":          {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":{"gte":"2026-03-04"}}}`, false, "later trip"},
		"ends that may be absent": {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":"2026-03-03"}}`, true, "lunch trip"},
		"another condition":       {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":"2026-03-03","title":"lunch"}}`, false, ""},
		"nothing lasts":           {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":"2026-03-09"}}`, false, ""},
		"an end is given":         {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":{"gte":"2026-03-03"},"ends_at":{"lt":"2026-03-04"}}}`, false, ""},
		"only an upper bound":     {tools.QueryRecords(), `{"stream":"events","filter":{"starts_at":{"lt":"2026-03-04"}}}`, false, ""},
		"a count":                 {tools.Aggregate(), `{"stream":"events","metric":"count","filter":{"starts_at":"2026-03-03"}}`, false, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newCalendarServer(t, row.nullable)
			text, data, _ := server.call(t, row.tool, row.arguments)
			lasting := data.Object("lasting")
			instead := lasting.Object("instead")
			send, proposed := instead.Get("arguments"), instead.Text("tool") == row.tool.Name
			if proposed != (row.then != "") || proposed && !strings.Contains(text, "\n"+lasting.Text("note")+": "+row.tool.Name+" "+send) {
				t.Fatalf("structured %q, text:\n%s", data.Get("lasting"), text)
			}
			if !proposed {
				return
			}
			_, again, _ := server.call(t, row.tool, send)
			found := again.Get("value")
			var titles []string
			for _, raw := range again.Array("data") {
				titles = append(titles, rs.AsObject(raw).Object("data").Text("title"))
			}
			if found += strings.Join(titles, " "); found != row.then {
				t.Errorf("%s finds %s", send, found)
			}
		})
	}
}

// A search of a period returns events that began before it and last into it, once each, wherever a page ends.
func TestASearchOfAPeriodIncludesEventsThatLastIntoIt(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"since":"2026-03-03","until":"2026-03-03","limit":1}`:                             "lunch trip",
		`{"since":"2026-03-03","until":"2026-03-03","limit":5,"time_zone":"Europe/Berlin"}`: "lunch trip holiday",
		`{"since":"2026-03-05","limit":5}`:                                                  "later",
		`{"until":"2026-03-02","limit":5}`:                                                  "trip holiday",
		`{"q":"trip","since":"2026-03-03T12:00:00Z","limit":5}`:                             "trip",
	} {
		server, tool := newCalendarServer(t, true), tools.Search("https://rs.example")
		var titles []string
		for raw := rs.AsObject(arguments); len(titles) < 9; {
			_, data, reply := server.call(t, tool, raw.JSON())
			result, _ := tool.Render(reply.Call, reply.Answer)
			for _, hit := range rs.AsObject(result.Structured).Array("results") {
				if id := strings.TrimPrefix(rs.AsObject(hit).Text("id"), "cin_c/events:"); id != "task" {
					titles = append(titles, id)
				}
			}
			if !strings.Contains(data.Get("read_as"), "what lasts into it by ends_at of events") && raw.Has("since") {
				t.Errorf("%s is read as %s", raw.JSON(), data.Get("read_as"))
			}
			next := data.Text("next_cursor")
			if next == "" {
				break
			}
			raw = raw.With("cursor", rs.EncodeJSON(next))
		}
		if got := strings.Join(titles, " "); got != want {
			t.Errorf("%s finds %s, want %s", arguments, got, want)
		}
	}
}

// A query for whatever a stream has at a time proposes a search of that stream.
func TestAQueryForAStreamAtATimeNamesTheStream(t *testing.T) {
	text, data, _ := newCalendarServer(t, false).call(t, tools.Search("https://rs.example"), `{"q":"which meetings were on 3 March 2026"}`)
	const want = `{"streams":["events"],"since":"2026-03-03","until":"2026-03-03"}`
	if data.Object("of_that_time").Get("arguments") != want || !strings.Contains(text, "search "+want) {
		t.Errorf("structured %s, text: want %q in\n%s", data.Get("of_that_time"), want, text)
	}
}

// Streams with an end time are read twice, within the limit of reads; the remaining streams are left to the continuation.
func TestReadsOfStreamsWithAnEndAreBounded(t *testing.T) {
	var streams []string
	for i := range 24 {
		streams = append(streams, fmt.Sprintf(`{"name":"s%02d","field_capabilities":{"start":"t=date,role=event-time,eq,r=gte|gt|lte|lt","end":"t=date,eq,r=gte|gt|lte|lt"}}`, i))
	}
	schema := `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` + strings.Join(streams, ",") + `]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[{"id":"1","data":{"start":"2026-03-01","end":"2026-03-02"}}]}`), nil
	}}
	for arguments, want := range map[string][2]int{
		`{"since":"2026-03-01"}`:                         {2 * 16, 8},
		`{"since":"2026-03-01","streams":["s08","s23"]}`: {2 * 2, 0},
		`{"since":"2026-03-01","connection_id":"c"}`:     {2 * 16, 8},
		`{"until":"2026-03-01"}`:                         {24, 0},
	} {
		read := len(server.Requests())
		_, text := searchWith(t, tools.Search("https://rs.example"), server, arguments)
		reads := len(server.Requests()) - read - 1 // without the read of the schema
		says := strings.HasPrefix(text, fmt.Sprintf("%d of 24 sources were read. The others: search {", 24-want[1]))
		if reads != want[0] || says != (want[1] > 0) {
			t.Errorf("%s: %d reads:\n%s", arguments, reads, text)
		}
	}
}
