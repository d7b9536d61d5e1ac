package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// listOf returns a list of records with other members appended.
func listOf(rest string, records ...string) string {
	return `{"object":"list","data":[` + strings.Join(records, ",") + `]` + rest + `}`
}

func recordsSay(t *testing.T, body string, q RecordsQuery) string {
	t.Helper()
	r, err := Records(answered(body), q)
	if err != nil {
		t.Fatal(err)
	}
	assertResult(t, "query_records", r)
	return r.Text
}

// D23: following the printed calls reaches the records of several connections that have no common cursor.
func TestPagesOfSeveralConnectionsWithoutACursor(t *testing.T) {
	var records []string
	for i := range 15 {
		records = append(records, fmt.Sprintf(`{"id":"o%d","stream":"orders","connection_id":"cin_%d","data":{"total":1}}`, i, i))
	}
	body := listOf(`,"has_more":true`, records...)
	text := recordsSay(t, body, RecordsQuery{Stream: "orders", Limit: 1})
	if strings.Count(text, "query_records {") != 12 || !strings.Contains(text, `3 more connections: call schema {"stream":"orders"} for their ids, and query_records with each`) {
		t.Errorf("a connection is missing:\n%s", text)
	}
	r, err := Records(answered(body), RecordsQuery{Stream: "orders", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	structured := rs.AsObject(r.Structured)
	calls := structured.Array("next_by_connection")
	for _, raw := range calls {
		if call := rs.AsObject(raw); !strings.Contains(text, call.Text("tool")+" "+call.Get("arguments")+"\n") {
			t.Errorf("structured output has another continuation than the text: %s", raw)
		}
	}
	if len(calls) != 12 || !strings.HasPrefix(structured.Text("other_connections"), "3 more connections: call schema ") {
		t.Errorf("structured output does not continue: %s", r.Structured)
	}
	later := recordsSay(t, body, RecordsQuery{Stream: "orders", Limit: 1, Position: paging.Position{Cursor: "page2"}})
	if strings.Contains(later, "shown.") || !strings.Contains(later, "name one connection, from its first record on:") || !strings.Contains(later, `query_records {"stream":"orders","connection_id":"cin_3","limit":1}`) {
		t.Errorf("a later page continues after records that are not on the first:\n%s", later)
	}
}

// D23: the call that continues in one connection does not name fields that the connection lacks, since it would be refused.
func TestPagesOfConnectionsThatLackFields(t *testing.T) {
	body := listOf(`,"has_more":true,"missing_fields":[{"connection_id":"chat","fields":["subject","size"]}]`,
		`{"id":"m1","stream":"m","connection_id":"mail","data":{"subject":"a"},"expanded":{"files":{"data":[]}}}`,
		`{"id":"c1","stream":"m","connection_id":"chat","data":{"text":"b"}}`)
	for arguments, want := range map[string][2]string{
		`{"sort":"-size"}`: {`"sort":"-size"`, `"connection_id":"chat","limit":1,`},
		`{"sort":"text"}`:  {`"sort":"text"`, `"sort":"text"`},
		`{"expand":["files","replies"],"expand_limit":2}`: {`"expand":["files"],"expand_limit":2`, `"connection_id":"chat","limit":1,`},
		`{"fields":["subject","text"]}`:                   {`"fields":["subject","text"]`, `"fields":["text"]`},
		`{"fields":["subject"]}`:                          {`"fields":["subject"]`, `"connection_id":"chat","limit":1,`},
	} {
		rest := rs.AsObject(arguments)
		q := RecordsQuery{Stream: "m", Limit: 1, Fields: write.Words(rest, "fields"), Rest: rest.Without("fields")}
		r, err := Records(answered(body), q)
		if err != nil {
			t.Fatal(err)
		}
		for i, connection := range []string{"mail", "chat"} {
			var call rs.Object
			for _, raw := range rs.AsObject(r.Structured).Array("next_by_connection") {
				if named := rs.AsObject(raw).Object("arguments"); named.Text("connection_id") == connection {
					call = named
				}
			}
			if call.Text("connection_id") != connection || !strings.Contains(call.JSON(), want[i]) || !strings.Contains(r.Text, "\nquery_records "+call.JSON()+"\n") && !strings.HasSuffix(r.Text, call.JSON()) {
				t.Errorf("%s: %s\n%s", arguments, call.JSON(), r.Text)
			}
			position, err := paging.Parse(call.Text("cursor")).In(call)
			if err == nil {
				err = position.Under(connection)
			}
			if err != nil {
				t.Errorf("%s: the proposed call is refused: %v", arguments, err)
			}
		}
	}
}

// D23: a full page shows at least one record, however many fields it has and however large the rest of the answer is.
func TestAFullPageShowsAtLeastOneRecord(t *testing.T) {
	text := recordsSay(t, listOf("", `{"id":"o1","stream":"orders","data":`+manyFields(400, "1")+`}`), RecordsQuery{Stream: "orders"})
	if !strings.Contains(text, "\nf0: 1\n") || strings.Contains(text, "left out") || !strings.Contains(text, "more fields of this record") {
		t.Errorf("%.300s", text)
	}
	warning := `{"code":"w","message":"` + strings.Repeat("w", 240) + `"}`
	body := listOf(`,"next_changes_since":"`+strings.Repeat("c", 1900)+`","meta":{"warnings":[`+strings.Repeat(warning+",", 3)+warning+`]}`,
		`{"id":"o1","stream":"orders","data":`+manyFields(38, `"`+strings.Repeat("n ", 70)+`"`)+`}`)
	if text := recordsSay(t, body, RecordsQuery{Stream: "orders"}); !strings.Contains(text, "\nid: orders:o1\n") {
		t.Errorf("the page is full without a record:\n%s", text)
	}
}

// The head of a page says its order if the order is known.
func TestTheHeadNamesTheOrder(t *testing.T) {
	record := func(id, day string) string {
		return fmt.Sprintf(`{"id":%q,"stream":"orders","data":{"ordered_at":%q}}`, id, day)
	}
	paid := func(id, ordered, day string) string {
		return fmt.Sprintf(`{"id":%q,"stream":"orders","data":{"ordered_at":%q,"Paid":%q}}`, id, ordered, day)
	}
	for want, row := range map[string]struct {
		records []string
		sort    string
	}{
		"orders: 4 records, none follow": {[]string{ // sorted by Paid, not by the event time
			paid("a", "2026-01-01", "2026-03-01"), paid("b", "2026-02-01", "2026-03-02"), paid("c", "2026-01-15", "2026-03-03"), paid("d", "2026-01-15", "2026-03-03"),
		}, ""},
		"orders: 2 records, newest first, none follow":     {[]string{record("a", "2026-02-01"), record("b", "2026-01-01")}, ""},
		"orders: 2 records, oldest first, none follow":     {[]string{record("a", "2026-01-01"), record("b", "2026-02-01")}, ""},
		"orders: 2 records, sorted by -total, none follow": {[]string{record("a", "2026-01-01"), record("b", "2026-02-01")}, `"-total"`},
		"orders: 2 records, none follow":                   {[]string{record("a", "2026-01-01"), record("b", "2026-01-01")}, ""},
		"orders: 3 records, none follow":                   {[]string{record("a", "2026-01-01"), record("b", "2026-02-01"), record("c", "2026-01-15")}, ""},
		"orders: 1 record, none follow":                    {[]string{record("a", "2026-01-01")}, ""},
	} {
		q := RecordsQuery{Stream: "orders"}
		if row.sort != "" {
			q.Rest = object{write.Pair("sort", row.sort)}
		}
		if head, _, _ := strings.Cut(recordsSay(t, listOf("", row.records...), q), "\n"); head != want {
			t.Errorf("got %s, want %s", head, want)
		}
	}
}

func aggregated(t *testing.T, body string) Result {
	t.Helper()
	r, err := Aggregate(answered(body), AggregateQuery{Stream: "orders", Arguments: rs.AsObject(`{"stream":"orders"}`)})
	if err != nil {
		t.Fatal(err)
	}
	assertResult(t, "aggregate", r)
	return r
}

func TestAggregateText(t *testing.T) {
	if text := aggregated(t, `{"metric":"count","stream":"orders","value":1}`).Text; text != "1 record of orders" {
		t.Errorf("one record is %q", text)
	}
	// The total number of groups is unknown if some are left out.
	var groups []string
	for i := range 100 {
		groups = append(groups, fmt.Sprintf(`{"key":"%d%s","count":1}`, i, strings.Repeat("k", 200)))
	}
	body := func(padding string) string {
		return `{"metric":"count","stream":"orders","group_by":"merchant","limit":100,"groups":[` + strings.Join(groups, ",") + `],"other_count":500` + padding + `}`
	}
	if text := aggregated(t, body("")).Text; strings.Contains(text, " of 100 ") {
		t.Errorf("the resource server has more groups:\n%s", text[strings.LastIndex(text, "shown"):])
	}
	// The output has the same shape, whatever its size.
	for _, padding := range []string{"", `,"note":"` + strings.Repeat("x", write.StructuredHard) + `"`} {
		data := rs.AsObject(aggregated(t, body(padding+`,"meta":{"asked":1}`)).Structured).Object("data")
		if len(data.Array("groups")) == 0 || !data.Has("meta") {
			t.Errorf("%d bytes of padding: data has no groups, or lacks the other members: %.100s", len(padding), data.JSON())
		}
	}
}

// Warnings that the resource server adds to its schema, such as unread files, are on both channels of the index and of the schema of a
// stream.
func TestSchemasSayWhatIsMissing(t *testing.T) {
	schema := `{"object":"schema","connectors":[{"connector_key":"files","streams":[{"name":"bank"}]}],` +
		`"meta":{"warnings":[{"code":"not_read","message":"412 rows of bank.csv were not read"}]}}`
	for _, q := range []SchemaQuery{{}, {Stream: "bank"}} {
		r, err := Schema(answered(schema), q)
		if err != nil {
			t.Fatal(err)
		}
		assertResult(t, "schema", r)
		for _, channel := range []string{r.Text, r.Structured} {
			if !strings.Contains(channel, "not_read") || !strings.Contains(channel, "412 rows of bank.csv were not read") {
				t.Errorf("the warning is lost: %s", channel)
			}
		}
	}
}

// D23: if the continuation of a search is too long to print, no cursor that skips hits is printed instead.
func TestATooLongSearchContinuation(t *testing.T) {
	r, err := Search(answered(string(hits(60, 20))), SearchQuery{Q: strings.Repeat("q", write.LongestHandle), RecordBase: base})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Text, "\nnext page: the same search with cursor=shown.") {
		t.Errorf("hits are skipped:\n%s", r.Text[max(0, len(r.Text)-500):])
	}
}

// ANSWERS 1: a record in structured output whose text was truncated says so itself.
func TestATruncatedRecordSaysSo(t *testing.T) {
	record := func(id string, chars int) string {
		return fmt.Sprintf(`{"id":%q,"stream":"orders","connection_id":"cin_a","data":{"body":%q,"note":"short"}}`, id, strings.Repeat("b", chars))
	}
	for name, row := range map[string]struct {
		records []string
		want    []string // the truncated fields of each record
	}{
		"a page that fits":                {[]string{record("o1", 900), record("o2", 9)}, []string{"", ""}},
		"a page with long texts":          {[]string{record("o1", 90_000), record("o2", 9), record("o3", 900)}, []string{`["body"]`, "", `["body"]`}},
		"a record too large for one page": {[]string{record("o1", 90_000)}, []string{`["body"]`}},
		"with expanded records": {[]string{`{"id":"o1","stream":"orders","data":{"a":1},"expanded":{"items":{"data":[` +
			strings.TrimSuffix(strings.Repeat(record("i1", 900)+",", 90), ",") + `]}}}`}, []string{`["expanded"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Records(answered(listOf("", row.records...)), RecordsQuery{Stream: "orders"})
			if err != nil {
				t.Fatal(err)
			}
			for i, raw := range rs.AsObject(r.Structured).Object("data").Array("data") {
				if got := rs.AsObject(raw).Get("truncated"); got != row.want[i] {
					t.Errorf("record %d: want %q, got %q", i, row.want[i], got)
				}
			}
		})
	}
}

// The head of a page that was split says which of its records are shown.
func TestTheHeadOfASplitPageSaysWhichRecordsItHas(t *testing.T) {
	body := listOf("", `{"id":"1","stream":"m","data":{"n":1}}`, `{"id":"2","stream":"m","data":{"n":2}}`, `{"id":"3","stream":"m","data":{"n":3}}`)
	text := recordsSay(t, body, RecordsQuery{Stream: "m", Position: paging.Position{}.After(1, 3, "m:1")})
	if !strings.HasPrefix(text, "m: 3 records, shown 2-3, none follow\n") {
		t.Error(text)
	}
}
