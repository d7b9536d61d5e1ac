package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// If the groups are ids, the answer names the records that they refer to, or says how to read them when that takes too many reads.
func TestGroupsByAnIDAreNamed(t *testing.T) {
	schema := func(extra string) string {
		return `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}` + extra + `],"streams":[` +
			`{"name":"messages","field_capabilities":{"channel_id":{"type":"string","granted":true,"aggregation":["group_by"]}}},` +
			`{"name":"channels","field_capabilities":{"name":{"type":"string","granted":true,"role":"primary-title"}},` +
			`"expand_capabilities":[{"name":"messages","stream":"messages","cardinality":"has_many","foreign_key":"channel_id"}]}]}]}`
	}
	for name, row := range map[string]struct {
		connection, other string
		want              string
		reads             []string
	}{
		"one connection": {"c", "", "channel_id | count\nC1 (general) | 5\nC2 | 3\nall 2 groups shown\nchannel_id has ids of channels: fetch {\"id\":\"c/channels:C2\"}",
			[]string{"/v1/streams/channels/records/C1?connection_id=c&fields=name", "/v1/streams/channels/records/C2?connection_id=c&fields=name"}},
		"the only one that has the stream": {"", "", "C1 (general) | 5",
			[]string{"/v1/streams/channels/records/C1?connection_id=c&fields=name", "/v1/streams/channels/records/C2?connection_id=c&fields=name"}},
		"several connections": {"", `,{"connection_id":"d"}`, "C1 (general) | 5", []string{"/v1/streams/channels/records/C1?fields=name", "/v1/streams/channels/records/C2?fields=name"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				switch {
				case r.Path == "/v1/schema":
					return middlewaretest.JSON(schema(row.other)), nil
				case strings.HasSuffix(r.Path, "/C1"):
					return middlewaretest.JSON(`{"object":"record","id":"C1","stream":"channels","data":{"name":"general"}}`), nil
				case strings.HasSuffix(r.Path, "/C2"):
					return nil, &rs.Error{Code: "not_found", Status: 404}
				}
				return middlewaretest.JSON(`{"metric":"count","stream":"messages","group_by":"channel_id","filtered_record_count":8,"other_count":0,` +
					`"groups":[{"key":"C1","count":5},{"key":"C2","count":3}]}`), nil
			}}
			arguments := `{"stream":"messages","metric":"count","group_by":"channel_id"}`
			if row.connection != "" {
				arguments = strings.TrimSuffix(arguments, "}") + `,"connection_id":"` + row.connection + `"}`
			}
			result := use(t, tools.Aggregate(), server, json.RawMessage(arguments))
			if !strings.Contains(result.Text, row.want) {
				t.Errorf("want %s, got\n%s", row.want, result.Text)
			}
			var reads []string
			for _, line := range server.Lines() {
				if strings.Contains(line, "/channels/") {
					reads = append(reads, line)
				}
			}
			slices.Sort(reads)
			if !slices.Equal(reads, row.reads) {
				t.Errorf("reads %q; want %q", reads, row.reads)
			}
			if !strings.Contains(result.Structured, `{"key":"C1","count":5,"title":"general"}`) {
				t.Errorf("structured output has no title: %s", result.Structured)
			}
		})
	}
}

// A note about what the number omits or counts once is in the text and in the structured output.
func TestAggregateNotesWhatItOmitsOrCountsOnce(t *testing.T) {
	server := newShopServer(t)
	for arguments, want := range map[string]string{
		`{"stream":"orders","metric":"count","group_by_time":"at","granularity":"month","connection_id":"cin_a"}`: "months without records are left out",
		`{"stream":"orders","metric":"count_distinct","field":"status"}`:                                          "a value that several connections have is counted once",
		`{"stream":"orders","metric":"count_distinct","field":"status","connection_id":"cin_a"}`:                  "",
		`{"stream":"orders","metric":"sum","field":"total","connection_id":"cin_a","filter":{"status":"paid"}}`:   "",
		`{"stream":"orders","metric":"sum","field":"total","group_by":"status","connection_id":"cin_a"}`:          "",
		`{"stream":"orders","metric":"sum","field":"total","group_by":"due","connection_id":"cin_a"}`:             "every status is included; filter by it to leave some out",
		`{"stream":"orders","metric":"sum","field":"total","connection_id":"cin_a","filter":{"currency":"USD"}}`:  "",
	} {
		text, _, reply := server.call(t, tools.Aggregate(), arguments)
		result, err := tools.Aggregate().Render(reply.Call, reply.Answer)
		if err != nil {
			t.Fatal(err)
		}
		structured := rs.AsObject(result.Structured)
		if got := structured.Text("note") + structured.Object("data").Object("every").Text("note"); got != want {
			t.Errorf("%s: structured output says %q, want %q", arguments, got, want)
		}
		if !strings.Contains(want, "months") && !strings.Contains(text, want) || want == "" && strings.Contains(text, "every status") {
			t.Errorf("%s: want %q in\n%s", arguments, want, text)
		}
	}
}

