package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// spendingServer has a stream of payments with negative amounts, as in bank exports; some have no date or no payee.
func spendingServer(t *testing.T) *shopServer {
	t.Helper()
	field := func(name, kind string, can ...string) model.Field {
		return model.Field{Name: name, Type: kind, Exact: true, Range: true, Nullable: true, Aggregations: can}
	}
	var records []model.Record
	for i, row := range []struct {
		day, payee any
		amount     float64
	}{
		{"2026-01-05", "Rent", -900}, {"2026-02-05", "Rent", -900}, {"2026-02-05", "Market", -20.1}, {"2026-02-06", "Market", -30.2}, {"2026-03-01", "Market", -9},
		{"2026-03-02", "Cinema", -12}, {nil, "Cinema", -0.3}, {"2026-03-09", nil, -70}, {nil, nil, -0.25},
	} {
		data, _ := json.Marshal(map[string]any{"id": fmt.Sprint(i), "day": row.day, "payee": row.payee, "amount": row.amount})
		records = append(records, model.Record{ConnectionID: "cin_a", Stream: "spent", ID: fmt.Sprint(i), EmittedAt: time.Unix(1767312000, 0), Data: data})
	}
	return serve(t, []model.Connector{{
		Key: "bank", SourceID: "https://registry.test/bank", Connections: []model.Connection{{ID: "cin_a", DisplayName: "Bank"}},
		Streams: []model.Stream{{Name: "spent", PrimaryKey: []string{"id"}, Fields: []model.Field{
			field("id", "string"), field("day", "date", "group_by_time"), field("payee", "string", "group_by"), field("amount", "number", "sum", "min", "max"),
		}}},
	}}, records)
}

// Groups come in the requested order, including those without a value or a time, and the answer names the order.
func TestGroupsAreInTheRequestedOrder(t *testing.T) {
	server := spendingServer(t)
	for arguments, want := range map[string]string{
		`{"metric":"sum","field":"amount","group_by":"payee"}`: "Rent | -1800 of 2\nnull | -70.25 of 2\nMarket | -59.3 of 3\nCinema | -12.3 of 2\nall 4 groups shown, lowest sum first, as all are below 0",
		`{"metric":"sum","field":"amount","group_by":"payee","limit":1}`: "Rent | -1800 of 2\n" +
			"shown 1 of 4 groups, lowest sum first, as all are below 0; not shown: 7 records in other groups or without payee (other_count=7)\n",
		`{"metric":"sum","field":"amount","group_by":"payee","limit":1,"order":"desc"}`: "Cinema | -12.3 of 2\nshown 1 of 4 groups, highest sum first; not shown",
		`{"metric":"avg","field":"amount","group_by":"payee","limit":2,"order":"desc"}`: "Cinema | -6.15 of 2\nMarket | -19.766667 of 3\nshown 2 of 3 groups, highest avg first; not",
		`{"metric":"max","field":"amount","group_by":"payee","limit":1}`:                "Cinema | -0.3 of 2\nshown 1 of 3 groups, highest max first; not",
		`{"metric":"min","field":"amount","group_by":"payee","limit":1,"order":"desc"}`: "Cinema | -12 of 2\nshown 1 of 3 groups, highest min first; not",
		`{"metric":"max","field":"amount","group_by":"payee","limit":1,"order":"asc"}`:  "Rent | -900 of 2\nshown 1 of 3 groups, lowest max first; not",
		`{"metric":"count","group_by":"payee","order":"asc","limit":3}`: "null | 2\nCinema | 2\nRent | 2\n" +
			"shown 3 of 4 groups, fewest records first; not shown: 3 records in other groups (other_count=3)",
		`{"metric":"count","group_by":"payee","order":"desc","limit":1}`: "Market | 3\nshown 1 of 4 groups; not shown",
		`{"metric":"count","group_by_time":"day","granularity":"month","order":"desc"}`: "2026-03 | 3\n2026-02 | 3\n2026-01 | 1\nnull | 2\n" +
			"all 3 months with records shown, latest first, and 2 records without day",
		`{"metric":"sum","field":"amount","group_by_time":"day","granularity":"month","order":"desc"}`: "2026-03 | -91 of 3\n2026-02 | -950.3 of 3\n2026-01 | -900 of 1\n" +
			"null | -0.55 of 2\nall 3 months with records shown, latest first, and 2 records without day",
	} {
		text, _, reply := server.call(t, tools.Aggregate(), `{"stream":"spent",`+arguments[1:])
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %s in\n%s", arguments, want, text)
		}
		if reply.Reads != len(server.read) {
			t.Errorf("%s: %d reads, reported as %d", arguments, len(server.read), reply.Reads)
		}
	}
	if _, err := tools.Aggregate().Parse(json.RawMessage(`{"stream":"spent","metric":"count","order":"asc"}`)); err == nil {
		t.Error("order without groups is not refused")
	}
}

// Time groups that the limit truncates can be followed to the end in both directions, and each answer says how many records are in no
// group.
func TestTimeGroupsCanBePagedInBothDirections(t *testing.T) {
	server := spendingServer(t)
	for arguments, want := range map[string][]string{
		`{"metric":"count","limit":2}`: {
			"2026-01-05 2026-02-05 not shown: 4 records after them and 2 without day (other_count=6)", "2026-02-06 2026-03-01 not shown: 2 records after them (other_count=2)",
			"2026-03-02 2026-03-09",
		},
		`{"metric":"count","limit":4,"order":"desc"}`: {
			"2026-03-09 2026-03-02 2026-03-01 2026-02-06 not shown: 3 records before them and 2 without day (other_count=5)", "2026-02-05 2026-01-05",
		},
		`{"metric":"sum","field":"amount","limit":5}`: {"2026-01-05 2026-02-05 2026-02-06 2026-03-01 2026-03-02 not shown: 1 record after them and 2 without day (other_count=3)", "2026-03-09"},
		`{"metric":"sum","field":"amount","limit":4,"order":"desc"}`: {
			"2026-03-09 2026-03-02 2026-03-01 2026-02-06 not shown: 3 records before them and 2 without day (other_count=5)", "2026-02-05 2026-01-05",
		},
		`{"metric":"count","limit":6}`:                {"2026-01-05 2026-02-05 2026-02-06 2026-03-01 2026-03-02 2026-03-09 not shown: 2 records without day (other_count=2)"},
		`{"metric":"count","limit":7}`:                {"2026-01-05 2026-02-05 2026-02-06 2026-03-01 2026-03-02 2026-03-09 null"},
		`{"metric":"max","field":"amount","limit":7}`: {"2026-01-05 2026-02-05 2026-02-06 2026-03-01 2026-03-02 2026-03-09 not shown: 2 records without day (other_count=2)"},
	} {
		call, got := `{"stream":"spent","group_by_time":"day","granularity":"day",`+arguments[1:], []string(nil)
		for call != "" && len(got) < 9 {
			text, data, _ := server.call(t, tools.Aggregate(), call)
			var page []string
			for _, g := range data.Array("groups") {
				page = append(page, rs.AsObject(g).Text("key"))
				if page[len(page)-1] == "" {
					page[len(page)-1] = "null"
				}
			}
			if _, rest, cut := strings.Cut(text, "; not shown"); cut {
				page = append(page, "not shown"+strings.Split(rest, "\n")[0])
			}
			got = append(got, strings.Join(page, " "))
			_, next, _ := strings.Cut(text, "next: aggregate ")
			call, _, _ = strings.Cut(next, "\n")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s", arguments, strings.Join(got, "\n"))
		}
	}
}
