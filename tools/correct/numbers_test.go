package correct_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// runs is a stream with durations as text and in seconds, and with numeric fields whose names share one word with a text field.
func runs() fields.Stream {
	text := func(name string) rs.SchemaField {
		return rs.SchemaField{Name: name, Type: "string", Granted: true, Exact: true, Lexical: true, Aggregates: []string{"group_by"}}
	}
	number := func(name string) rs.SchemaField {
		return rs.SchemaField{
			Name: name, Type: "number", Granted: true, Exact: true, Ranges: []string{"gte", "gt", "lte", "lt"}, Aggregates: []string{"sum", "min", "max"},
		}
	}
	return fields.Stream{Name: "runs", Fields: []rs.SchemaField{
		text("Duration"), text("Avg_Pace"), text("Weight"), text("Cost"), number("Avg_HR"), number("Height"), number("Duration_seconds"), number("Distance"),
	}}
}

// If a text field cannot be compared with a number, another field is only proposed if it measures the same thing.
func TestANumericFieldInPlaceOfATextMeasuresTheSame(t *testing.T) {
	for field, want := range map[string]string{
		"Duration": `aggregate {"stream":"runs","metric":"avg","field":"Duration_seconds"}`, "Avg_Pace": "", "Avg Pace": "", "Weight": "", "Cost": "",
	} {
		args, _ := argumentsOf(`{"stream":"runs","metric":"avg","field":"` + field + `"}`)
		found := toolNamed(t, "aggregate").Unknown(runs(), args, &rs.Error{Code: "invalid_request", Status: 400})
		if found == nil || found.Send != want {
			t.Errorf("%s leads to %+v; want %s", field, found, want)
		}
	}
	args, _ := argumentsOf(`{"stream":"runs","filter":{"Avg_Pace":{"lt":5}}}`)
	if found := toolNamed(t, "query_records").Unknown(runs(), args, &rs.Error{Code: "invalid_request", Status: 400}); found == nil || found.Send != "" {
		t.Errorf("a range on a text leads to %+v", found)
	}
	refused := &rs.Error{Code: "invalid_request", Status: 400, Message: "Filter value on 'Duration_seconds' is not a number"}
	for _, value := range []string{`{"gte":"2 minutes"}`, `"90 minutes"`, `"2h"`, `"02:00:00"`} { // the numeric field would be in seconds
		args, _ := argumentsOf(`{"stream":"runs","filter":{"Duration_seconds":` + value + `}}`)
		if call, _ := toolNamed(t, "query_records").Rewritten(args, refused); strings.Contains(call.String(), "Duration_seconds") {
			t.Errorf("%s leads to %s", value, call)
		}
	}
}
