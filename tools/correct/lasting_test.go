package correct_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// runs is a stream with durations as text and in seconds, and numbers beside a text that share one word with it.
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

// A duration, however it is written, is compared with the seconds beside the field that says it.
func TestADurationIsComparedInSeconds(t *testing.T) {
	for filter, want := range map[string]string{
		`{"Duration":{"gte":"02:00:00"}}`:                           `{"Duration_seconds":{"gte":7200}}`,
		`{"Duration":{"gt":"90 min"}}`:                              `{"Duration_seconds":{"gt":5400}}`,
		`{"Duration":{"gt":"1h 30m","lte":"PT2H"}}`:                 `{"Duration_seconds":{"gt":5400,"lte":7200}}`,
		`{"Duration":{"gt":"1h","lte":7200}}`:                       `{"Duration_seconds":{"gt":3600,"lte":7200}}`,
		`{"duration":{"gte":"2h"}}`:                                 `{"Duration_seconds":{"gte":7200}}`,
		`{"duration":"2h"}`:                                         `{"Duration_seconds":7200}`,
		`{"Duration_seconds":{"gte":"2h"}}`:                         `{"Duration_seconds":{"gte":7200}}`,
		`{"Duration_seconds":"02:00:00"}`:                           `{"Duration_seconds":7200}`,
		`{"Duration":{"gte":7200}}`:                                 `{"Duration_seconds":{"gte":7200}}`,
		`{"Duration":{"gte":"2h"},"Duration_seconds":{"lte":9000}}`: `{"Duration_seconds":{"gte":7200,"lte":9000}}`,
	} {
		args, _ := argumentsOf(`{"stream":"runs","filter":` + filter + `}`)
		found := toolNamed(t, "query_records").Unknown(runs(), args, &rs.Error{Code: "invalid_request", Status: 400})
		if want = `query_records {"stream":"runs","filter":` + want + `}`; found == nil || found.Send != want {
			t.Errorf("%s leads to %+v; want %s", filter, found, want)
		}
	}
	for _, filter := range []string{`{"Duration_seconds":{"gte":7200}}`, `{"Duration_seconds":7200}`, `{"Duration":"02:00:00"}`} {
		args, _ := argumentsOf(`{"stream":"runs","filter":` + filter + `}`)
		if found := toolNamed(t, "query_records").Unknown(runs(), args, &rs.Error{Code: "invalid_request", Status: 400}); found != nil {
			t.Errorf("%s is wrong: %+v", filter, found)
		}
	}
	refused := &rs.Error{Code: "invalid_request", Status: 400, Message: "Filter value on 'Duration_seconds' is not a number"}
	for value, want := range map[string]string{
		`{"gte":"2h"}`: `{"gte":7200}`, `{"gte":"02:00:00","lt":"3 hours"}`: `{"gte":7200,"lt":10800}`, `"90 minutes"`: `5400`, `"> 2h"`: `{"gt":7200}`,
		`"PT2H"`: `7200`, `{"lte":"5 stars"}`: `{"lte":5}`,
	} {
		args, _ := argumentsOf(`{"stream":"runs","filter":{"Duration_seconds":` + value + `}}`)
		call, _ := toolNamed(t, "query_records").Rewritten(args, refused)
		if want = `query_records {"stream":"runs","filter":{"Duration_seconds":` + want + `}}`; call.String() != want {
			t.Errorf("%s leads to %s; want %s", value, call, want)
		}
	}
}

// Where a text takes no number, a field is proposed only if it is the same thing.
func TestANumberOfATextIsOfTheSameThing(t *testing.T) {
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
}
