package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// If the call names fields without emitted_at, no channel shows emitted_at, so that it is not mistaken for the time of an event.
// Otherwise it is labelled, unless a field has the same instant. Records that have none of the requested fields say so.
func TestEmittedAtIsNotTheTimeOfAnEvent(t *testing.T) {
	event := func(id, data string) string {
		return fmt.Sprintf(`{"id":%q,"stream":"events","connection_id":"cin_a","display_name":"Home","emitted_at":"2026-11-06T09:15:00.000Z","data":%s}`, id, data)
	}
	for name, row := range map[string]struct {
		fields       []string
		data         string
		want         string // a line of the text
		text, output bool   // whether emitted_at is on the channel
	}{
		"fields without it":           {[]string{"title"}, `{"title":"Swimming"}`, "id | title (id = cin_a/events: + first column)", false, false},
		"it is among the fields":      {[]string{"title", "emitted_at"}, `{"title":"Swimming"}`, "id | emitted_at (of the record) | title (id = cin_a/events: + first column)", true, true},
		"no time at all":              {nil, `{"title":"Swimming"}`, "id | emitted_at (of the record) | title (id = cin_a/events: + first column)", true, true},
		"a field has the same time":   {nil, `{"written":"2026-11-06T10:15:00+01:00"}`, "id | written (id = cin_a/events: + first column)", false, true},
		"the same without a zone":     {nil, `{"written":"2026-11-06T09:15:00"}`, "id | written (id = cin_a/events: + first column)", false, true},
		"a field has another time":    {nil, `{"at":"2026-11-07T10:15:00Z"}`, "id | emitted_at (of the record) | at (id = cin_a/events: + first column)", true, true},
		"none of the fields is there": {[]string{"subject"}, `{}`, "id (id = cin_a/events: + first column; these records have nothing of what was asked for)", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Records(answered(`{"data":[`+event("e1", row.data)+","+event("e2", row.data)+`],"has_more":false}`), RecordsQuery{Stream: "events", Fields: row.fields})
			if err != nil || !strings.Contains(r.Text, row.want+"\n") {
				t.Errorf("no line %s (%v) in\n%s", row.want, err, r.Text)
			}
			if got := strings.Contains(r.Text, "emitted_at"); got != row.text {
				t.Errorf("text has emitted_at: %t\n%s", got, r.Text)
			}
			if got := strings.Contains(r.Structured, "emitted_at"); got != row.output {
				t.Errorf("structured output has emitted_at: %t\n%s", got, r.Structured)
			}
		})
	}
	for _, fields := range []string{"", "place", "emitted_at"} {
		q := DocumentQuery{Ref: rs.Ref{ConnectionID: "cin_a", Stream: "events", RecordID: "e1"}, Fields: strings.Fields(fields)}
		r, err := Document(answered(event("e1", `{"place":"Leith"}`)), q)
		if err != nil || rs.AsObject(r.Text).Text("title") != "events from Home" || strings.Contains(r.Text, "2026-11-06") != (fields != "place") {
			t.Errorf("fields %q: %s (%v)", fields, r.Text, err)
		}
	}
}

// A row of a person's own table has its id and its day once, whatever their types.
func TestARowRepeatsNeitherItsIDNorItsDay(t *testing.T) {
	row := func(id, day string) string {
		return fmt.Sprintf(`{"id":%q,"stream":"steps","connection_id":"cin_files","emitted_at":"%sT00:00:00.000Z","data":{"id":%s,"day":%q,"steps":9}}`, id, day, id, day)
	}
	r, err := Records(answered(`{"data":[`+row("4", "2026-02-04")+","+row("3", "2026-02-03")+`],"has_more":false}`), RecordsQuery{Stream: "steps"})
	const want = "id | day | steps (id = cin_files/steps: + first column)\n4 | \"2026-02-04\" | 9\n3 | \"2026-02-03\" | 9"
	if err != nil || !strings.Contains(r.Text, want) {
		t.Errorf("%v: want %s in\n%s", err, want, r.Text)
	}
}

