package correct_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// A number with a letter is a time only in a field of times: elsewhere it may be a size.
func TestAQuantityIsATimeOnlyInAFieldOfTimes(t *testing.T) {
	now := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	for field, want := range map[string]bool{"larger": false, "size": false, "sent_at": true, "newer_than": true} {
		args, _ := argumentsOf(`{"stream":"messages","filter":{"` + field + `":"1M"}}`)
		if call, ok := toolNamed(t, "query_records").At(now).Relative(args); ok != want {
			t.Errorf("%s leads to %s", field, call)
		}
	}
}

// A group by an expression is by the unit of time that it names, or leads to the schema.
func TestAGroupByAnExpressionKeepsItsUnit(t *testing.T) {
	stream := fields.Stream{Name: "orders", Fields: []rs.SchemaField{
		{Name: "ordered_at", Type: "timestamp", Role: "event-time", Exact: true, Aggregates: []string{"group_by_time"}, Granted: true},
	}}
	for group, want := range map[string]string{
		"EXTRACT(YEAR FROM ordered_at)": "year", "strftime('%Y-%m', ordered_at)": "month", "TO_CHAR(ordered_at,'YYYY')": "year",
		"date_trunc('quarter', ordered_at)": "quarter", "month(ordered_at)": "month", "ordered_at.dt.day": "day",
		"EXTRACT(DOW FROM ordered_at)": "day", "TO_SECONDS(ordered_at)": "", "LOWER(merchant)": "",
	} {
		args, _ := argumentsOf(`{"stream":"orders","metric":"count","group_by":` + rs.EncodeJSON(group) + `}`)
		found := toolNamed(t, "aggregate").Unknown(stream, args, &rs.Error{Code: "unknown_field", Status: 400})
		send := correct.ReadCall(found.Send)
		if send.Arguments.Text("granularity") != want || (send.Tool == "schema") != (want == "") {
			t.Errorf("%s leads to %s; want %q", group, found.Send, want)
		}
	}
}

// A list is not said to be sent in part if the proposed call has no part of it.
func TestAListThatIsLeftOutIsNotSaidToBeSentInPart(t *testing.T) {
	args, _ := argumentsOf(`{"id":"cin_notes/notes:note-0097","field":"body","view_range":[0,100]}`)
	call, _ := toolNamed(t, "read_record_field").Guess(args, rs.Invalid("view_range", "", ""))
	if says := call.LeavesOut(args); !strings.HasSuffix(says, "leaves out view_range.") {
		t.Error(says)
	}
}

// Arguments of other servers are those of this one, either at once or in the call that is proposed.
func TestArgumentsOfOtherServers(t *testing.T) {
	now := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	for sent, want := range map[string]string{
		`search {"q":"a","recency":"month"}`:                                             `search {"q":"a","since":"2026-10-28","until":"2026-11-28"}`,
		`search {"q":"a","desde":"2026-01-01","bis":"2026-03-31"}`:                       `search {"q":"a","since":"2026-01-01","until":"2026-03-31"}`,
		`search {"requête":"a","max_num_results":5,"kind":"notes"}`:                      `search {"q":"a","limit":5,"streams":["notes"]}`,
		`query_records {"stream":"events","calendarId":"primary","limit":5}`:             `query_records {"stream":"events","limit":5}`,
		`query_records {"stream":"events","timeMin":"2026-03-01","singleEvents":true}`:   `search {"streams":["events"],"since":"2026-03-01"}`,
		`query_records {"stream":"notes","record_id":"n1"}`:                              `query_records {"stream":"notes","filter":{"id":"n1"}}`,
		`fetch {"path":"c/notes:n1"}`:                                                    `fetch {"id":"c/notes:n1"}`,
		`read_record_field {"id":"c/notes:n1","field":"body","q":"\"a b\""}`:             `read_record_field {"id":"c/notes:n1","field":"body","q":"a b"}`,
		`read_record_field {"id":"c/notes:n1","field":"body","q":["a","b"]}`:             `read_record_field {"id":"c/notes:n1","field":"body","q":"a"}`,
		`aggregate {"stream":"orders","top":5,"by":"total","group_by":"shop"}`:           `aggregate {"stream":"orders","limit":5,"field":"total","group_by":"shop","metric":"sum"}`,
		`aggregate {"stream":"orders","metric":"top","field":"shop","n":5}`:              `aggregate {"stream":"orders","metric":"count","group_by":"shop","limit":5}`,
		`aggregate {"stream":"orders","select":["shop","SUM(total)"],"group_by":"shop"}`: `aggregate {"stream":"orders","metric":"sum","group_by":"shop","field":"total"}`,
	} {
		call := correct.ReadCall(sent)
		known := toolNamed(t, call.Tool).At(now)
		args := known.Canonical(call.Arguments)
		got, _ := known.Guess(args, rs.Invalid("", "", ""))
		if got.String() != want {
			t.Errorf("%s leads to %s, want %s", sent, got, want)
		}
	}
}

// Of several metrics in one call, the hint says that only the first is sent.
func TestSeveralMetricsNeedSeveralCalls(t *testing.T) {
	for _, sent := range []string{`"sum":"total","avg":"total"`, `"select":["SUM(total)","COUNT(*)"]`, `"metric":["sum","count"],"field":"total"`} {
		args, _ := argumentsOf(`{"stream":"orders",` + sent + `}`)
		if hint := toolNamed(t, "aggregate").Hint(args); !strings.Contains(hint, "one metric. This needs a call for each of the 2") {
			t.Errorf("%s: %s", sent, hint)
		}
	}
	args, _ := argumentsOf(`{"stream":"orders","metric":"count","select":["a","b"]}`)
	if hint := toolNamed(t, "aggregate").Hint(args); strings.Contains(hint, "one metric") {
		t.Error(hint)
	}
}

// A flag of messages under another name is not left out as unknown.
func TestAFlagUnderAnotherNameIsKept(t *testing.T) {
	stream := fields.Stream{Name: "messages", Fields: []rs.SchemaField{{Name: "is_seen", Type: "boolean", Exact: true, Granted: true}}}
	args, _ := argumentsOf(`{"stream":"messages","unread":true,"loud":true}`)
	call := correct.Call{Tool: "query_records", Arguments: rs.AsObject(`{"stream":"messages","filter":{"unread":true,"loud":true}}`)}
	if got := toolNamed(t, "query_records").WithoutUnknown(call, stream, args); got.Arguments.Get("filter") != `{"unread":true}` {
		t.Error(got)
	}
}
