package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// All hits of a period can be paged, however many a stream has: by cursor, then by the calls that the last page has instead of a cursor.
func TestASearchOfATimeHasAllHits(t *testing.T) {
	const many, few = 230, 30
	var records []model.Record
	for i := range many + few {
		stream := map[bool]string{true: "letters", false: "notes"}[i < many]
		at := time.Date(2026, 3, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339)
		if i < many && i > 100 {
			at = "2026-03-05T12:00:00Z" // more records at one time than fit on a page
		}
		data, _ := json.Marshal(map[string]any{"id": fmt.Sprint("r", i), "at": at, "body": "rent of the month"})
		records = append(records, model.Record{ConnectionID: "cin", Stream: stream, ID: fmt.Sprint("r", i), EmittedAt: time.Unix(1767312000, 0), Data: data})
	}
	stream := func(name string) model.Stream {
		return model.Stream{Name: name, PrimaryKey: []string{"id"}, CursorField: "at", Fields: []model.Field{
			{Name: "id", Type: "string", Exact: true}, {Name: "body", Type: "text", Lexical: true, Role: "secondary"},
			{Name: "at", Type: "timestamp", Role: "event-time", Exact: true, Range: true},
		}}
	}
	server := serve(t, []model.Connector{{
		Key: "post", SourceID: "https://registry.test/post", Connections: []model.Connection{{ID: "cin", DisplayName: "Post"}},
		Streams: []model.Stream{stream("letters"), stream("notes")},
	}}, records)
	for _, first := range []string{
		`{"q":"rent","since":"2026-03-01","until":"2026-03-31","limit":60}`,
		`{"q":"rent","since":"2026-03-01","until":"2026-03-31","limit":60,"time_zone":"Europe/Berlin"}`,
		`{"since":"2026-03-01","limit":100}`,
	} {
		seen := map[string]int{}
		calls := []string{"search " + first}
		for n := 0; n < len(calls) && n < 40; n++ {
			name, arguments, _ := strings.Cut(calls[n], " ")
			tool := tools.Search("https://rs.example")
			if name == "query_records" {
				tool = tools.QueryRecords()
			}
			text, data, reply := server.call(t, tool, arguments)
			if reply.Response == nil {
				t.Fatalf("%s: %s", calls[n], text)
			}
			list, _ := reply.Response.List()
			for _, item := range list.Items {
				seen[item.Members.Text("record_key", "id")]++
			}
			if cursor := list.Envelope.Text("next_cursor"); cursor != "" {
				calls = append(calls, name+" "+rs.AsObject(arguments).With("cursor", rs.EncodeJSON(cursor)).JSON())
			}
			for _, raw := range data.Array("goes_on") {
				call := rs.AsObject(raw)
				calls = append(calls, call.Text("tool")+" "+call.Get("arguments"))
				if !strings.Contains(text, calls[len(calls)-1]) {
					t.Errorf("the text does not have %s:\n%s", calls[len(calls)-1], text)
				}
			}
			if data.Flag("has_more") && !data.Has("next_cursor") && !data.Has("goes_on") {
				t.Errorf("%s has more hits, but no continuation", calls[n])
			}
		}
		twice := 0
		for _, times := range seen {
			twice += times - 1
		}
		if len(seen) != many+few || twice > 0 {
			t.Errorf("%s: %d of %d are found, %d of them again, by %q", first, len(seen), many+few, twice, calls)
		}
	}
}

// A continuation shows at most limit hits, and the next one starts after them.
func TestAContinuationKeepsToItsLimit(t *testing.T) {
	sizes := slices.Repeat([]int{300}, 20)
	tool := tools.Search("https://rs.example")
	seen, cursor := 0, ""
	for page := 0; page == 0 || cursor != ""; page++ {
		arguments := `{"q":"needle"}`
		if page > 0 {
			arguments = fmt.Sprintf(`{"q":"needle","limit":2,"cursor":%q}`, cursor)
		}
		result := use(t, tool, listServer(sizes, true), json.RawMessage(arguments))
		ids, next := readText(result.Text, nil)
		if page > 0 && len(ids) > 2 || len(ids) == 0 {
			t.Fatalf("page %d shows %d hits:\n%s", page, len(ids), result.Text)
		}
		seen, cursor = seen+len(ids), next
		if s := len(rs.AsObject(result.Structured).Array("results")); page > 0 && s > 2 {
			t.Errorf("page %d has %d results", page, s)
		}
	}
	if seen != len(sizes) {
		t.Errorf("%d of %d hits are shown", seen, len(sizes))
	}
}