// ANSWERS 2: the forms of a page of records.
func TestRecordTables(t *testing.T) {
	record := func(connection, id, data string) string {
		return fmt.Sprintf(`{"id":%q,"stream":"orders","connection_id":%q,"data":%s}`, id, connection, data)
	}
	for says, row := range map[string]struct {
		records []string
		want    []string // lines of the text
	}{
		"columns and the common part of the ids are printed once": {
			[]string{record("cin_a", "o1", `{"id":"o1","total":39.35,"currency":"EUR"}`), record("cin_a", "o2", `{"id":"o2","total":7,"note":null}`)},
			[]string{"id | total | currency | note (id = cin_a/orders: + first column)", "o1 | 39.35 | EUR |", "o2 | 7 |  | null"},
		},
		"a long value that most records have is printed once": {
			[]string{
				record("cin_a", "o1", `{"to":["nora@lindqvist.example"],"x":"~"}`), record("cin_a", "o2", `{"to":["nora@lindqvist.example"],"x":"a"}`),
				record("cin_a", "o3", `{"to":["nora@lindqvist.example"]}`), record("cin_a", "o4", `{"to":["tom@lindqvist.example"]}`), record("cin_a", "o5", `{"x":1}`),
			},
			[]string{
				"id | to | x (id = cin_a/orders: + first column)", `~ in to: ["nora@lindqvist.example"]`,
				`o1 | ~ | "~"`, "o2 | ~ | a", "o3 | ~ |", `o4 | ["tom@lindqvist.example"] |`, "o5 |  | 1",
			},
		},
		"a value that three or more records share is printed once, unless one lacks it": {
			[]string{
				record("cin_a", "o1", `{"cc":[],"total":1,"draft":false,"note":null}`), record("cin_a", "o2", `{"cc":[],"total":2,"draft":false,"note":null}`),
				record("cin_a", "o3", `{"cc":[],"total":3,"draft":false}`),
			},
			[]string{"id | total | note (id = cin_a/orders: + first column)", "in each row: cc [] | draft false", "o1 | 1 | null", "o2 | 2 | null", "o3 | 3 |"},
		},
		"a deleted record shares no values": {
			[]string{
				record("cin_a", "o1", `{"x":1}`), record("cin_a", "o2", `{"x":1}`),
				`{"id":"o3","stream":"orders","connection_id":"cin_a","deleted":true,"data":{"x":1}}`,
			},
			[]string{"id | x (id = cin_a/orders: + first column)", "o1 | 1", "o2 | 1", "o3 | (deleted)"},
		},
		"the most frequent long value is printed once if a third of the records have it": {
			[]string{
				record("cin_a", "o1", `{"from":"ada.lovelace@tidewater.example"}`), record("cin_a", "o2", `{"from":"grace.hopper@tidewater.example"}`),
				record("cin_a", "o3", `{"from":"grace.hopper@tidewater.example"}`), record("cin_a", "o4", `{"from":"ada.lovelace@tidewater.example"}`),
				record("cin_a", "o5", `{"from":"grace.hopper@tidewater.example"}`), record("cin_a", "o6", `{"from":"ada.lovelace@tidewater.example"}`),
				record("cin_a", "o7", `{"from":"grace.hopper@tidewater.example"}`), record("cin_a", "o8", `{"from":"x"}`), record("cin_a", "o9", `{"from":"y"}`),
			},
			[]string{"~ in from: grace.hopper@tidewater.example", "o1 | ada.lovelace@tidewater.example", "o2 | ~", "o9 | y"},
		},
		"an id with a slash is printed completely": {
			[]string{record("cin_a", "2026/1", `{"total":1}`), record("cin_a", "o2", `{"total":2}`)},
			[]string{"id | total (id = cin_a/orders: + first column)", "pdpp://record/cin_a/orders/2026%2F1 | 1", "o2 | 2"},
		},
		"an event time has a column": {
			[]string{record("cin_a", "o1", `{"ordered_at":"2026-01-01T10:00:00Z","closed_at":"2026-01-01T10:00:00Z"}`), record("cin_a", "o2", `{"ordered_at":null,"closed_at":""}`)},
			[]string{"o1 | 2026-01-01T10:00:00Z | 2026-01-01T10:00:00Z", `o2 | null | ""`},
		},
		"one record is a block of lines": {
			[]string{record("cin_a", "o1", `{"total":39.35,"note":"a: b"}`)},
			[]string{"id: cin_a/orders:o1", "total: 39.35", `note: "a: b"`},
		},
		"each connection has a table": {
			[]string{record("cin_a", "o1", `{"x":1}`), record("cin_b", "o1", `{"y":2}`)},
			[]string{"id | x (id = cin_a/orders: + first column)", "o1 | 1", "id | y (id = cin_b/orders: + first column)", "o1 | 2"},
		},
		"a deleted record has the time of its deletion": {
			[]string{`{"id":"o1","stream":"orders","connection_id":"cin_a","deleted":true,"deleted_at":"2026-02-01T00:00:00Z"}`, record("cin_a", "o2", `{"x":1}`)},
			[]string{"o1 | (deleted_at 2026-02-01T00:00:00Z)", "o2 | 1"},
		},
		"related records are below their record, also for a relation to one": {
			[]string{
				`{"id":"m1","stream":"orders","connection_id":"cin_a","data":{"x":1},"expanded":{"bodies":{"id":"b1","stream":"bodies","data":{"text":"hello there"}},"parts":{"data":[{"id":"p1","stream":"parts","data":{"n":1}},{"id":"p2","stream":"parts","data":{"n":2}}],"has_more":true}}}`,
				`{"id":"m2","stream":"orders","connection_id":"cin_a","data":{"x":2},"expanded":{"bodies":null,"parts":[]}}`,
			},
			[]string{
				"  bodies: id | text (id = cin_a/bodies: + first column)", "  parts: id | n (id = cin_a/parts: + first column)",
				"m1 | 1", "  bodies: b1 | hello there", "  parts: p1 | 1", "  parts: p2 | 2", "  parts: more exist; raise expand_limit, or query their stream",
				"m2 | 2", "  bodies: none", "  parts: none",
			},
		},
		"related records state their order, and the call for all of them continues where they end": {
			[]string{`{"id":"C1","stream":"orders","connection_id":"cin_a","data":{"x":1},"expanded":{"old":{"data":[` +
				`{"id":"p1","stream":"parts","data":{"of":"C1","sent_at":"2026-01-01T00:00:00Z"}},{"id":"p2","stream":"parts","data":{"of":"C1","sent_at":"2026-01-02T00:00:00Z"}}],"has_more":true},` +
				`"new":{"data":[{"id":"p9","stream":"parts","data":{"of":"C1","sent_at":"2026-01-09T00:00:00Z"}},{"id":"p8","stream":"parts","data":{"of":"C1","sent_at":"2026-01-08T00:00:00Z"}}],"has_more":true}}}`},
			[]string{
				`  old: oldest first, more exist; all in this order: query_records {"stream":"parts","connection_id":"cin_a","filter":{"of":"C1"},"order":"asc"}`,
				`  new: newest first, more exist; all, newest first: query_records {"stream":"parts","connection_id":"cin_a","filter":{"of":"C1"}}`,
			},
		},
		"the call for all related records is printed if exactly one of their fields has the id": {
			[]string{
				`{"id":"C1","stream":"orders","connection_id":"cin_a","data":{"x":1},"expanded":{"parts":{"data":[{"id":"p1","stream":"parts","data":{"of":"C1"}},{"id":"p2","stream":"parts","data":{"of":"C1"}}],"has_more":true}}}`,
				`{"id":"C2","stream":"orders","connection_id":"cin_a","data":{"x":2},"expanded":{"parts":{"data":[{"id":"p3","stream":"parts","data":{"of":"C2"}}],"has_more":true},"twice":{"data":[{"id":"t1","stream":"twice","data":{"of":"C2","to":"C2"}}],"has_more":true}}}`,
			},
			[]string{
				`  parts: more exist; all, newest first: query_records {"stream":"parts","connection_id":"cin_a","filter":{"of":"C1"}}`,
				`  parts: more exist; likewise with {"of":"C2"}`, "  twice: more exist; raise expand_limit, or query their stream",
			},
		},
		"a reference to a blob states its id once, and how to read it": {
			[]string{
				record("cin_a", "o1", `{"file":{"blob_id":"blob_sha256_0123456789abcdef","mime_type":"image/png","sha256":"0123456789abcdef","fetch_url":"/v1/blobs/blob_sha256_0123456789abcdef"}}`),
				record("cin_a", "o2", `{"file":{"blob_id":"b2","sha256":"fedcba9876543210"}}`),
			},
			[]string{
				`o1 | {"blob_id":"blob_sha256_0123456789abcdef","mime_type":"image/png"}`, `o2 | {"blob_id":"b2","sha256":"fedcba9876543210"}`,
				"blob_id: members that repeat it are left out. fetch with the record's id shows a text (text/*) that is attached; no tool reads another type.",
			},
		},
		"a truncated text among others states how to read it": {
			[]string{record("cin_a", "o1", `{"text":"`+strings.Repeat("a", 9000)+`"}`), record("cin_a", "o2", `{"text":"b"}`)},
			[]string{"o1 | \"" + strings.Repeat("a", 500) + "\"… (+8,500 characters)", "o2 | b", `(+N characters): not shown; read with the id and field, as read_record_field {"id":"cin_a/orders:o1","field":"text"}`},
		},
	} {
		t.Run(says, func(t *testing.T) {
			r, err := Records(answered(`{"object":"list","data":[`+strings.Join(row.records, ",")+`],"has_more":false}`), RecordsQuery{Stream: "orders"})
			if err != nil {
				t.Fatal(err)
			}
			lines, at := strings.Split(r.Text, "\n"), 0
			for _, line := range lines {
				if at < len(row.want) && line == row.want[at] {
					at++
				}
			}
			if at < len(row.want) {
				t.Errorf("no line %s in\n%s", row.want[at], r.Text)
			}
		})
	}
}

