package correct_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

func toolNamed(t *testing.T, name string) correct.Tool {
	t.Helper()
	for _, one := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		if one.Name == name {
			return one.Known
		}
	}
	t.Fatalf("no tool %s", name)
	return correct.Tool{}
}

// A filter in a list is read as its conditions. A condition that is not understood is never omitted from the proposed call, since that
// would read all records.
func TestFiltersInLists(t *testing.T) {
	for filter, want := range map[string]string{
		`[["total",">",50],["currency","=","EUR"]]`:      `{"total":{"gt":50},"currency":"EUR"}`,
		`[["total",">",50],"and",["total","<",90]]`:      `{"total":{"gt":50,"lt":90}}`,
		`["total",">",50]`:                               `{"total":{"gt":50}}`,
		`["total>50","currency = EUR"]`:                  `{"total":{"gt":50},"currency":"EUR"}`,
		`["|",["status","=","paid"],["total",">",50]]`:   `{"status":"paid"}`,
		`["total>50","total<10"]`:                        "",
		`["a","and",["total",">",50],"or",["b","=",50]]`: "",
		`5`: "",
	} {
		for name, metric := range map[string]string{"aggregate": `"metric":"count",`, "query_records": ""} {
			args, _ := argumentsOf(`{"stream":"orders",` + metric + `"filter":` + filter + `}`)
			call, _ := toolNamed(t, name).Guess(args, &rs.Error{Code: "invalid_filter", Param: "filter"})
			if got := call.Arguments.Get("filter"); got != want || want == "" && call.Tool == name {
				t.Errorf("%s %s leads to %s; want %q", name, filter, call, want)
			}
		}
	}
}

// Conditions that must all hold are not presented as alternatives that need a call each.
func TestConditionsJoinedByAndAreNotAlternatives(t *testing.T) {
	args, _ := argumentsOf(`{"stream":"orders","filter":{"and":[{"total":{"gt":50}},{"total":{"gt":100}}]}}`)
	if hint := toolNamed(t, "query_records").Hint(args); strings.Contains(hint, "call for each") {
		t.Error(hint)
	}
}

// With several groups, one may be a time, under any name, and has its own argument; a call that truncates a time is one group.
func TestSeveralGroups(t *testing.T) {
	for groups, want := range map[string]string{
		`["status","ordered_at"]`:           "for each value of status in filter.",
		`["status","order_date"]`:           "for each value of status in filter.",
		`"date_trunc('month', ordered_at)"`: "",
	} {
		args, _ := argumentsOf(`{"stream":"orders","metric":"count","group_by":` + groups + `}`)
		if hint := toolNamed(t, "aggregate").Hint(args); !strings.HasSuffix(hint, want) || (hint == "") != (want == "") {
			t.Errorf("%s: %s; want %q", groups, hint, want)
		}
	}
}

// A date under the name of an operator is a bound on the event time of the records, not the exact time of a record.
func TestATimeUnderAnOperatorIsABound(t *testing.T) {
	stream := fields.Stream{Name: "orders", Fields: []rs.SchemaField{
		{Name: "ordered_at", Type: "timestamp", Role: "event-time", Exact: true, Ranges: []string{"gte", "lt"}, Granted: true},
	}}
	args, _ := argumentsOf(`{"stream":"orders","filter":{"gte":"2026-01-01"}}`)
	found := toolNamed(t, "query_records").Unknown(stream, args, &rs.Error{Code: "unknown_field", Status: 400})
	if want := `"filter":{"ordered_at":{"gte":"2026-01-01"}}`; found == nil || !strings.Contains(found.Send, want) {
		t.Errorf("%+v is proposed; want %s", found, want)
	}
}

// A direction given as a flag or a number is the sort order: not a condition, and not inverted.
func TestADirectionIsTheSortOrder(t *testing.T) {
	for direction, sort := range map[string]string{
		`"descending":true`: "-total", `"desc":false`: "total", `"ascending":false`: "-total", `"sort_order":-1`: "-total", `"sort_order":1`: "total",
		`"direction":"-1"`: "-total",
	} {
		args, _ := argumentsOf(`{"stream":"orders","sort":"total",` + direction + `}`)
		if canonical := toolNamed(t, "query_records").Canonical(args); canonical.Text("sort") != sort || len(canonical) != 2 {
			t.Errorf("%s: %s", direction, canonical.JSON())
		}
	}
}

