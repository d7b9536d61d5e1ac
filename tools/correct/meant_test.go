package correct_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// The hint says how the proposed call differs from the one that was sent, and a hint that announces a call has one.
func TestTheHintSaysHowTheProposedCallDiffers(t *testing.T) {
	for _, row := range []struct{ tool, arguments, param, hint, send string }{
		{"aggregate", `{"stream":"orders","metric":"count","group_by_time":"at","granularity":"fortnight"}`, "granularity", "add up the weeks of each fortnight",
			`aggregate {"stream":"orders","metric":"count","group_by_time":"at","granularity":"week"}`},
		{"aggregate", `{"stream":"orders","metric":"count","group_by_time":"at","granularity":"decade"}`, "granularity", "No group is by decade",
			`aggregate {"stream":"orders","metric":"count","group_by_time":"at","granularity":"year"}`},
		{"query_records", `{"stream":"orders","filter":{"total":{"gt":100,"lt":50}}}`, "filter", "",
			`query_records {"stream":"orders","filter":{"total":{"gt":50,"lt":100}}}`},
		{"query_records", `{"stream":"orders","filter":{"at":{"gte":"2026-03-01","lt":"2026-02-01"},"total":1}}`, "filter", "",
			`query_records {"stream":"orders","filter":{"at":{"gte":"2026-02-01","lt":"2026-03-01"},"total":1}}`},
		{"query_records", `{"stream":"orders","filter":{"total":{"!=":42},"status":"paid"}}`, "filter", "send it with lt in place of gt, too",
			`query_records {"stream":"orders","filter":{"status":"paid","total":{"gt":42}}}`},
		{"query_records", `{"stream":"orders","filter":{"status":{"!=":"paid"}}}`, "filter", "the call below lists those of status", `aggregate {"stream":"orders","metric":"count","group_by":"status"}`},
		{"search", `{"q":"ferry","filter":{"from_name":{"ne":"Ann"}}}`, "filter", "in the one stream that you name", ""},
	} {
		args, _ := argumentsOf(row.arguments)
		tool := toolNamed(t, row.tool)
		call, ok := tool.Guess(args, &rs.Error{Code: "invalid_filter", Param: row.param})
		if hint := tool.Hint(args); !strings.Contains(hint, row.hint) || ok != (row.send != "") || ok && call.String() != row.send {
			t.Errorf("%s: %q, send %s (%v); want %q", row.arguments, hint, call, ok, row.send)
		}
	}
	for interval, want := range map[string]string{"1M": "month", "1d": "day", "1h": "hour", "1w": "week", "1y": "year", "1m": "1m"} {
		args, _ := argumentsOf(`{"stream":"orders","metric":"count","group_by_time":"at","interval":"` + interval + `"}`)
		if got := toolNamed(t, "aggregate").Canonical(args).Text("granularity"); got != want {
			t.Errorf("%s is read as %s; want %q", interval, got, want)
		}
	}
}

// Dates that may be two days are read in the order of another date of the period, which can be one day only.
func TestThePeriodsDatesHaveOneOrder(t *testing.T) {
	for _, row := range []struct{ from, until, readFrom, readUntil string }{
		{"01/06/2026", "30/06/2026", "2026-06-01", "2026-06-30"},
		{"6/1/2026", "6/30/2026", "2026-06-01", "2026-06-30"},
		{"13-06-2026", "1-7-2026", "2026-06-13", "2026-07-01"},
		{"01/06/2026", "2026-06-30", "01/06/2026", "2026-06-30"},
		{"01/06/2026", "05/06/2026", "01/06/2026", "05/06/2026"},
	} {
		args, _ := argumentsOf(fmt.Sprintf(`{"since":%q,"until":%q}`, row.from, row.until))
		if read := toolNamed(t, "search").Canonical(args); read.Text("since") != row.readFrom || read.Text("until") != row.readUntil {
			t.Errorf("%s to %s is read as %s", row.from, row.until, read.JSON())
		}
		args, _ = argumentsOf(fmt.Sprintf(`{"stream":"orders","filter":{"at":{"gte":%q,"lte":%q}}}`, row.from, row.until))
		call, ok := toolNamed(t, "query_records").Rewritten(args, &rs.Error{Code: "invalid_request", Message: "not a timestamp"})
		want := fmt.Sprintf(`"filter":{"at":{"gte":%q,"lte":%q}}`, row.readFrom, row.readUntil)
		if mended := row.readFrom != row.from; ok != mended || mended && !strings.Contains(call.String(), want) {
			t.Errorf("%s to %s: send %s; want %s", row.from, row.until, call, want)
		}
	}
}