// D23: if a page is shortened, no link or bookmark in structured output skips the records that were left out: neither the resource
// server's next page nor its bookmark of changes.
func TestLinksDoNotSkipRecordsLeftOut(t *testing.T) {
	list := strings.TrimSuffix(strings.Repeat(`{"id":"a","stream":"notes","connection_id":"cin_a","data":{"x":"`+strings.Repeat("y", 900)+`"}},`, 60), ",")
	page := `{"data":[` + list + `],"has_more":true,"links":{"self":"/here","next":"/there"},"next_changes_since":"mark1"}`
	r, err := Records(answered(page), RecordsQuery{Stream: "notes", Limit: 60})
	if err != nil {
		t.Fatal(err)
	}
	out := rs.AsObject(r.Structured)
	if n := strings.Count(out.Get("data"), "yyy\""); n == 0 || n == 60 {
		t.Fatalf("%d records", n)
	}
	if links := out.Object("data").Get("links"); links != `{"self":"/here","next":null}` {
		t.Errorf("links are %s", links)
	}
	for _, channel := range []string{r.Text, out.Text("warning")} {
		if !strings.Contains(channel, afterLastPage) {
			t.Errorf("the bookmark may be used too early: %s", channel)
		}
	}
}

// If the other members of an answer leave no space for any record, the cursor would skip all of them, so the answer is an error.
func TestACursorThatLeavesNoSpace(t *testing.T) {
	page := func(cursor int) string {
		return `{"data":[` + strings.TrimSuffix(strings.Repeat(`{"id":"a","data":{"x":"`+strings.Repeat("y", 900)+`"}},`, 60), ",") +
			`],"next_cursor":"` + strings.Repeat("c", cursor) + `"}`
	}
	if r, err := Records(answered(page(30_000)), RecordsQuery{Stream: "messages"}); err != nil || len(r.Structured) > write.StructuredHard {
		t.Errorf("%d bytes, %v", len(r.Structured), err)
	}
	for _, cursor := range []int{write.StructuredHard - followUpsJSON - 1000, 60_000} {
		_, err := Records(answered(page(cursor)), RecordsQuery{Stream: "messages"})
		if e := rs.AsError(err); e == nil || e.Code != "invalid_response" || !strings.Contains(e.Message, "cursor") {
			t.Errorf("a cursor of %d bytes: %v", cursor, err)
		}
	}
}

