package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A page of several connections, each in order, becomes one ordered list that starts with the first records overall. It says from which
// record on a connection may be missing records. A page in no known order is left in the order received.
func TestRecordsOfSeveralConnectionsAreInOneOrder(t *testing.T) {
	record := func(id, data, emitted string) string { // a1 is of connection a
		return fmt.Sprintf(`{"id":%q,"stream":"s","connection_id":"cin_%s","display_name":"Box %s","emitted_at":%q,"data":%s}`,
			id, id[:1], strings.ToUpper(id[:1]), emitted, data)
	}
	at := func(id, time string) string { return record(id, `{"received_at":"`+time+`"}`, "2026-12-01T00:00:00Z") }
	total := func(id, value string) string { return record(id, `{"total":`+value+`}`, "2026-12-01T00:00:00Z") }
	const apart, merged = "the connections follow one another", "The connections are merged"
	for says, row := range map[string]struct {
		records   []string
		arguments string
		envelope  string
		order     string
		warning   string
	}{
		"by their own times, newest first": {
			[]string{at("a1", "2026-03-05T10:00:00Z"), at("a2", "2026-03-01T10:00:00Z"), at("b1", "2026-03-06T10:00:00Z"), at("b2", "2026-03-02T10:00:00Z")},
			`{}`, `"has_more":false`, "b1 a1 b2 a2", merged + "."},
		"times of different zones are instants": {
			[]string{at("a1", "2026-03-05T23:00:00-05:00"), at("b1", "2026-03-06T01:00:00Z"), at("b2", "2026-03-05T23:30:00Z")},
			`{}`, `"has_more":false`, "a1 b1 b2", merged + "."},
		"oldest first": {
			[]string{at("a1", "2026-03-01T10:00:00Z"), at("a2", "2026-03-05T10:00:00Z"), at("b1", "2026-03-02T10:00:00Z")},
			`{"order":"asc"}`, `"has_more":false`, "a1 b1 a2", merged + "."},
		"up to the last record of the connection that ends first, if it has more": {
			[]string{at("a1", "2026-03-05T10:00:00Z"), at("a2", "2026-03-01T10:00:00Z"), at("b1", "2026-03-06T10:00:00Z"), at("b2", "2026-03-02T10:00:00Z")},
			`{}`, `"has_more":true`, "b1 a1 b2 a2", "Every record that belongs above the first row with 2026-03-02T10:00:00Z is here; below that, more of Box B, and maybe of others, are not on this page"},
		"a connection with fewer records than the limit has no more": {
			[]string{at("a1", "2026-03-05T10:00:00Z"), at("b1", "2026-03-06T10:00:00Z"), at("b2", "2026-03-02T10:00:00Z")},
			`{}`, `"has_more":true`, "b1 a1 b2", "Every record that belongs above the first row with 2026-03-02T10:00:00Z is here; below that, more of Box B, and maybe of others, are not on this page"},
		"numbers by their value, the highest first": {
			[]string{total("a1", "100.50"), total("a2", "9"), total("b1", "20"), total("b2", "-3")},
			`{"sort":"-total"}`, `"has_more":false`, "a1 b1 a2 b2", merged + "."},
		"equal values in the order of the connections": {
			[]string{total("a1", "1"), total("a2", "2"), total("b1", "1"), total("b2", "3")},
			`{"sort":"total"}`, `"has_more":false`, "a1 b1 a2 b2", merged + "."},
		"by emitted_at if they have no event time": {
			[]string{record("a1", `{}`, "2026-03-01T00:00:00Z"), record("b1", `{}`, "2026-03-02T00:00:00Z")},
			`{}`, `"has_more":false`, "b1 a1", merged + "."},
		"a record without a value is last": {
			[]string{total("a1", "5"), total("a2", "null"), total("b1", "9")},
			`{"sort":"-total"}`, `"has_more":false`, "b1 a1 a2", merged + "."},
		"a record without a value is last in ascending order, too": {
			[]string{total("a1", "9"), total("a2", "null"), total("b1", "5")},
			`{"sort":"total"}`, `"has_more":false`, "b1 a1 a2", merged + "."},
		"a connection that lacks the field comes last": {
			[]string{record("c1", `{}`, ""), total("a1", "5"), total("b1", "9"), record("d1", `{"total":null}`, "")},
			`{"sort":"-total"}`, `"has_more":false`, "b1 a1 c1 d1", merged + "."},
		"no connection has the field": {
			[]string{record("a1", `{}`, ""), record("b1", `{}`, "")}, `{"sort":"-total"}`, `"has_more":false`, "a1 b1", apart},
		"values before a missing one": {
			[]string{total("a1", "null"), total("a2", "9"), total("b1", "5")}, `{"sort":"-total"}`, `"has_more":false`, "a1 a2 b1", apart},
		"numbers and texts cannot be compared": {
			[]string{total("a1", "5"), total("b1", `"9"`)}, `{"sort":"-total"}`, `"has_more":false`, "a1 b1", apart},
		"a connection in another order": {
			[]string{total("a1", "5"), total("a2", "7"), total("b1", "6")}, `{"sort":"-total"}`, `"has_more":false`, "a1 a2 b1", apart},
		"one connection needs no warning": {
			[]string{at("a1", "2026-03-01T10:00:00Z"), at("a2", "2026-03-05T10:00:00Z")}, `{}`, `"has_more":false`, "a1 a2", ""},
	} {
		t.Run(says, func(t *testing.T) {
			page := answered(`{"data":[` + strings.Join(row.records, ",") + `],` + row.envelope + `}`)
			r, err := Records(page, RecordsQuery{Stream: "s", Rest: rs.AsObject(row.arguments)})
			if err != nil {
				t.Fatal(err)
			}
			structured := rs.AsObject(r.Structured)
			var ids []string
			text := r.Text
			for _, raw := range structured.Object("data").Array("data") {
				id := rs.AsObject(raw).Text("id")
				ids = append(ids, id)
				_, rest, found := strings.Cut(strings.ReplaceAll(text, "cin_"+id[:1]+"/s:", ""), "\n"+id)
				if text = rest; !found {
					t.Errorf("%s is missing or not in the wanted order in\n%s", id, r.Text)
				}
			}
			if got := strings.Join(ids, " "); got != row.order {
				t.Errorf("order %s, want %s", got, row.order)
			}
			warning := structured.Text("warning")
			if !strings.Contains(warning, row.warning) || !strings.Contains(r.Text, row.warning) || row.warning == "" && warning != "" {
				t.Errorf("want %q on both channels\n%s\n%s", row.warning, warning, r.Text)
			}
		})
	}
}