// A granularity in place of a time field leads to the schema, which lists the fields, and not to groups of another length.
func TestAGranularityIsNotReplacedByAnother(t *testing.T) {
	for group, want := range map[string]string{`"day"`: "", `"Weekly"`: "", `"ordered_at"`: `"month"`} {
		args, _ := argumentsOf(`{"stream":"orders","metric":"count","group_by_time":` + group + `}`)
		call, _ := toolNamed(t, "aggregate").Guess(args, rs.Invalid("granularity", "", ""))
		if got := call.Arguments.Get("granularity"); got != want || (call.Tool == "schema") != (want == "") {
			t.Errorf("%s leads to %s; want %q", group, call, want)
		}
	}
}

// A list of a field and a direction is one sort, not two sort keys.
func TestASortWrittenAsAPair(t *testing.T) {
	for sort, want := range map[string]string{
		`["total","desc"]`: `"-total"`, `[["total","ASC"]]`: `"total"`, `["total","merchant"]`: `["total","merchant"]`, `["total",1]`: `["total",1]`,
	} {
		args, _ := argumentsOf(`{"stream":"orders","sort":` + sort + `}`)
		if got := toolNamed(t, "query_records").Canonical(args).Get("sort"); got != want {
			t.Errorf("%s becomes %s, want %s", sort, got, want)
		}
	}
}

