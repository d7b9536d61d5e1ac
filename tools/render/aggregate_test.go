package render

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// If an answer has only some groups, they are those with the most records. For a sum both channels say so; for a count that is the
// requested order.
func TestGroupsAreChosenByCount(t *testing.T) {
	for metric, want := range map[string]bool{"sum": true, "count": false} {
		body := `{"metric":"` + metric + `","field":"total","group_by":"shop","other_count":2,"groups":[{"key":"a","value":1,"count":3}]}`
		result, err := Aggregate(answered(body), AggregateQuery{Stream: "orders"})
		if err != nil {
			t.Fatal(err)
		}
		for channel, text := range map[string]string{"text": result.Text, "structured": result.Structured} {
			if strings.Contains(text, "chosen by number of records, not by sum") != want {
				t.Errorf("%s of a %s: %s; want %t", channel, metric, text, want)
			}
		}
	}
}

// Connections that lack a field are named once; the server's own warning is only printed if the missing fields do not explain it.
func TestConnectionsThatLackAFieldAreNamedOnce(t *testing.T) {
	missing := `,"missing_fields":[{"connection_id":"a","display_name":"Work","fields":["channel_id"]},{"connection_id":"b","display_name":"Home","fields":["channel_id"]}]`
	warning := func(id string) string {
		return `{"code":"connection_left_out","message":"Connection ` + id + ` is left out"}`
	}
	for name, row := range map[string]struct {
		beside string
		want   string
	}{
		"missing fields explain all warnings": {missing + `,"meta":{"warnings":[` + warning("a") + "," + warning("b") + `]}`, "3 orders\nWork, Home have no channel_id"},
		"one warning has another reason": {missing + `,"meta":{"warnings":[` + warning("a") + "," + warning("b") + "," + warning("c") + `]}`, "3 orders\nWork, Home have no channel_id\n" +
			"warning connection_left_out: \"Connection a is left out\"\nwarning connection_left_out: \"Connection b is left out\"\nwarning connection_left_out: \"Connection c is left out\""},
	} {
		t.Run(name, func(t *testing.T) {
			if text := aggregated(t, `{"metric":"count","stream":"orders","value":3`+row.beside+"}").Text; text != row.want {
				t.Errorf("got\n%s\nwant\n%s", text, row.want)
			}
		})
	}
}

// Of income and expenses, the highest sums are shown first, so the answer says how to see the largest expenses.
func TestGroupsBelowZeroAreOneCallAway(t *testing.T) {
	for name, row := range map[string]struct {
		metric, value, other, order string
		want                        bool
	}{
		"some below 0":           {"sum", "-5", "2", "", true},
		"none below 0":           {"sum", "5", "2", "", false},
		"all shown":              {"sum", "-5", "0", "", false},
		"in the order asked for": {"sum", "-5", "2", `"order":"desc"`, false},
		"another metric":         {"max", "-5", "2", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			body := `{"metric":"` + row.metric + `","field":"total","group_by":"shop","ordered_by":"` + row.metric + `","other_count":` + row.other +
				`,"groups":[{"key":"a","value":10,"count":3},{"key":"b","value":` + row.value + `,"count":3}]}`
			result, err := Aggregate(answered(body), AggregateQuery{Stream: "orders", Arguments: rs.AsObject("{" + row.order + "}")})
			if err != nil || strings.Contains(result.Text, "highest sum first; order asc begins with the lowest, below 0") != row.want {
				t.Errorf("%s, %v; want %t", result.Text, err, row.want)
			}
		})
	}
}

// A week or a longer group of which the filter leaves out days is named, in text and structured output.
func TestGroupsThatTheFilterCutsAreNamed(t *testing.T) {
	for _, row := range []struct{ granularity, bounds, keys, want string }{
		{"month", `{"gte":"2026-03-15","lte":"2026-06-10"}`, "2026-03-01 2026-04-01 2026-06-01", "The filter leaves out days of 2026-03, 2026-06."},
		{"month", `{"gte":"2026-03-01","lt":"2026-06-01"}`, "2026-03-01 2026-05-01", ""},
		{"month", `{"gte":"2026-03-01T00:00:00Z","lt":"2026-06-01T00:00:00Z"}`, "2026-03-01 2026-05-01", ""},
		{"month", `{"gte":"2026-03-01","lte":"2026-05-31"}`, "2026-05-01", ""},
		{"month", `{"lt":"2026-05-31"}`, "2026-04-01 2026-05-01", "The filter leaves out days of 2026-05."},
		{"week", `{"gte":"2026-06-03","lt":"2026-06-24"}`, "2026-06-01 2026-06-08 2026-06-22", "The filter leaves out days of 2026-06-01, 2026-06-22."},
		{"year", `{"gte":"2025-02-01"}`, "2025-01-01 2026-01-01", "The filter leaves out days of 2025."},
		{"day", `{"gte":"2026-06-03"}`, "2026-06-03", ""},
		{"month", `{}`, "2026-06-01", ""},
	} {
		groups := `{"key":"` + strings.ReplaceAll(row.keys, " ", `","count":1},{"key":"`) + `","count":1}`
		body := `{"metric":"count","group_by_time":"at","granularity":"` + row.granularity + `","groups":[` + groups + `]}`
		r, err := Aggregate(answered(body), AggregateQuery{Stream: "notes", Arguments: rs.AsObject(`{"filter":{"at":` + row.bounds + `}}`)})
		said := strings.Contains(r.Text, "leaves out days") && strings.Contains(r.Structured, "leaves out days")
		if err != nil || said != (row.want != "") || !strings.Contains(r.Text, row.want) {
			t.Errorf("%v: want %q in\n%s\n%s", row, row.want, r.Text, r.Structured)
		}
	}
}
