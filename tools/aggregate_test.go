package tools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A shopServer is a resource server with orders of two connections in two currencies, and with log entries of 150 days.
type shopServer struct {
	doer rs.Doer
	mu   sync.Mutex
	read []string // what was read since the last call
}

// order is a record of the stream orders; a nil total or currency is null.
func order(connection, at string, total, currency any, status string) model.Record {
	data, _ := json.Marshal(map[string]any{"at": at, "due": strings.Split(at, "T")[0], "total": total, "currency": currency, "status": status})
	return model.Record{ConnectionID: connection, Stream: "orders", ID: at, EmittedAt: time.Unix(1767312000, 0), Data: data}
}

func newShopServer(t *testing.T) *shopServer {
	t.Helper()
	records := []model.Record{
		order("cin_a", "2026-01-31T23:30:00Z", 10, "GBP", "paid"),
		order("cin_a", "2026-02-01T00:00:00Z", 20.5, "GBP", "paid"),
		order("cin_a", "2026-02-28T23:59:59Z", 5, "EUR", "open"),
		order("cin_a", "2026-03-01T00:00:00Z", nil, "GBP", "open"),
		order("cin_b", "2026-03-29T00:30:00Z", 30, "GBP", "paid"),
		order("cin_b", "2026-03-31T12:00:00Z", 7, nil, "paid"),
	}
	for day := range 150 {
		at := time.Date(2026, 1, 1+day, 12, 0, 0, 0, time.UTC).Format(time.RFC3339)
		data, _ := json.Marshal(map[string]any{"at": at, "level": day % 3})
		records = append(records, model.Record{ConnectionID: "cin_log", Stream: "log", ID: at, EmittedAt: time.Unix(1767312000, 0), Data: data})
	}
	number := func(name string) model.Field {
		return model.Field{Name: name, Type: "number", Exact: true, Range: true, Nullable: true, Aggregations: []string{"sum", "min", "max"}}
	}
	at := model.Field{Name: "at", Type: "timestamp", Role: "event-time", Exact: true, Range: true, Aggregations: []string{"group_by_time", "min", "max"}}
	word := func(name string) model.Field {
		return model.Field{Name: name, Type: "string", Exact: true, Range: true, Nullable: true, Aggregations: []string{"group_by", "count_distinct"}}
	}
	connectors := []model.Connector{
		{
			Key: "shop", SourceID: "https://registry.test/shop", Connections: []model.Connection{{ID: "cin_a", DisplayName: "Shop A"}, {ID: "cin_b", DisplayName: "Shop B"}},
			Streams: []model.Stream{{Name: "orders", PrimaryKey: []string{"at"}, CursorField: "at", Fields: []model.Field{at, word("due"), number("total"), word("currency"), word("status")}}},
		},
		{
			Key: "log", SourceID: "https://registry.test/log", Connections: []model.Connection{{ID: "cin_log", DisplayName: "Log"}},
			Streams: []model.Stream{{Name: "log", PrimaryKey: []string{"at"}, CursorField: "at", Fields: []model.Field{at, number("level")}}},
		},
	}
	return serve(t, connectors, records)
}

// call calls a tool and returns the text and structured output of its answer.
func (s *shopServer) call(t *testing.T, tool *tools.Tool, arguments string) (text string, data rs.Object, reply tools.Reply) {
	t.Helper()
	s.mu.Lock()
	s.read = nil
	s.mu.Unlock()
	args, err := tool.Parse(json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := args.Scope()
	if err != nil {
		t.Fatal(err)
	}
	ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken("token"), Kind: auth.KindClient, GrantID: "grt_1"})
	reads := &rs.Reads{Doer: s.doer}
	reply, err = tools.Forward(ctx, tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(arguments), RS: reads, Args: args, Scope: scope})
	reply.Reads = reads.Count()
	if err != nil {
		return rs.AsError(err).Message, nil, reply
	}
	result, err := tool.Render(reply.Call, reply.Answer)
	if err != nil {
		t.Fatal(err)
	}
	return result.Text, rs.AsObject(result.Structured).Object("data"), reply
}