// A single deleted record has its complete id, since there is no table header with the common part.
func TestASingleDeletedRecord(t *testing.T) {
	r, err := Records(answered(`{"data":[{"id":"m2","stream":"messages","connection_id":"cin_a","deleted":true}],"has_more":false}`), RecordsQuery{Stream: "messages", ChangesSince: "x"})
	if err != nil || !strings.Contains(r.Text, "\ncin_a/messages:m2 | (deleted)") {
		t.Errorf("%v\n%s", err, r.Text)
	}
}

// D37: a record in structured output has connection_id and connector_key, and no aliases of them.
func TestRecordsHaveTheNamesOfTheContract(t *testing.T) {
	for sent, want := range map[string]string{
		`{"id":"1","connection_id":"c","connector_instance_id":"c","data":{}}`:                          `{"id":"1","connection_id":"c","data":{}}`,
		`{"id":"1","connector_instance_id":"c","data":{}}`:                                              `{"id":"1","data":{},"connection_id":"c"}`,
		`{"id":"1","connection_id":"c","connector_id":"https://registry.example/gmail","data":{}}`:      `{"id":"1","connection_id":"c","data":{},"connector_key":"gmail"}`,
		`{"id":"1","connection_id":"c","connector_key":"gmail","data":{"connector_instance_id":"own"}}`: `{"id":"1","connection_id":"c","connector_key":"gmail","data":{"connector_instance_id":"own"}}`,
	} {
		result, err := Records(answered(`{"object":"list","data":[`+sent+`]}`), RecordsQuery{Stream: "s"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(`{"data":{"object":"list","data":[`+want+`]}}`, result.Structured); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sent, diff)
		}
	}
}

