package render

import (
	"strings"
	"testing"
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
		for channel, text := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
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
