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