// If a connection lacks the sort field of a page, reading continues in the connection's own order.
func TestAConnectionWithoutTheSortFieldKeepsItsOrder(t *testing.T) {
	const row = `{"object":"record","id":"%[2]s","stream":"s","connection_id":"%[1]s","data":{"id":"%[2]s"}}`
	page := `{"object":"list","data":[` + fmt.Sprintf(row, "cin_a", "1") + "," + fmt.Sprintf(row, "cin_b", "2") + `],"has_more":true,` +
		`"meta":{"warnings":[{"code":"partial_results"}]},"missing_fields":[{"connection_id":"cin_b","fields":["size"]}]}`
	for sort, want := range map[string]string{"size": `"connection_id":"cin_b","order":"asc",`, "-size": `"connection_id":"cin_b","cursor"`} {
		r, err := Records(answered(page), RecordsQuery{Stream: "s", Limit: 1, Rest: rs.Object{{Name: "sort", Value: rs.EncodeJSON(sort)}}})
		if err != nil || !strings.Contains(strings.ReplaceAll(r.Text, `"limit":1,`, ""), want) || strings.Contains(r.Text, "What has none is oldest first.") != (sort == "size") {
			t.Errorf("%s: %s (%v); want %q", sort, r.Text, err, want)
		}
	}
}

// D23: if more records follow and no call continues the page, both channels say what to do.
func TestAPageWithoutACursorSaysHowToGoOn(t *testing.T) {
	const says = "This page has no cursor: ask with a higher limit (at most 100)"
	for body, said := range map[string]bool{
		`{"data":[{"id":"a","data":{}}],"has_more":true}`:                      true,
		`{"data":[{"id":"a","data":{}}],"has_more":true,"next_cursor":"c"}`:    false,
		`{"data":[{"id":"a","data":{}}],"has_more":false}`:                     false,
		`{"data":[{"id":"a","data":{}}],"has_more":true,"next_cursor":"null"}`: false,
	} {
		r, err := Records(answered(body), RecordsQuery{Stream: "threads", ConnectionID: "c", Limit: 1})
		if err != nil || strings.Contains(r.Text, says) != said || strings.Contains(r.Structured, says) != said {
			t.Errorf("%s: %v\n%s\n%s", body, err, r.Text, r.Structured)
		}
	}
}

// An error of a resource server has a hint, whatever its shape.
func TestEveryErrorOfAServerHasAHint(t *testing.T) {
	for status, says := range map[int]string{
		400: "Leave out what was refused", 418: "Leave out what was refused", 429: "Wait, then retry once.", 500: "Retry once", 503: "Retry once", 401: "", 403: "",
	} {
		r := Error(&rs.Error{Code: "upstream_error", Status: status, Message: "Something", Quoted: true})
		if strings.Contains(r.Text, "\n"+says) != (says != "") || strings.Contains(r.Structured, `"hint":"`+says) != (says != "") {
			t.Errorf("%d: %s\n%s", status, r.Text, r.Structured)
		}
	}
}