func TestAggregateAnswers(t *testing.T) {
	server := newShopServer(t)
	for name, row := range map[string]struct{ arguments, text, structured string }{
		"a count names its connections": {
			`{"stream":"orders","metric":"count"}`,
			"6 orders: Shop A 4, Shop B 2",
			`{"value":6,"connections":[{"connection_id":"cin_a","display_name":"Shop A","count":4},{"connection_id":"cin_b","display_name":"Shop B","count":2}]}`,
		},
		"a count of one connection does not": {`{"stream":"orders","metric":"count","connection_id":"cin_a"}`, "4 orders", `{"value":4}`},
		"a sum of several currencies is one for each": {
			`{"stream":"orders","metric":"sum","field":"total","connection_id":"cin_a"}`,
			"sum of total of orders by currency · 4 records · 5 reads\ncurrency | sum\nGBP | 30.5 of 3\nEUR | 5 of 1\nall 2 groups shown\ntotal is not all in one currency: each is computed alone.\n" +
				`every status is included; apart: aggregate {"connection_id":"cin_a","field":"total","group_by":"status","metric":"sum","stream":"orders"}`,
			`{"group_by":"currency","unit_field":"currency","composed":true,"groups":[{"key":"GBP","value":30.5,"count":3},{"key":"EUR","value":5,"count":1}]}`,
		},
		"records without a currency are in no sum, and the answer says so": {
			`{"stream":"orders","metric":"sum","field":"total","connection_id":"cin_b"}`,
			"sum of total of orders by currency · 2 records · 4 reads\ncurrency | sum\nGBP | 30 of 1\nshown 1 group; not shown: 1 record without currency (other_count=1)\nWhat is without currency is not in it.\n" +
				`every status is included; apart: aggregate {"connection_id":"cin_b","field":"total","group_by":"status","metric":"sum","stream":"orders"}`,
			`{"other_count":1,"groups":[{"key":"GBP","value":30,"count":1}]}`,
		},
		"one currency is named": {
			`{"stream":"orders","metric":"max","field":"total","connection_id":"cin_a","filter":{"status":"paid"}}`,
			"max of total of orders = 20.5 GBP · 2 records", `{"value":20.5,"unit":"GBP"}`,
		},
		"the currency in the filter is not read again": {
			`{"stream":"orders","metric":"sum","field":"total","connection_id":"cin_a","filter":{"currency":"EUR"}}`,
			"sum of total of orders = 5 EUR · 1 record\n" +
				`every status is included; apart: aggregate {"connection_id":"cin_a","field":"total","filter":{"currency":"EUR"},"group_by":"status","metric":"sum","stream":"orders"}`, `{"value":5,"unit":"EUR","reads":2}`,
		},
		"a sum by month in two currencies": {
			`{"stream":"orders","metric":"sum","field":"total","group_by_time":"at","granularity":"month","connection_id":"cin_a"}`,
			"sum of total of orders by month of at · 4 records · UTC · 9 reads\nmonth | GBP | EUR\n2026-01 | 10 of 1 |\n2026-02 | 20.5 of 1 | 5 of 1\n2026-03 | null of 1 |\nall 3 months with records shown\nevery status is included; filter by it to leave some out",
			`{"groups":[{"key":"2026-01-01","value":10,"count":1,"unit":"GBP"},{"key":"2026-02-01","value":20.5,"count":1,"unit":"GBP"},{"key":"2026-02-01","value":5,"count":1,"unit":"EUR"},{"key":"2026-03-01","value":null,"count":1,"unit":"GBP"}]}`,
		},
		"months are those of the zone": {
			`{"stream":"orders","metric":"sum","field":"total","group_by_time":"at","granularity":"month","time_zone":"Europe/Berlin","connection_id":"cin_a","filter":{"currency":"GBP"}}`,
			"sum of total of orders by month of at · 3 records · Europe/Berlin · 5 reads\nmonth | GBP\n2026-02 | 30.5 of 2\n2026-03 | null of 1\nall 2 months with records shown\nevery status is included; filter by it to leave some out",
			`{"time_zone":"Europe/Berlin"}`,
		},
		"an average is over records with a value": {
			`{"stream":"orders","metric":"avg","field":"total","filter":{"currency":"GBP"},"connection_id":"cin_a"}`,
			"avg of total of orders = 15.25 GBP (30.5 by 2 with a value) · 3 records · 4 reads\n" +
				`every status is included; apart: aggregate {"connection_id":"cin_a","field":"total","filter":{"currency":"GBP"},"group_by":"status","metric":"avg","stream":"orders"}`,
			`{"value":15.25,"count":2,"sum":30.5,"composed":true}`,
		},
		"an average by group": {
			`{"stream":"orders","metric":"avg","field":"total","group_by":"status","filter":{"currency":"GBP"},"connection_id":"cin_a"}`,
			"avg of total of orders by status · 3 records · 8 reads\nstatus | GBP\npaid | 15.25 of 2\nopen | null of 0\nall 2 groups shown\nof N counts the records that have a value.",
			`{"groups":[{"key":"paid","value":15.25,"count":2},{"key":"open","value":null,"count":0}]}`,
		},
		"the first or last of a group": {
			`{"stream":"orders","metric":"max","field":"at","group_by":"status","connection_id":"cin_a"}`,
			"max of at of orders by status · 4 records · 4 reads\nstatus | max\nopen | 2026-03-01T00:00:00Z of 2\npaid | 2026-02-01T00:00:00Z of 2\nall 2 groups shown",
			`{"unit_field":null}`,
		},
		"a limit truncates composed groups, and the answer says how many": {
			`{"stream":"orders","metric":"max","field":"at","group_by":"status","limit":1,"connection_id":"cin_a"}`,
			"max of at of orders by status · 4 records · 4 reads\nstatus | max\nopen | 2026-03-01T00:00:00Z of 2\n" +
				"shown 1 of 2 groups, highest max first; not shown: 2 records in other groups or without status (other_count=2)\n" +
				`next: aggregate {"stream":"orders","metric":"max","field":"at","group_by":"status","limit":100,"connection_id":"cin_a"}`,
			`{"group_count":2,"ordered_by":"max"}`,
		},
		"the groups with the highest sums, whatever their number of records": {
			`{"stream":"orders","metric":"sum","field":"total","group_by":"due","limit":2,"filter":{"currency":"GBP"}}`,
			"sum of total of orders by due · 4 records · 9 reads\nrecords: Shop A 3, Shop B 1\n" +
				"due | GBP\n\"2026-03-29\" | 30 of 1\n\"2026-02-01\" | 20.5 of 1\n" +
				"shown 2 of 4 groups, highest sum first; not shown: 2 records in other groups or without due (other_count=2)\n" +
				`next: aggregate {"stream":"orders","metric":"sum","field":"total","group_by":"due","limit":100,"filter":{"currency":"GBP"}}` +
				"\nevery status is included; filter by it to leave some out",
			`{"ordered_by":"sum"}`,
		},
		"with several currencies, the highest of each before the second of each": {
			`{"stream":"orders","metric":"sum","field":"total","group_by":"due","limit":2,"connection_id":"cin_a"}`,
			"sum of total of orders by due · 4 records · 9 reads\ndue | GBP | EUR\n\"2026-02-01\" | 20.5 of 1 |\n\"2026-02-28\" |  | 5 of 1\n" +
				"shown 2 of 4 groups, highest sum first within each currency; not shown: 2 records in other groups or without due or currency (other_count=2)\n" +
				`next: aggregate {"stream":"orders","metric":"sum","field":"total","group_by":"due","limit":100,"connection_id":"cin_a"}` +
				"\nevery status is included; filter by it to leave some out",
			`{"ordered_by":"sum"}`,
		},
		"the lowest of a minimum first, and a group without a value last": {
			`{"stream":"orders","metric":"min","field":"total","group_by":"due","limit":3,"filter":{"currency":"GBP"},"connection_id":"cin_a"}`,
			"min of total of orders by due · 3 records · 5 reads\ndue | GBP\n\"2026-01-31\" | 10 of 1\n\"2026-02-01\" | 20.5 of 1\n\"2026-03-01\" | null of 1\n" +
				"all 3 groups shown",
			`{"ordered_by":"min"}`,
		},
		"a limit truncates groups of equal counts": {
			`{"stream":"orders","metric":"count","group_by":"status","limit":1,"connection_id":"cin_a"}`,
			"count of orders by status · 4 records\nstatus | count\nopen | 2\nshown 1 of 2 groups; not shown: 2 records in other groups or without status " +
				"(other_count=2)\n" +
				`next: aggregate {"stream":"orders","metric":"count","group_by":"status","limit":100,"connection_id":"cin_a"}`,
			`{"group_count":2}`,
		},
		"all days of five months, over two reads": {
			`{"stream":"log","metric":"count","group_by_time":"at","granularity":"day","connection_id":"cin_log"}`,
			"", `{"other_count":0,"composed":true,"next_from":null}`,
		},
		"a limit of days has a continuation": {
			`{"stream":"log","metric":"count","group_by_time":"at","granularity":"day","limit":2,"connection_id":"cin_log","filter":{"at":{"lt":"2026-01-31"}}}`,
			"count of log by day of at · 30 records · UTC\nday | count\n2026-01-01 | 1\n2026-01-02 | 1\nshown 2 of 30 days with records; not shown: 28 records after them (other_count=28)\n" +
				`next: aggregate {"stream":"log","metric":"count","group_by_time":"at","granularity":"day","limit":2,"connection_id":"cin_log","filter":{"at":{"gte":"2026-01-03","lt":"2026-01-31"}}}` +
				"\ndates read as: at until 2026-01-31T00:00Z",
			`{}`,
		},
		"no more than forty groups are read": {
			`{"stream":"log","metric":"sum","field":"level","group_by_time":"at","granularity":"day","connection_id":"cin_log"}`,
			"", `{"group_count":150,"other_count":110,"reads":43,"next_from":"2026-02-10"}`,
		},
		"a date is the whole day": {
			`{"stream":"orders","metric":"count","connection_id":"cin_a","filter":{"at":{"gte":"2026-02-01","lte":"2026-02-28"}}}`,
			"2 orders\ndates read as: at from 2026-02-01T00:00Z until 2026-03-01T00:00Z", `{"value":2}`,
		},
		"a day equals its timestamps": {`{"stream":"orders","metric":"count","connection_id":"cin_a","filter":{"at":"2026-02-28"}}`, "1 record of orders\ndates read as: at from 2026-02-28T00:00Z until 2026-03-01T00:00Z", `{"value":1}`},
		"a day of a zone": {
			`{"stream":"orders","metric":"count","connection_id":"cin_a","time_zone":"Europe/Berlin","filter":{"at":{"lte":"2026-01-31"}}}`,
			"0 orders\ndates read as: at until 2026-01-31T23:00Z, of Europe/Berlin\nthis connector (Shop A) is stale, last sync unknown, newest record emitted 2026-01-02 00:00\nAlone, the condition on at matches 0 records.\nat is from 2026-01-31T23:30:00Z to 2026-03-01T00:00:00Z.",
			`{"value":0}`,
		},
		"no records at all is explained, with the value that was meant": {
			`{"stream":"orders","metric":"count","connection_id":"cin_a","filter":{"status":"paied"}}`,
			"0 orders\nthis connector (Shop A) is stale, last sync unknown, newest record emitted 2026-01-02 00:00\nAlone, the condition on status matches 0 records.\n" +
				"status is open (2), paid (2).\n" +
				`Did you mean: aggregate {"stream":"orders","metric":"count","connection_id":"cin_a","filter":{"status":"paid"}}`,
			`{"value":0}`,
		},
		"text that may be a date keeps its form, in any zone": {
			`{"stream":"orders","metric":"count","connection_id":"cin_a","time_zone":"Europe/Berlin","filter":{"due":{"lte":"2026-02-28"}}}`,
			"3 orders\ndates read as: due until 2026-03-01, of no time zone: its type is not known", `{"value":3}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, data, reply := server.call(t, tools.Aggregate(), row.arguments)
			if row.text != "" && text != row.text {
				t.Errorf("got\n%s\nwant\n%s", text, row.text)
			}
			var got, want map[string]any
			if err := json.Unmarshal([]byte(data.JSON()), &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(row.structured), &want); err != nil {
				t.Fatal(err)
			}
			for name, value := range want {
				if fmt.Sprint(got[name]) != fmt.Sprint(value) {
					t.Errorf("%s is %v, want %v", name, got[name], value)
				}
			}
			if len(server.read) != reply.Reads || data.Has("reads") && data.Get("reads") != fmt.Sprint(reply.Reads) {
				t.Errorf("D28: %d reads are reported as %d and %s", len(server.read), reply.Reads, data.Get("reads"))
			}
		})
	}
}

// The schema is read once a minute, and not at all for a call that is refused.
func TestAggregateReadsTheSchemaOnce(t *testing.T) {
	server, tool := newShopServer(t), tools.Aggregate()
	for i, want := range []int{5, 4, 4} { // the number, the connections, the statuses; the first time also the schema
		if server.call(t, tool, `{"stream":"orders","metric":"count"}`); len(server.read) != want {
			t.Errorf("call %d reads %q; want %v", i+1, server.read, want)
		}
	}
	if text, _, reply := server.call(t, tools.Aggregate(), `{"stream":"orders","metric":"sum","field":"status"}`); len(server.read) != 1 || reply.Reads != 1 {
		t.Errorf("%s, after %q", text, server.read)
	}
	for _, arguments := range []string{
		`{"stream":"orders","metric":"count","time_zone":"Mars/Olympus"}`, `{"stream":"orders","metric":"count","time_zone":"Local"}`,
		`{"stream":"orders","metric":"avg"}`, `{"stream":"orders","metric":"median","field":"total"}`,
	} {
		if _, err := tools.Aggregate().Parse(json.RawMessage(arguments)); err == nil {
			t.Errorf("%s is not refused", arguments)
		}
	}
}

// serve serves records to a client that may read all of them.
func serve(t *testing.T, connectors []model.Connector, records []model.Record) *shopServer {
	t.Helper()
	store, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	corpus := model.Corpus{Connectors: connectors, Records: func(yield func(model.Record, error) bool) {
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}}
	if err := store.Load(t.Context(), corpus, "1", nil); err != nil {
		t.Fatal(err)
	}
	grants := &authority.Grants{}
	grants.Put("token", authority.Grant{ID: "grt_1", ClientID: "cli_1", Kind: authority.KindClient, Streams: authority.Everything(connectors)})
	s := &shopServer{}
	origin := ""
	resources := embedded.NewServer(store, grants, embedded.Options{Origin: func() string { return origin }})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, _ := url.QueryUnescape(r.URL.RawQuery)
		s.mu.Lock()
		s.read = append(s.read, strings.TrimPrefix(r.URL.Path, "/v1/")+"?"+query)
		s.mu.Unlock()
		resources.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	origin = server.URL
	client, err := rsclient.New(rsclient.Options{Base: server.URL, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	s.doer = client.For(rsclient.Caller{Token: rs.NewToken("token"), Kind: auth.KindClient, GrantID: "grt_1"})
	return s
}

// The answer names the time zone in which the days of the filter were read, even if the resource server does not name one.
func TestAggregateNamesTheTimeZoneOfItsDays(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"granted_connections":[{"connection_id":"c"}],"streams":[{"name":"s",` +
		`"field_capabilities":{"at":"t=timestamp,eq,r=gte|lt|lte","due":"t=string,eq,r=gte|lt|lte"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if strings.HasSuffix(r.Path, "/schema") {
			return middlewaretest.JSON(schema), nil
		}
		return middlewaretest.JSON(`{"metric":"count","value":2,"filtered_record_count":2,"time_zone":null}`), nil
	}}
	for arguments, zone := range map[string]string{
		`"filter":{"at":{"lte":"2026-03-01"}},"time_zone":"Europe/Berlin"`:  `"Europe/Berlin"`,
		`"filter":{"at":{"lte":"2026-03-01"}}`:                              `"UTC"`,
		`"filter":{"at":"2026-03-01T00:00:00Z"},"time_zone":"Asia/Tokyo"`:   "",
		`"filter":{"due":{"lte":"2026-03-01"}},"time_zone":"Europe/Berlin"`: "", // dates without a time belong to no zone
		`"time_zone":"Europe/Berlin"`:                                       "",
	} {
		result := use(t, tools.Aggregate(), server, []byte(`{"stream":"s","metric":"count",`+arguments+`}`))
		if got := rs.AsObject(result.Structured).Object("data").Get("time_zone"); got != zone {
			t.Errorf("%s: %s\n%s", arguments, got, result.Text)
		}
	}
}
