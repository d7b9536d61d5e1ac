package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// ANSWERS 5: if no record matches a filter, the answer says how many records each condition matches alone, and which values a field has.
func TestAnEmptyPageIsExplained(t *testing.T) {
	const empty = `{"object":"list","data":[],"has_more":false}`
	for says, row := range map[string]struct {
		arguments, page string
		counts          bool   // the resource server returns counts
		want            string // in the text
		reads           int
	}{
		"two conditions, of which one excludes everything": {
			`{"stream":"orders","filter":{"status":"canceled","total":{"gte":1,"lte":9}}}`, empty, true,
			"Alone, the condition on status matches 0 records, on total matches 7 records.\nstatus is delivered (5), cancelled (2).\n" +
				`Did you mean: query_records {"stream":"orders","filter":{"status":"cancelled","total":{"gte":1,"lte":9}}}`, 7,
		},
		"at most five fields are counted": {
			`{"stream":"orders","filter":{"a":{"gte":1},"b":{"gte":1},"c":{"gte":1},"d":{"gte":1},"e":{"gte":1},"f":{"gte":1}}}`, empty, true,
			"Alone, the condition on a matches 7 records, on b matches 7 records, on c matches 7 records, on d matches 7 records, on e matches 7 records.", 8,
		},
		"an unknown id is not replaced by another one": {
			`{"stream":"orders","filter":{"order_id":"C02:1"}}`, empty, true, "Alone, the condition on order_id matches 0 records.", 5,
		},
		"a filter has no wildcards": {
			`{"stream":"orders","filter":{"status":"canc*"}}`, empty, true,
			"Alone, the condition on status matches 0 records.\nstatus is delivered (5), cancelled (2).\nA filter has no wildcards: * and % stand for themselves.\nDid you mean: ", 6,
		},
		"several values in one text need a call for each": {
			`{"stream":"orders","filter":{"status":"delivered,cancelled"}}`, empty, true,
			"Alone, the condition on status matches 0 records.\nstatus is delivered (5), cancelled (2).\nThis needs a call for each of the 2 values; the one below is the first.\nDid you mean: query_records {\"stream\":\"orders\",\"filter\":{\"status\":\"delivered\"}}", 6,
		},
		"a part of a word is not replaced by the word": {
			`{"stream":"orders","filter":{"status":"live"}}`, empty, true, "Alone, the condition on status matches 0 records.\nstatus is delivered (5), cancelled (2).", 6,
		},
		"a short value is near to any": {
			`{"stream":"orders","filter":{"status":"dez"}}`, empty, true, "Alone, the condition on status matches 0 records.\nstatus is delivered (5), cancelled (2).", 6,
		},
		"if most records have no value, the answer says so": {
			`{"stream":"orders","filter":{"paid":false}}`, empty, true, "Alone, the condition on paid matches 0 records.\npaid is null (6), true (2).", 6,
		},
		"a short value may differ in case only": {
			`{"stream":"orders","filter":{"status":"DELIVERED"}}`, empty, true,
			"Alone, the condition on status matches 0 records.\nstatus is delivered (5), cancelled (2).\nDid you mean: query_records {\"stream\":\"orders\",\"filter\":{\"status\":\"delivered\"}}", 6,
		},
		"a value that is part of several is none of them": {
			`{"stream":"orders","filter":{"status":"elle"}}`, empty, true, "Alone, the condition on status matches 0 records.\nstatus is delivered (5), cancelled (2).", 6,
		},
		"counts that are refused are left out": {
			`{"stream":"orders","filter":{"status":"canceled"}}`, empty, false, "No record matches. Loosen the filter", 4,
		},
		"without a filter there is nothing to explain": {`{"stream":"orders"}`, empty, true, "No record matches.", 3},
		"with records on the page nothing is counted": {
			`{"stream":"orders","filter":{"status":"x"}}`, `{"data":[{"id":"1","data":{"status":"x"}}]}`, true, "orders: 1 record", 1,
		},
	} {
		t.Run(says, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				if r.Path == "/v1/streams" {
					return middlewaretest.JSON(`{"data":[` +
						`{"name":"orders","connection_id":"c1","display_name":"Shop","freshness":{"status":"stale","captured_at":"2026-03-02T10:11:12Z","last_attempted_at":"2026-03-02T10:11:12Z"}},` +
						`{"name":"other","connection_id":"c2","display_name":"Mail","freshness":{"status":"current"}}]}`), nil
				}
				if r.Path == "/v1/streams/orders" {
					return middlewaretest.JSON(`{"name":"orders","time_constraint":{"field":"at","since":"2026-01-01T00:00:00Z"}}`), nil
				}
				if !strings.HasSuffix(r.Path, "/aggregate") {
					return middlewaretest.JSON(row.page), nil
				}
				switch {
				case !row.counts:
					return nil, &rs.Error{Code: "invalid_request", Status: 400, Message: "filter[...] is not supported"}
				case r.Query.Get("group_by") == "paid":
					return middlewaretest.JSON(`{"metric":"count","groups":[{"key":null,"count":6},{"key":true,"count":2}]}`), nil
				case r.Query.Get("group_by") != "":
					return middlewaretest.JSON(`{"metric":"count","groups":[{"key":"delivered","count":5},{"key":"cancelled","count":2},{"key":null,"count":1}]}`), nil
				case r.Query.Has("filter[status]"), r.Query.Has("filter[paid]"), r.Query.Has("filter[order_id]"):
					return middlewaretest.JSON(`{"metric":"count","value":0}`), nil
				}
				return middlewaretest.JSON(`{"metric":"count","value":7}`), nil
			}}
			result := use(t, tools.QueryRecords(), server, json.RawMessage(row.arguments))
			if !strings.Contains(result.Text, row.want) {
				t.Errorf("no %q in\n%s", row.want, result.Text)
			}
			if meant := "Did you mean"; strings.Contains(result.Text, meant) != strings.Contains(row.want, meant) {
				t.Errorf("%s in\n%s", meant, result.Text)
			}
			const fresh = "this connector (Shop) is stale, data as of 2026-03-02 10:11\n" +
				"the grant is limited to at from 2026-01-01 00:00; records of other times are not shown\n"
			if nothing := row.page == empty; strings.Contains(result.Text, fresh) != nothing || strings.Contains(result.Structured, `"freshness":[{"connections":["Shop"],"connector_status":"stale"`) != nothing ||
				strings.Contains(result.Structured, `"granted_time":{"field":"at","since":"2026-01-01T00:00:00Z"}`) != nothing {
				t.Errorf("how fresh it is: %s\n%s", result.Text, result.Structured)
			}
			if got := len(server.Requests()); got != row.reads {
				t.Errorf("%d reads, want %d: %s", got, row.reads, fmt.Sprint(server.Requests()))
			}
			if explained := strings.Contains(result.Structured, `"alone"`); explained != strings.Contains(row.want, "Alone, ") {
				t.Errorf("structured output: %s", result.Structured)
			}
		})
	}
}

