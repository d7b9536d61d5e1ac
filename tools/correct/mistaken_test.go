package correct_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

func toolNamed(t *testing.T, name string) correct.Tool {
	t.Helper()
	for _, one := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		if one.Name == name {
			return one.Known
		}
	}
	t.Fatalf("no tool %s", name)
	return correct.Tool{}
}

// A filter that is not understood is never left out of the call that is proposed: that would be a read of all records.
func TestAFilterInAListIsNotLeftOut(t *testing.T) {
	for _, filter := range []string{`[["total",">",50],["currency","=","EUR"]]`, `["total",">",50]`, `["total>50","total<10"]`, `5`} {
		args, _ := correct.Arguments(json.RawMessage(`{"stream":"orders","metric":"count","filter":` + filter + `}`))
		for _, name := range []string{"aggregate", "query_records"} {
			if call, ok := toolNamed(t, name).Guess(args, &rs.Error{Code: rs.InvalidFilter, Param: "filter"}); ok && call.Tool == name {
				t.Errorf("%s %s leads to %s", name, filter, call)
			}
		}
	}
}

// Conditions that must all hold are no alternatives, of which one call asks for the first.
func TestConditionsThatAllHoldAreNoAlternatives(t *testing.T) {
	args, _ := correct.Arguments(json.RawMessage(`{"stream":"orders","filter":{"and":[{"total":{"gt":50}},{"total":{"gt":100}}]}}`))
	if hint := toolNamed(t, "query_records").Hint(args); strings.Contains(hint, "call for each") {
		t.Error(hint)
	}
}

// A time under the name of an operator is a bound of the time of the records, and not the one time of a record.
func TestATimeUnderAnOperatorIsABound(t *testing.T) {
	stream := correct.KnownStream{Name: "orders", Fields: []rs.SchemaField{
		{Name: "ordered_at", Type: "timestamp", Role: "event-time", Exact: true, Ranges: []string{"gte", "lt"}, Granted: true},
	}}
	args, _ := correct.Arguments(json.RawMessage(`{"stream":"orders","filter":{"gte":"2026-01-01"}}`))
	found := stream.Unknown(toolNamed(t, "query_records"), args, &rs.Error{Code: "unknown_field", Status: 400})
	if want := `"filter":{"ordered_at":{"gte":"2026-01-01"}}`; found == nil || !strings.Contains(found.Send, want) {
		t.Errorf("%+v is proposed; want %s", found, want)
	}
}

// A direction that is a flag or a number is the order of the records: no condition on them, and not its opposite.
func TestADirectionIsNoCondition(t *testing.T) {
	for direction, sort := range map[string]string{
		`"descending":true`: "-total", `"desc":false`: "total", `"ascending":false`: "-total", `"sort_order":-1`: "-total", `"sort_order":1`: "total",
		`"direction":"-1"`: "-total",
	} {
		args, _ := correct.Arguments(json.RawMessage(`{"stream":"orders","sort":"total",` + direction + `}`))
		if canonical, _ := toolNamed(t, "query_records").Canonical(args); canonical.Text("sort") != sort || len(canonical) != 2 {
			t.Errorf("%s: %s", direction, canonical.JSON())
		}
	}
}

// Half of an alternative is no condition: the other half would be lost.
func TestHalfOfAnAlternativeIsNotProposed(t *testing.T) {
	args, _ := correct.Arguments(json.RawMessage(`{"stream":"orders","filter":{"total":">=50 or <10"}}`))
	call, ok := toolNamed(t, "query_records").Guess(args, &rs.Error{Code: rs.InvalidFilter, Param: "filter"})
	if ok && strings.Contains(call.String(), `"gte"`) {
		t.Errorf("it leads to %s", call)
	}
}
