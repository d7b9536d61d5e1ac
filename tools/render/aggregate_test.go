package render

import (
	"strings"
	"testing"
)

// Groups that are not all of them are those with the most records: of a sum both channels say so, of a count that is what was asked.
func TestGroupsAreChosenByCount(t *testing.T) {
	for metric, want := range map[string]bool{"sum": true, "count": false} {
		body := `{"metric":"` + metric + `","field":"total","group_by":"shop","other_count":2,"groups":[{"key":"a","value":1,"count":3}]}`
		result, err := Aggregate(answer(body), AggregateQuery{Stream: "orders"})
		if err != nil {
			t.Fatal(err)
		}
		for channel, text := range map[string]string{"text": result.Text, "structured": string(result.Structured)} {
			if strings.Contains(text, "chosen by number of records, not by sum") != want {
				t.Errorf("%s of a %s: %s", channel, metric, text)
			}
		}
	}
}