// If a whole record id is sent for a field that holds only the part after its colon, that part is counted, since the values of such a
// field cannot be grouped.
func TestThePartOfAnIDAfterItsColonIsProposed(t *testing.T) {
	for value, row := range map[string]struct {
		can  string // the operators of the field
		want string
	}{
		"C04:17.01":  {"eq", `Did you mean: query_records {"stream":"messages","filter":{"thread":"17.01"}}`},
		"C04:17.02":  {"eq", ""},
		"17.03":      {"eq", ""},
		"C04:shared": {"eq,a=group_by", `Did you mean: query_records {"stream":"messages","filter":{"thread":"shared"}}`},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			count := 0
			switch {
			case r.Path == "/v1/schema":
				return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
					`{"name":"messages","field_capabilities":{"thread":"t=string,` + row.can + `"}}]}]}`), nil
			case !strings.HasSuffix(r.Path, "/aggregate"):
				return middlewaretest.JSON(`{"object":"list","data":[],"has_more":false}`), nil
			case r.Query.Get("group_by") != "":
				return middlewaretest.JSON(`{"metric":"count","groups":[{"key":"shared","count":5}]}`), nil
			case r.Query.Get("filter[thread]") == "17.01":
				count = 3
			}
			return middlewaretest.JSON(fmt.Sprintf(`{"metric":"count","value":%d}`, count)), nil
		}}
		result := use(t, toolNamed(t, "query_records"), server, json.RawMessage(`{"stream":"messages","filter":{"thread":"`+value+`"}}`))
		if !strings.Contains(result.Text, row.want) || strings.Contains(result.Text, "Did you mean") != (row.want != "") {
			t.Errorf("%s: %s; want %q", value, result.Text, row.want)
		}
		aggregates := 0
		for _, r := range server.Requests() {
			if strings.HasSuffix(r.Path, "/aggregate") {
				aggregates++
			}
		}
		if aggregates != 2 {
			t.Errorf("%s: D28: %d aggregates", value, aggregates)
		}
	}
}

// A person's name is also found with the last name first. If a name is split over two fields, the part that a field has is proposed.
func TestAPersonIsFoundInAnyOrderOfTheName(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[{"name":"people",` +
		`"field_capabilities":{"First_Name":"t=string,eq,a=group_by","Last_Name":"t=string,eq,a=group_by","name":"t=string,eq,a=group_by"}}]}]}`
	for condition, want := range map[string]string{
		`{"name":"Anna Smith"}`:                `{"name":"Smith, Anna"}`,
		`{"name":"Zoe Young"}`:                 `{"name":"Young, Zoe"}`, // not among the values that were read
		`{"First_Name":"Anna Smith"}`:          `{"First_Name":"Anna"}`,
		`{"Last_Name":"SMITH, Anna","name":1}`: `{"Last_Name":"Smith","name":1}`,
		`{"First_Name":"Anna Jones"}`:          `{"First_Name":"Anna"}`,
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			count, by := "0", r.Query.Get("group_by")
			if r.Query.Get("filter[name]") == "Young, Zoe" {
				count = "1"
			}
			keys := map[string]string{"name": "Smith, Anne|Smith, Anna", "First_Name": "Anne|Anna", "Last_Name": "Smyth|Smith"}[by]
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(schema), nil
			case !strings.HasSuffix(r.Path, "/aggregate"):
				return middlewaretest.JSON(`{"object":"list","data":[],"has_more":false}`), nil
			case by != "":
				one, other, _ := strings.Cut(keys, "|")
				return middlewaretest.JSON(`{"metric":"count","groups":[{"key":"` + one + `","count":5},{"key":"` + other + `","count":2}],"other_count":9}`), nil
			}
			return middlewaretest.JSON(`{"metric":"count","value":` + count + `}`), nil
		}}
		tool := tools.All(tools.Options{})[1]
		result := use(t, tool, server, []byte(`{"stream":"people","filter":`+condition+`}`))
		if !strings.Contains(result.Text, `Did you mean: query_records {"stream":"people","filter":`+want+`}`) {
			t.Errorf("%s: %s; want %q", condition, result.Text, want)
		}
	}
}