// If an exclusive bound is a day that its month does not have, the bound is after the month's last day.
func TestABoundAfterTheEndOfAMonthIsItsLastDay(t *testing.T) {
	for bound, want := range map[string]string{
		`{"gte":"2026-04-01","lt":"2026-04-31"}`: `{"gte":"2026-04-01","lte":"2026-04-30"}`, `{"lt":"2026-02-30"}`: `{"lte":"2026-02-28"}`,
		`{"lte":"2026-06-31"}`: `{"lte":"2026-06-30"}`, `{"lt":"2026-06-30"}`: "",
	} {
		args, _ := argumentsOf(`{"stream":"orders","filter":{"at":` + bound + `}}`)
		call, _ := toolNamed(t, "query_records").Rewritten(args, &rs.Error{Code: "invalid_request", Message: "not a timestamp"})
		if got := call.Arguments.Object("filter").Get("at"); got != want {
			t.Errorf("%s becomes %s, want %s", bound, got, want)
		}
	}
}

// A field that exactly one related stream has is looked up there, unless the name may mean a field of the stream itself.
func TestAFieldOfARelatedStreamIsProposedThere(t *testing.T) {
	field := func(name, can string) rs.SchemaField {
		return rs.SchemaField{Name: name, Type: "string", Exact: true, Granted: true, Aggregates: strings.Fields(can)}
	}
	related := []fields.Stream{{Name: "items", Fields: []rs.SchemaField{field("id", ""), field("order_id", ""), field("name", "")}}}
	relations := []rs.Relation{{Name: "items", Target: "items", ForeignKey: "order_id", Cardinality: "has_many"}}
	orders := fields.Stream{Name: "orders", Fields: []rs.SchemaField{field("id", ""), field("merchant", "group_by")}, Related: related, Relations: relations}
	people := fields.Stream{Name: "orders", Fields: []rs.SchemaField{field("id", ""), field("from_name", "group_by")}, Related: related, Relations: relations}
	args, _ := argumentsOf(`{"stream":"orders","metric":"count","filter":{"name":"Kettle"}}`)
	for _, row := range []struct {
		tool   string
		stream fields.Stream
		send   string
	}{
		{"aggregate", orders, `query_records {"stream":"items","filter":{"name":"Kettle"}}`}, {"query_records", orders, `query_records {"stream":"items","filter":{"name":"Kettle"}}`},
		{"aggregate", people, `aggregate {"stream":"orders","metric":"count","filter":{"from_name":"Kettle"}}`},
	} {
		if e := toolNamed(t, row.tool).Unknown(row.stream, args, &rs.Error{}); e == nil || e.Send != row.send {
			t.Errorf("%s: %v; want %q", row.tool, e, row.send)
		}
	}
	args, _ = argumentsOf(`{"stream":"orders","fields":["merchant","items(name)"]}`)
	if e := toolNamed(t, "query_records").Unknown(orders, args, &rs.Error{}); e == nil || !strings.HasSuffix(e.Send, `{"stream":"orders","fields":["merchant"],"expand":["items"]}`) {
		t.Error(e)
	}
	args, _ = argumentsOf(`{"stream":"orders","metric":"count","group_by_time":"sent_at","granularity":"month"}`)
	if e := toolNamed(t, "aggregate").Unknown(orders, args, &rs.Error{}); e == nil || !strings.Contains(e.Message, "No field of it can group by time; group_by takes merchant.") {
		t.Error(e)
	}
}

// The hint is about the call that is sent: if one condition has no replacement, it does not announce the call for another condition.
func TestAHintIsOfTheCallThatIsSent(t *testing.T) {
	notes := fields.Stream{Name: "notes", Fields: []rs.SchemaField{
		{Name: "id", Type: "string", Exact: true, Granted: true}, {Name: "content", Type: "text", Lexical: true, Exact: true, Granted: true},
	}}
	for filter, want := range map[string][2]string{
		`{"body":"ferry"}`:                    {"A filter compares a whole text: the call below searches for the words.", `search {"q":"ferry","streams":["notes"]}`},
		`{"nonsense":"x","body":"ferry"}`:     {},
		`{"body":"ferry","nonsense":"x"}`:     {},
		`{"nonsense":{"gt":1},"body":"boat"}`: {},
	} {
		args, _ := argumentsOf(`{"stream":"notes","filter":` + filter + `}`)
		e := toolNamed(t, "query_records").Unknown(notes, args, &rs.Error{})
		if e == nil || e.Hint != want[0] || e.Send != want[1] {
			t.Errorf("%s: %+v; want %q", filter, e, want)
		}
	}
}
