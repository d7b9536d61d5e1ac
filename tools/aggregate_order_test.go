package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// spendingServer has a stream of payments with negative amounts, as in bank exports; some have no date or no payee.
func spendingServer(t *testing.T) *shopServer {
	t.Helper()
	var records []model.Record
	for i, row := range []payment{
		{"2026-01-05", "Rent", -900}, {"2026-02-05", "Rent", -900}, {"2026-02-05", "Market", -20.1}, {"2026-02-06", "Market", -30.2}, {"2026-03-01", "Market", -9},
		{"2026-03-02", "Cinema", -12}, {nil, "Cinema", -0.3}, {"2026-03-09", nil, -70}, {nil, nil, -0.25},
	} {
		records = append(records, row.record("cin_a", i))
	}
	return servePayments(t, records, "cin_a")
}

type payment struct {
	day, payee any
	amount     float64
}

func (p payment) record(connection string, i int) model.Record {
	data, _ := json.Marshal(map[string]any{"id": fmt.Sprint(i), "day": p.day, "payee": p.payee, "amount": p.amount})
	return model.Record{ConnectionID: connection, Stream: "spent", ID: fmt.Sprint(i), EmittedAt: time.Unix(1767312000, 0), Data: data}
}

func servePayments(t *testing.T, records []model.Record, connections ...string) *shopServer {
	t.Helper()
	field := func(name, kind string, can ...string) model.Field {
		return model.Field{Name: name, Type: kind, Exact: true, Range: true, Nullable: true, Aggregations: can}
	}
	var all []model.Connection
	for _, id := range connections {
		all = append(all, model.Connection{ID: id, DisplayName: "Bank " + id})
	}
	return serve(t, []model.Connector{{
		Key: "bank", SourceID: "https://registry.test/bank", Connections: all,
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

// Of more groups than one answer can compute, those with the most records are compared by the metric, whether they are of one connection or
// of several, and both channels say which were compared. The others are named by the call that follows.
func TestTheGroupsThatAreReadAreOrderedByTheMetric(t *testing.T) {
	for _, connections := range [][]string{{"cin_a"}, {"cin_a", "cin_b"}} {
		var records []model.Record
		for payee := range 45 { // the first payees have the most records, the 39th the highest sum
			for range 50 - payee {
				amount := 1.0
				if payee == 38 {
					amount = 1000
				}
				records = append(records, payment{"2026-01-05", fmt.Sprintf("p%02d", payee), amount}.record(connections[len(records)%len(connections)], len(records)))
			}
		}
		server := servePayments(t, records, connections...)
		for arguments, want := range map[string][]string{
			`{"metric":"sum","limit":2}`: {
				"p38 | 12000 of 12\np00 | 50 of 50\n", "shown 2 of 45 groups, highest sum first among the 40 with the most records; not shown: ",
				`next: aggregate {"stream":"spent","metric":"sum","limit":100,`, `"ordered_by":"sum","compared":40`,
			},
			`{"metric":"sum","limit":1,"order":"asc"}`: {"p39 | 11 of 11\n", "lowest sum first among the 40 with the most records", `"compared":40`},
			`{"metric":"max","limit":1}`:               {"p38 | 1000 of 12\n", "highest max first among the 40 with the most records", `"ordered_by":"max"`},
			`{"metric":"sum","limit":100}`: {
				"p38 | 12000 of 12\np00 | 50 of 50\n", "shown 40 of 45 groups, highest sum first among", "all named by the count below\n",
				`next: aggregate {"stream":"spent","metric":"count","limit":100,"group_by":"payee"}`,
			},
		} {
			text, data, _ := server.call(t, tools.Aggregate(), strings.TrimSuffix(`{"stream":"spent",`+arguments[1:], "}")+`,"field":"amount","group_by":"payee"}`)
			for _, part := range want {
				if !strings.Contains(text+data.JSON(), part) {
					t.Errorf("%s of %v: want %s in\n%s\n%s", arguments, connections, part, text, data.Without("groups").JSON())
				}
			}
		}
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

// A resource server that returns as many groups as one read may have, and no count of the others, may have more.
func TestGroupsAreNotAllIfTheServerMayHaveMore(t *testing.T) {
	groups := make([]string, 100)
	for i := range groups {
		groups[i] = fmt.Sprintf(`{"key":"g%02d","count":1}`, i)
	}
	for _, row := range []struct {
		groups           int
		counts, arg, has string
	}{
		{100, ``, `"limit":100`, "\nshown 100 groups; the resource server does not say whether there are more, each in the records below\nnext: query_records {"},
		{100, ``, `"limit":10`, "\nshown 10 groups; not shown: 90 records in other groups (other_count=90); the resource server does not say whether there are more\n"},
		{99, ``, `"limit":100`, "all 99 groups shown"},
		{100, `,"filtered_record_count":100`, `"limit":100`, "all 100 groups shown"},
		{100, `,"other_count":0`, `"limit":100`, "all 100 groups shown"},
	} {
		server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) {
			return middlewaretest.JSON(`{"object":"aggregation","metric":"count","limit":100` + row.counts + `,"groups":[` + strings.Join(groups[:row.groups], ",") + `]}`), nil
		}}
		result := use(t, tools.All(tools.Options{})[2], server, json.RawMessage(`{"stream":"notes","metric":"count","group_by":"tag",`+row.arg+`}`))
		if !strings.Contains(result.Text, row.has) || strings.Contains(result.Text, "does not say") != strings.Contains(result.Structured, `"more_groups":"unknown"`) {
			t.Errorf("%s %s: want %q in\n%s\n%s", row.counts, row.arg, row.has, result.Text, result.Structured)
		}
	}
}