// The currency of an item's price is in its order. If orders have several currencies, the answer says that the sum mixes them or may mix
// them, and the metric is never replaced by another one.
func TestItemsHaveTheCurrencyOfTheirOrder(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"items","field_capabilities":{"price":"t=number,a=max|sum","name":"t=string,eq","order_id":"t=string,eq,a=group_by"}},` +
		`{"name":"orders","field_capabilities":{"total":"t=number,a=max|sum","currency":"t=string,a=group_by"},` +
		`"expand_capabilities":[{"name":"items","stream":"items","cardinality":"has_many","foreign_key":"order_id"}]}]}]}`
	const says = "price has no currency of its own; that of its orders is one of GBP, EUR, and this "
	for _, row := range []struct{ arguments, says, not string }{
		{`{"stream":"items","metric":"sum","field":"price"}`,
			says + "mixes them. Another number, that of total of the orders, by currency: aggregate {\"stream\":\"orders\",\"metric\":\"sum\",\"field\":\"total\"}", "may mix"},
		{`{"stream":"items","metric":"sum","field":"price","filter":{"name":"coffee"}}`, says + "may mix them.", "Another number"},
		{`{"stream":"items","metric":"sum","field":"price","group_by":"order_id"}`, "5 of 2", "mix"},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case r.Path == "/v1/schema":
				return middlewaretest.JSON(schema), nil
			case strings.Contains(r.Path, "/orders/"):
				return middlewaretest.JSON(`{"metric":"count","group_by":"currency","filtered_record_count":3,"groups":[{"key":"GBP","count":2},{"key":"EUR","count":1}]}`), nil
			case r.Query.Get("group_by") != "":
				return middlewaretest.JSON(`{"metric":"count","group_by":"order_id","filtered_record_count":2,"groups":[{"key":"o1","count":2}]}`), nil
			}
			return middlewaretest.JSON(`{"metric":"sum","field":"price","value":5,"filtered_record_count":2}`), nil
		}}
		result := use(t, tools.Aggregate(), server, json.RawMessage(row.arguments))
		if !strings.Contains(result.Text, row.says) || strings.Contains(result.Text, row.not) {
			t.Errorf("%s: want %q in\n%s", row.arguments, row.says, result.Text)
		}
		if apart := rs.AsObject(result.Structured).Object("data").Object("mixed_units").Has("instead"); apart != strings.Contains(row.says, "Another number") {
			t.Errorf("%s: %s", row.arguments, result.Structured)
		}
	}
}

// A count says that it includes cancelled or deleted records, whatever the status field is called. A count of zero says nothing.
func TestACountSaysThatItIncludesCancelledRecords(t *testing.T) {
	for _, row := range []struct{ field, arguments, statuses, says string }{
		{"status", `{}`, `{"key":"paid","count":5},{"key":"cancelled","count":2}`, "every status is included (cancelled 2); apart: aggregate " +
			`{"group_by":"status","metric":"count","stream":"orders"}`},
		{"Order_Status", `{}`, `{"key":"Closed","count":5},{"key":"Storniert","count":2}`, "every Order_Status is included (Storniert 2); apart: "},
		{"status", `{"group_by":"shop"}`, `{"key":"deleted","count":1},{"key":"voided by shop","count":2}`,
			"every status is included (deleted 1, \"voided by shop\" 2); filter by it to leave some out"},
		{"status", `{"group_by":"shop"}`, `{"key":null,"count":7},{"key":"cancelled","count":2}`,
			"every status is included (cancelled 2); no filter leaves these out: others have none"},
		{"status", `{}`, `{"key":"paid","count":5},{"key":"open","count":2},{"key":null,"count":2},{"key":"unavoidable","count":2}`, ""},
		{"status", `{"group_by":"status"}`, `{"key":"cancelled","count":2}`, ""},
		{"status", `{"filter":{"status":"cancelled"}}`, `{"key":"cancelled","count":2}`, ""},
		{"status_of_shop", `{}`, `{"key":"cancelled","count":2}`, ""},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case r.Path == "/v1/schema":
				return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
					`{"name":"orders","field_capabilities":{"` + row.field + `":"t=string,eq,a=group_by","shop":"t=string,eq,a=group_by"}}]}]}`), nil
			case r.Query.Get("group_by") == row.field:
				return middlewaretest.JSON(`{"metric":"count","group_by":"` + row.field + `","filtered_record_count":9,"groups":[` + row.statuses + `]}`), nil
			case r.Query.Get("group_by") != "":
				return middlewaretest.JSON(`{"metric":"count","group_by":"shop","filtered_record_count":9,"groups":[{"key":"A","count":9}]}`), nil
			}
			return middlewaretest.JSON(`{"metric":"count","value":9,"filtered_record_count":9}`), nil
		}}
		arguments := rs.AsObject(`{"stream":"orders","metric":"count"}`).WithAll(rs.AsObject(row.arguments)).JSON()
		result := use(t, tools.Aggregate(), server, json.RawMessage(arguments))
		if printed := strings.Contains(result.Text, "is included"); printed != (row.says != "") || !strings.Contains(result.Text, row.says) {
			t.Errorf("%s %s: want %q in\n%s", row.field, arguments, row.says, result.Text)
		}
		every := rs.AsObject(result.Structured).Object("data").Object("every")
		structured := every.Text("note") + ": aggregate " + every.Object("instead").Get("arguments")
		if !strings.Contains(structured, row.says) {
			t.Errorf("%s: structured output says %q; want %q", arguments, structured, row.says)
		}
	}
}

// An answer may be in data; members beside it are kept.
func TestAggregateReadsAnAnswerInData(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) {
		return middlewaretest.JSON(`{"data":{"metric":"count","stream":"messages","value":8},"meta":{"asked":1}}`), nil
	}}
	result := use(t, tools.Aggregate(), server, json.RawMessage(`{"stream":"messages","metric":"count","connection_id":"c"}`))
	if data := rs.AsObject(result.Structured).Object("data"); result.Text != "8 messages" || data.Get("value") != "8" || !data.Has("meta") {
		t.Errorf("%s\n%s", result.Text, result.Structured)
	}
}