// Records without a time are found by the time of their parent records.
func TestRecordsAreFoundByTheTimeOfTheirParents(t *testing.T) {
	all := middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"files","field_capabilities":{"name":"t=string,eq","size":"t=integer,r=gte|lt"}},` +
		`{"name":"mails","field_capabilities":{"at":{"type":"timestamp","granted":true,"role":"event-time"},"has_files":"t=boolean,eq"},` +
		`"expand_capabilities":[{"name":"files","stream":"files","cardinality":"has_many","foreign_key":"mail_id"}]}]}]}`).Schema()
	for arguments, want := range map[string]string{
		`{"filter":{"emitted_at":"2026-03-01"}}`: `{"stream":"mails","filter":{"at":"2026-03-01","has_files":true},"expand":["files"]}`,
		`{"sort":"-date","limit":3}`:             `{"stream":"mails","limit":3,"filter":{"has_files":true},"sort":"-at","expand":["files"]}`,
		`{"filter":{"sent_at":{"gte":"2026-03-01"},"name":"a"},"sort":"size","connection_id":"c"}`: `{"stream":"mails","connection_id":"c",` +
			`"filter":{"at":{"gte":"2026-03-01"},"has_files":true},"expand":["files"]} leaves out name, sort`,
		`{"filter":{"mail.emitted_at":"2026-03-01"}}`:    `{"stream":"mails","filter":{"at":"2026-03-01","has_files":true},"expand":["files"]}`,
		`{"filter":{"naem":"a"}}`:                        `{"stream":"files","filter":{"name":"a"}}`,
		`{"sort":"-emitted_at","connection_id":"other"}`: "",
	} {
		args, _ := argumentsOf(`{"stream":"files",` + arguments[1:])
		stream := fields.Read("files", all)
		stream.ReadRelated(all, args.Text("connection_id"))
		found := toolNamed(t, "query_records").Unknown(stream, args, &rs.Error{Code: "unknown_field", Status: 400})
		send, _, _ := strings.Cut(want, " leaves")
		if found == nil || strings.TrimPrefix(found.Send, "query_records ") != send || strings.Contains(found.Hint, "leaves out") != (send != want) {
			t.Errorf("%s: %+v, want %s", arguments, found, want)
		}
	}
}

// Sorting groups by their metric, or time groups by time, sets the order; sorting by anything else is not understood.
func TestSortingGroupsSetsTheirOrder(t *testing.T) {
	for arguments, order := range map[string]string{
		`"metric":"sum","field":"total","group_by":"shop","sort":"-sum"`:                      "desc",
		`"metric":"sum","field":"total","group_by":"shop","order_by":"total asc"`:             "asc",
		`"metric":"sum(total)","group_by":"shop","order_by":{"sum(total)":"desc"}`:            "desc",
		`"metric":"count","group_by":"shop","sort":{"field":"count","direction":"asc"}`:       "asc",
		`"metric":"count","group_by_time":"at","granularity":"month","sort":"-at"`:            "desc",
		`"metric":"count","group_by":"shop","descending":false`:                               "asc",
		`"metric":"count","group_by_time":"at","granularity":"month","sort":"-count"`:         "",
		`"metric":"sum","field":"total","group_by":"shop","sort":"-shop"`:                     "",
		`"metric":"sum","field":"total","group_by":"shop","sort":"total"`:                     "",
		`"metric":"sum","field":"total","group_by":"shop","sort":"-total","direction":"desc"`: "desc",
	} {
		args, _ := argumentsOf(`{"stream":"orders",` + arguments + `}`)
		if canonical := toolNamed(t, "aggregate").Canonical(args); canonical.Text("order") != order {
			t.Errorf("%s: %s", arguments, canonical.JSON())
		}
	}
}

// If one call can only ask one of several alternatives, the hint says how many calls are needed for all of them.
func TestAlternativesNeedSeveralCalls(t *testing.T) {
	for filter, calls := range map[string]string{
		`{"total":">=50 or <10"}`: "2", `"status = 'paid' or total > 5 or total < 2"`: "3", `{"or":[{"a":1},{"b":2}]}`: "2", `{"a":[1,2],"b":{"in":[1,2,3]}}`: "6",
		`"not (a = 1 and b = 2)"`: "2", `"status in ('paid', 'open')"`: "2", `"a:(1 OR 2)"`: "2",
	} {
		args, _ := argumentsOf(`{"stream":"orders","filter":` + filter + `}`)
		if hint := toolNamed(t, "query_records").Hint(args); !strings.Contains(hint, "a call for each of the "+calls+";") {
			t.Errorf("%s: %q", filter, hint)
		}
	}
}

// Many unknown fields are not each compared with all fields; the proposed call reads the schema instead.
func TestManyUnknownFieldsLeadToTheSchema(t *testing.T) {
	stream := fields.Stream{Name: "orders", Fields: []rs.SchemaField{{Name: "total", Type: "number", Exact: true, Granted: true}}}
	for count, want := range map[int]string{2: `query_records {"stream":"orders","fields":["total"]}`, 20: `schema {"stream":"orders"}`} {
		fields := make([]string, count)
		for i := range fields {
			fields[i] = "totals"
		}
		args := rs.Object{{Name: "stream", Value: `"orders"`}, {Name: "fields", Value: rs.EncodeJSON(fields)}}
		found := toolNamed(t, "query_records").Unknown(stream, args, &rs.Error{Code: "unknown_field", Status: 400})
		if found == nil || found.Send != want {
			t.Errorf("%d lead to %+v; want %q", count, found, want)
		}
	}
}

// The proposed call has a field in the form that the stream has: a day of any year as month and day, the field of an object by its dotted
// name, a column by its title in the table. A sort that no call can do is left out.
func TestFieldsInOtherNotations(t *testing.T) {
	whole, number := []string{"gte", "lte"}, []string{"sum", "group_by"}
	stream := fields.Stream{Name: "people", Fields: []rs.SchemaField{
		{Name: "name", Type: "text", Exact: true, Granted: true},
		{Name: "birthday", Type: "date", Role: "event-time", Exact: true, Ranges: whole, Granted: true},
		{Name: "birthday_month", Type: "integer|null", Exact: true, Ranges: whole, Granted: true},
		{Name: "birthday_day", Type: "integer|null", Exact: true, Ranges: whole, Granted: true},
		{Name: "home.lat", Type: "number", Exact: true, Ranges: whole, Granted: true},
		{Name: "Betrag__EUR", Type: "number", Exact: true, Aggregates: number, Granted: true},
		{Name: "property", Type: "string", Exact: true, Granted: true},
		{Name: "Kategorie", Type: "string", Exact: true, Aggregates: number[1:], Granted: true},
	}}
	for sent, want := range map[string]string{
		`query_records {"stream":"people","filter":{"home":{"lat":54.5}}}`:       `query_records {"stream":"people","filter":{"home.lat":54.5}}`,
		`query_records {"stream":"people","filter":{"home":{"lat":{"gte":54}}}}`: `query_records {"stream":"people","filter":{"home.lat":{"gte":54}}}`,
		`query_records {"stream":"people","filter":{"property":"Elm","date":{"gt":"2024-11-01"}}}`: `query_records {"stream":"people","filter":{"property":"Elm",` +
			`"birthday":{"gt":"2024-11-01"}}}`,
		`query_records {"stream":"people","filter":{"property":"name","select":{"equals":"a"}}}`: `query_records {"stream":"people","filter":{"name":"a"}}`,
		`query_records {"stream":"people","sort":"-name","limit":3}`:                             `query_records {"stream":"people","limit":100}`,
		`aggregate {"stream":"people","metric":"sum","field":"Betrag (€)"}`:                      `aggregate {"stream":"people","metric":"sum","field":"Betrag__EUR"}`,
		`aggregate {"stream":"people","metric":"sum","field":"Betrag (€)/2"}`:                    `schema {"stream":"people"}`,
		`aggregate {"stream":"people","metric":"sum","field":"Betrag__EUR*2"}`:                   `schema {"stream":"people"}`,
		`aggregate {"stream":"people","metric":"sum","field":"round (Betrag__EUR)"}`:             `schema {"stream":"people"}`,
		`aggregate {"stream":"people","metric":"sum","field":"Betrag (€)","group_by":"kategorien"}`: `aggregate {"stream":"people","metric":"sum","field":"Betrag__EUR",` +
			`"group_by":"Kategorie"}`,
	} {
		call := correct.ReadCall(sent)
		send := ""
		if found := toolNamed(t, call.Tool).Unknown(stream, call.Arguments, &rs.Error{Code: "invalid_request", Status: 400}); found != nil {
			send = found.Send
			if strings.Contains(found.Message, "no field property") {
				t.Errorf("%s: %s", sent, found.Message)
			}
		}
		if send != want {
			t.Errorf("%s leads to %s, want %s", sent, send, want)
		}
	}
}

// Correcting deeply nested or long filters stays cheap.
func BenchmarkHostileFilters(b *testing.B) {
	all := tools.All(tools.Options{})
	nested := func(before, after string, levels int) string {
		return strings.Repeat(before, levels) + `{"a":1}` + strings.Repeat(after, levels)
	}
	for name, filter := range map[string]string{
		"objects": nested(`{"and":[`, `]}`, 2500), "nots": nested(`{"not":`, `}`, 3000), "lists": nested(`[`, `]`, 12000), "wrapped": nested(`{"bool":{"must":`, `}}`, 1400),
		"brackets": rs.EncodeJSON(strings.Repeat("(", 12000) + "a=1" + strings.Repeat(")", 12000)), "words": rs.EncodeJSON("a = " + strings.Repeat("b ", 12000)),
		"conditions": rs.EncodeJSON(strings.Repeat("a=1 and ", 3000) + "a=1"), "alternatives": rs.EncodeJSON(strings.Repeat("(a=1 or b=2) and ", 1400) + "a=1"),
		"denied": rs.EncodeJSON(strings.Repeat("not ", 6000) + "a=1"), "fields": nested(`{"a":`, `}`, 4000), "quotes": rs.EncodeJSON(strings.Repeat(`a='b\\`, 3500)),
		"long words": rs.EncodeJSON("a = " + strings.Repeat("b ", 2000)), "long alternatives": rs.EncodeJSON(strings.Repeat("(a=1 or b=2) and ", 230) + "a=1"),
		"arguments": numbered(`{"stream":"orders",` + strings.TrimSuffix(strings.Repeat(`"a":"`+strings.Repeat("b", 40)+`",`, 58), ",") + `}`),
	} {
		raw := json.RawMessage(`{"stream":"orders","filter":` + filter + `}`)
		if name == "arguments" {
			raw = json.RawMessage(filter)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				args, _ := argumentsOf(string(raw))
				for _, known := range []correct.Tool{all[1].Known, all[2].Known} {
					canonical := known.Canonical(args)
					call, _ := known.Guess(canonical, &rs.Error{Code: "invalid_filter", Param: "filter"})
					_ = known.Hint(canonical) + call.LeavesOut(canonical)
				}
			}
		})
	}
}

// A title in place of an id is said to be searched for only if it has a word.
func TestATitleWithoutAWordIsNotSearchedFor(t *testing.T) {
	for args, want := range map[string]bool{`{"q":"*"}`: false, `{"title":"…"}`: false, `{"title":"Rent"}`: true, `{"subject":"会議"}`: true} {
		object, _ := argumentsOf(args)
		if hint := toolNamed(t, "fetch").Hint(object); strings.Contains(hint, "searches for those words") != want {
			t.Errorf("%s: %q", args, hint)
		}
	}
}
