package correct_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// argumentsOf parses arguments; it returns false for those that are never corrected.
func argumentsOf(arguments string) (rs.Object, bool) {
	args, err := tools.ReadArguments(json.RawMessage(arguments))
	return args, err == nil && correct.Mends(json.RawMessage(arguments), args)
}

// FuzzCanonical checks that the canonical form of arguments is JSON and that canonicalizing it again changes nothing.
func FuzzCanonical(f *testing.F) {
	for _, arguments := range []string{
		`{"stream":"orders","limit":"10","filter":{"total":{"$gte":1,"<":2}},"sort":"total desc"}`, `{"q":["a","b"],"streams":"a,b","top_k":5}`,
		`{"stream":"orders","filter":[{"field":"total","op":">=","value":100},{"a":1}],"order":"-total","expand":"items","expand_limit":2}`,
		`{"id":"https://h/v1/streams/a/records/b%2Fc?connection_id=d"}`, `{"stream":"orders","id":7}`, `{"stream":"a","metric":"sum(total)","group_by":"x","granularity":"Monthly"}`,
		`{"filter":{"and":[{"a":{"eq":1}},{"b":{"in":["x"]}}]},"stream":["a"],"sort":{"field":"a","direction":"desc"},"full":true}`,
		`{"filter":{"And":[{"a":{"eq":["b"]}}]}}`, `{"filter":{"exists":{"field":"a"},"b":{"operator":">","operand":{"eq":[1]}}}}`,
	} {
		f.Add(arguments)
	}
	all := tools.All(tools.Options{RecordBase: "https://rs.example"})
	f.Fuzz(func(t *testing.T, arguments string) {
		args, ok := argumentsOf(arguments)
		if !ok {
			return
		}
		for _, tool := range all {
			once := tool.Known.Canonical(args)
			if !json.Valid([]byte(once.JSON())) {
				t.Fatalf("%s: %s becomes %s", tool.Name, arguments, once.JSON())
			}
			again, ok := argumentsOf(once.JSON())
			if !ok {
				t.Fatalf("%s: %s has a repeated member", tool.Name, once.JSON())
			}
			if twice := tool.Known.Canonical(again); twice.JSON() != once.JSON() {
				t.Errorf("%s: %s becomes %s, and that %s", tool.Name, arguments, once.JSON(), twice.JSON())
			}
			if call, ok := tool.Known.Guess(args, rs.Invalid("", "", "")); ok && !json.Valid([]byte(call.Arguments.JSON())) {
				t.Errorf("%s: %s is guessed to be %s", tool.Name, arguments, call)
			}
		}
	})
}

// Comparing each of 60,000 unknown arguments or filter conditions with all known ones would take minutes, so such a call is not
// corrected.
func TestVeryManyArgumentsAreNotCorrected(t *testing.T) {
	members := strings.TrimSuffix(strings.Repeat(`"a":1,`, 502), ",")
	for _, arguments := range []string{
		`{` + members + `}`, `{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, 61), ",") + `}`, `{"filter":{` + members + `}}`, `{"filter":"` + strings.Repeat("a=1;", 8<<10) + `"}`,
	} {
		if _, ok := argumentsOf(numbered(arguments)); ok {
			t.Errorf("%.40s… of %d bytes is corrected", arguments, len(arguments))
		}
	}
	long := `{"filter":{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, 50), ",") + `},"cursor":"` + strings.Repeat("c", 16<<10) + `","limit":"5"}`
	if _, ok := argumentsOf(numbered(long)); !ok {
		t.Error("a long but acceptable call is not corrected")
	}
}

// numbered adds a distinct number to each "a".
func numbered(arguments string) string {
	var b strings.Builder
	for i, part := range strings.Split(arguments, `"a"`) {
		if i > 0 {
			fmt.Fprintf(&b, `"a%d"`, i)
		}
		b.WriteString(part)
	}
	return b.String()
}

// A filter in another notation is only accepted if no part of it is lost, and a valid filter is left unchanged.
func TestAFilterLosesNothing(t *testing.T) {
	var tool correct.Tool
	for _, one := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		if one.Name == "query_records" {
			tool = one.Known
		}
	}
	for filter, want := range map[string]string{
		`[{"status":"paid"},{"total":{"gte":10}}]`: `{"status":"paid","total":{"gte":10}}`,
		`["total>100",{"status":"paid"}]`:          `["total>100",{"status":"paid"}]`,
		`[{},{"status":"paid"}]`:                   `[{},{"status":"paid"}]`,
		`{"field":"total","op":">=","value":100}`:  `{"total":{"gte":100}}`,
		`{"field":"status","value":"paid"}`:        `{"status":"paid"}`,
		`{"name":"steps","value":"100"}`:           `{"name":"steps","value":"100"}`,
		`{"key":"theme","value":"dark"}`:           `{"key":"theme","value":"dark"}`,
		`[{"status":"paid"},{"status":"open"}]`:    `[{"status":"paid"},{"status":"open"}]`,
	} {
		args, ok := argumentsOf(`{"stream":"orders","filter":` + filter + `}`)
		if !ok {
			t.Fatal(filter)
		}
		canonical := tool.Canonical(args)
		if got := canonical.Get("filter"); got != want {
			t.Errorf("%s becomes %s; want %s", filter, got, want)
		}
	}
}

// Each of these names is wrong only in its form, so the nearest one is meant.
func TestMisspelledNamesGetTheNearest(t *testing.T) {
	grant := correct.Grant{Sources: []rs.GrantedStream{
		{Stream: "messages", Connection: rs.Connection{ID: "cin_1", DisplayName: "Mail"}},
		{Stream: "threads", Connection: rs.Connection{ID: "cin_1", DisplayName: "Mail"}},
		{Stream: "messages", Connection: rs.Connection{ID: "cin_2", DisplayName: "Chat"}},
		{Stream: "messages", Connection: rs.Connection{ID: "cin_3", DisplayName: "chat"}},
	}}
	for name, want := range map[string]string{"mail": `{"stream":"messages","connection_id":"cin_1"}`, "Chat": "", "cin_2": "", "Mai": ""} {
		args, ok := grant.Named(toolNamed(t, "query_records"), rs.Object{{Name: "stream", Value: `"messages"`}, {Name: "connection_id", Value: rs.EncodeJSON(name)}})
		got := ""
		if ok {
			got = args.JSON()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A filter for records that have a value is never explained as a filter for records without one.
func TestAFilterForValuesIsNotOneForNoValue(t *testing.T) {
	for _, tool := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		for _, asked := range []struct{ has, lacks string }{
			{`{"exists":true}`, `{"exists":false}`}, {`{"is_null":false}`, `{"is_null":true}`}, {`{"not":null}`, `null`}, {`{"ne":""}`, `""`},
			{`{"is_not_empty":true}`, `{"is_not_empty":false}`}, {`{"not":{"missing":true}}`, `{"not":{"exists":true}}`},
		} {
			hint := func(condition string) string {
				args, _ := argumentsOf(`{"stream":"events","filter":{"place":` + condition + `}}`)
				return tool.Known.Hint(args)
			}
			if has, lacks := hint(asked.has), hint(asked.lacks); !strings.Contains(has, "has any value") || !strings.Contains(lacks, "has no value") {
				t.Errorf("%s: %s is %q, %s is %q", tool.Name, asked.has, has, asked.lacks, lacks)
			}
		}
	}
}

// A stream named in the filter becomes the stream of the call; no stream is guessed from the fields of the filter.
func TestAStreamInTheFilterIsUsed(t *testing.T) {
	for _, tool := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		for filter, want := range map[string]bool{`{"stream":"messages"}`: false, `{"connector":"gmail"}`: false, `{"status":"paid"}`: true} {
			args, _ := argumentsOf(`{"filter":` + filter + `}`)
			if got := tool.Known.WithoutStream(args); tool.Name == "search" && got != want {
				t.Errorf("%s: %v, want %v", filter, got, want)
			}
		}
	}
}

// Synonyms of a metric are accepted as that metric.
func TestSynonymsOfMetrics(t *testing.T) {
	for _, tool := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		for word, want := range map[string]string{"average": "avg", "mean": "avg", "maximum": "max", "unique": "count_distinct", "total": "sum", "COUNT": "count"} {
			args, _ := argumentsOf(`{"metric":"` + word + `"}`)
			if got := tool.Known.Canonical(args); tool.Name == "aggregate" && got.Get("metric") != `"`+want+`"` {
				t.Errorf("%s becomes %s, want %s", word, got.JSON(), want)
			}
		}
	}
}

// An eight-digit number is not a date, a month ends on its last day, and a time without a zone stays unchanged.
func TestDatesInOtherNotations(t *testing.T) {
	for _, tool := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		switch tool.Name {
		case "query_records":
			args, _ := argumentsOf(`{"stream":"orders","filter":{"number":{"gte":20260301}}}`)
			if call, ok := tool.Known.Rewritten(args, &rs.Error{Code: "invalid_request", Status: 400}); ok {
				t.Errorf("a number is read as a date: %s", call)
			}
			for sent, want := range map[string]string{
				`"2026-10"`:                         `{"gte":"2026-10-01","lt":"2026-11-01"}`,
				`"October 2026"`:                    `{"gte":"2026-10-01","lt":"2026-11-01"}`,
				`"2026"`:                            `{"gte":"2026-01-01","lt":"2027-01-01"}`,
				`"2026/10/05"`:                      `"2026-10-05"`,
				`{"gte":"2026-10"}`:                 `{"gte":"2026-10-01"}`,
				`{"gt":"2026-10"}`:                  `{"gte":"2026-11-01"}`,
				`{"lt":"2026-10"}`:                  `{"lt":"2026-10-01"}`,
				`20261105`:                          `"2026-11-05"`,
				`{"gte":"20261105"}`:                `{"gte":"2026-11-05"}`,
				`"20261350"`:                        ``,
				`"März 2026"`:                       `{"gte":"2026-03-01","lt":"2026-04-01"}`,
				`{"gte":"5. März 2026"}`:            `{"gte":"2026-03-05"}`,
				`{"gte":"01.03.2026"}`:              `{"gte":"2026-03-01"}`,
				`{"lt":"13/11/2026"}`:               `{"lt":"2026-11-13"}`,
				`{"lt":"11-13-2026"}`:               `{"lt":"2026-11-13"}`,
				`{"lt":"31.02.2026"}`:               ``,
				`{"lt":"03/04/2026"}`:               ``,
				`"5 de octubre de 2026"`:            `"2026-10-05"`,
				`{"gte":"2026-08","lte":"2026-10"}`: `{"gte":"2026-08-01","lt":"2026-11-01"}`,
			} {
				args, _ := argumentsOf(`{"stream":"orders","filter":{"ordered_at":` + sent + `}}`)
				call, _ := tool.Known.Rewritten(args, &rs.Error{Code: "invalid_request", Status: 400})
				if got := call.Arguments.Object("filter").Get("ordered_at"); got != want {
					t.Errorf("%s becomes %s, want %s", sent, got, want)
				}
			}
		case "search":
			for sent, want := range map[string]string{
				`{"since":"2026-02","until":"2026-02"}`: `{"since":"2026-02-01","until":"2026-02-28"}`, `{"from":"2026","to":"2026"}`: `{"since":"2026-01-01","until":"2026-12-31"}`,
				`{"since":"2026-02-03 10:00"}`: `{"since":"2026-02-03 10:00"}`, `{"since":"3 May 2026"}`: `{"since":"2026-05-03"}`,
				`{"since":"1.5.2026","until":"13.11.2026"}`: `{"since":"2026-05-01","until":"2026-11-13"}`, `{"since":"1/5/2026"}`: `{"since":"1/5/2026"}`,
				`{"q":"invoice before:2026-03-01 after:2026"}`:       `{"q":"invoice","until":"2026-02-28","since":"2026-01-01"}`,
				`{"query":"on:2026-02"}`:                             `{"since":"2026-02-01","until":"2026-02-28"}`,
				`{"q":"search","params":{"limit":3}}`:                `{"q":"search","limit":3}`,
				`{"tool":"search","params":{"limit":3}}`:             `{"limit":3}`,
				`{"q":"\"before:2026-03-01\""}`:                      `{"q":"\"before:2026-03-01\""}`,
				`{"q":"a before:2026-03-01","until":"2026-01-01"}`:   `{"q":"a before:2026-03-01","until":"2026-01-01"}`,
				`{"q":"a from:b until:2026-03-01 http://x.example"}`: `{"q":"a from:b until:2026-03-01 http://x.example"}`,
			} {
				args, _ := argumentsOf(sent)
				if got := tool.Known.Canonical(args); got.JSON() != want {
					t.Errorf("%s becomes %s, want %s", sent, got.JSON(), want)
				}
			}
		}
	}
}

// An amount as people write it becomes a number. A text that could be two numbers, or is not a number, stays unchanged.
func TestAmountsInOtherNotations(t *testing.T) {
	known := correct.ReadTool("query_records", `{"properties":{"stream":{"type":"string"},"filter":{"type":"object"}}}`)
	for sent, want := range map[string]string{
		`"£100"`: `100`, `"412,60"`: `412.60`, `"1,412.60"`: `1412.60`, `"1.412,60 €"`: `1412.60`, `"USD 1,000"`: `1000`, `"1,000 HUF"`: `1000`, `"10 eur"`: `10`, `"₹500"`: `500`, `"-5,5"`: `-5.5`,
		`"1 412,605"`: `1412.605`, `"1,412.605"`: `1412.605`, `"12,34,56"`: ``, `"ABC 100"`: ``, `"a,5"`: ``, `"100"`: ``, `"£"`: ``,
	} {
		args := rs.Object{{Name: "filter", Value: `{"total":` + sent + `}`}}
		call, _ := known.Rewritten(args, &rs.Error{Code: "invalid_request", Status: 400})
		if got := call.Arguments.Object("filter").Get("total"); got != want {
			t.Errorf("%s becomes %s, want %s", sent, got, want)
		}
	}
	for sent, want := range map[string]string{`"5 stars"`: `5`, `"1,250 steps"`: `1250`, `"5 million"`: ``, `"1kb"`: ``, `"3 kB"`: ``, `"stars"`: ``, `{"gte":"4 stars"}`: `{"gte":4}`} {
		args := rs.Object{{Name: "filter", Value: `{"total":` + sent + `}`}}
		call, _ := known.Rewritten(args, &rs.Error{Code: "invalid_request", Status: 400, Message: "is not a number"})
		if got := call.Arguments.Object("filter").Get("total"); got != want {
			t.Errorf("%s becomes %s, want %s", sent, got, want)
		}
	}
}

// A negated operator of a mail program is not searched for as a word. A time relative to now is refused, and the error names the day that
// it means.
func TestNegatedMailOperators(t *testing.T) {
	known := correct.ReadTool("search", `{"properties":{"q":{"type":"string"},"since":{"type":"string"},"until":{"type":"string"}}}`)
	for sent, want := range map[string]string{
		`invoice -from:ines`: `invoice -ines`, `-subject:"two words" a`: `a -two -words`, `subject:(a OR b)`: `a b`,
	} {
		call, _, _ := known.WithoutOperators(rs.Object{{Name: "q", Value: rs.EncodeJSON(sent)}}, nil)
		if got := call.Arguments.Text("q"); got != want {
			t.Errorf("%s becomes %s, want %s", sent, got, want)
		}
	}
	for sent, want := range map[string][2]string{
		`label:Projects kestrel -from:me`: {`kestrel`, `The call below leaves out "label:Projects", "-from:me".`},
		`kestrel from:"Grace Liu" in:a`:   {`kestrel Grace Liu`, `The call below has as words, in any field: "from:Grace Liu". The call below leaves out "in:a".`},
		`kestrel after:2026-05-01`:        {`kestrel`, ""},
	} {
		call, says, _ := known.WithoutOperators(rs.Object{{Name: "q", Value: rs.EncodeJSON(sent)}}, nil)
		if got := call.Arguments.Text("q"); got != want[0] || says != want[1] {
			t.Errorf("%s becomes %s: %s", sent, got, says)
		}
	}
	for sent, want := range map[string]string{
		`{"q":"kestrel !status"}`: `{"q":"kestrel -status"}`, `{"q":"wow! a"}`: `{"q":"wow! a"}`,
		`{"q":"a newer_than:30d"}`: `{"q":"a","since":"30d"}`, `{"q":"a older_than:1y"}`: `{"q":"a","until":"1y"}`, `{"q":"a -before:2026-01-01"}`: `{"q":"a -before:2026-01-01"}`,
	} {
		if got := known.Canonical(rs.AsObject(sent)); got.JSON() != want {
			t.Errorf("%s becomes %s, want %s", sent, got.JSON(), want)
		}
	}
}

// Times relative to today, and dates without a year, become dates; a text that could mean two days stays unchanged.
func TestTimesRelativeToToday(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC) // a Tuesday
	for sent, want := range map[string]string{
		`{"since":"yesterday"}`:                                 `{"since":"2026-11-23","until":"2026-11-23"}`,
		`{"since":"last month"}`:                                `{"since":"2026-10-01","until":"2026-10-31"}`,
		`{"since":"last month","until":"today"}`:                `{"since":"2026-10-01","until":"2026-11-24"}`,
		`{"since":"next week"}`:                                 `{"since":"2026-11-30"}`,
		`{"since":"next 7 days"}`:                               `{"since":"2026-11-24"}`,
		`{"since":"tomorrow"}`:                                  `{"since":"2026-11-25"}`,
		`{"since":"last 30 days"}`:                              `{"since":"2026-10-25"}`,
		`{"since":"last 0 days"}`:                               "",
		`{"since":"this week"}`:                                 `{"since":"2026-11-23"}`,
		`{"since":"last week"}`:                                 `{"since":"2026-11-16","until":"2026-11-22"}`,
		`{"since":"2 weeks ago"}`:                               `{"since":"2026-11-10"}`,
		`{"since":"-30d"}`:                                      `{"since":"2026-10-25"}`,
		`{"since":"12 March","until":"May"}`:                    `{"since":"2026-03-12","until":"2026-05-31"}`,
		`{"filter":{"ordered_at":"December"}}`:                  `{"filter":{"ordered_at":{"gte":"2025-12-01","lte":"2025-12-31"}}}`,
		`{"filter":{"at":{"gte":"now-7d","lt":"today"},"b":1}}`: `{"filter":{"at":{"gte":"2026-11-17","lt":"2026-11-24"},"b":1}}`,
		`{"filter":{"at":{"lte":"last year"}}}`:                 `{"filter":{"at":{"lte":"2025-12-31"}}}`,
		`{"filter":{"at":{"gt":"last year"}}}`:                  `{"filter":{"at":{"gt":"2025-12-31"}}}`,
		`{"since":"03/04/2026"}`:                                "",
		`{"since":"last year","until":"last year"}`:             `{"since":"2025-01-01","until":"2025-12-31"}`,
		`{"filter":{"at":"last year"}}`:                         `{"filter":{"at":{"gte":"2025-01-01","lte":"2025-12-31"}}}`,
		`{"since":"June","until":"March"}`:                      `{"since":"2025-06-01","until":"2026-03-31"}`,
		`{"since":"two weeks ago"}`:                             `{"since":"2026-11-10"}`,
		`{"since":"a month ago"}`:                               `{"since":"2026-10-24"}`,
		`{"since":"past two weeks"}`:                            `{"since":"2026-11-10"}`,
		`{"since":"beginning of the year"}`:                     `{"since":"2026-01-01"}`,
		`{"since":"start of this week"}`:                        `{"since":"2026-11-23"}`,
		`{"since":"after March","until":"before June"}`:         `{"since":"2026-04-01","until":"2026-05-31"}`,
		`{"filter":{"at":"between March and May 2026"}}`:        `{"filter":{"at":{"gte":"2026-03-01","lte":"2026-05-31"}}}`,
		`{"filter":{"at":"before June"}}`:                       `{"filter":{"at":{"lte":"2026-05-31"}}}`,
		`{"since":"before June"}`:                               "",
		`{"since":"enero"}`:                                     `{"since":"2026-01-01","until":"2026-01-31"}`,
		`{"since":"vor 3 Tagen"}`:                               `{"since":"2026-11-21"}`,
		`{"since":"il y a 2 semaines"}`:                         `{"since":"2026-11-10"}`,
		`{"since":"l'an dernier","until":"mi-mars"}`:            `{"since":"2025-01-01","until":"2026-03-20"}`,
		`{"since":"last Tuesday"}`:                              `{"since":"2026-11-17","until":"2026-11-17"}`,
		`{"since":"last March"}`:                                `{"since":"2026-03-01","until":"2026-03-31"}`,
		`{"since":"last weekend","until":"last weekend"}`:       `{"since":"2026-11-21","until":"2026-11-22"}`,
		`{"since":"end of last month"}`:                         `{"since":"2026-10-21"}`,
		`{"until":"letzten Monat"}`:                             `{"until":"2026-10-31","since":"2026-10-01"}`,
		`{"until":"yesterday"}`:                                 `{"until":"2026-11-23"}`,
		`{"since":"Diwali"}`:                                    "",
		`{"filter":{"candidate":"May"}}`:                        "",
		`{"filter":{"orderDate":"December"}}`:                   `{"filter":{"orderDate":{"gte":"2025-12-01","lte":"2025-12-31"}}}`,
		`{"since":"soon","filter":{"name":"Otter"}}`:            "",
		`{"since":"NOW() - INTERVAL '90 days'"}`:                `{"since":"2026-08-26"}`,
		`{"since":"now() - interval 2 week"}`:                   `{"since":"2026-11-10"}`,
		`{"since":"DATE_SUB(CURDATE(), INTERVAL 1 MONTH)"}`:     `{"since":"2026-10-24"}`,
		`{"since":"dateadd(day, -30, getdate())"}`:              `{"since":"2026-10-25"}`,
		`{"since":"date('now', '-1 month')"}`:                   `{"since":"2026-10-24"}`,
		`{"since":"datetime.now() - timedelta(days=7)"}`:        `{"since":"2026-11-17"}`,
		`{"since":"CURRENT_DATE - 30"}`:                         `{"since":"2026-10-25"}`,
		`{"since":"now()-30d"}`:                                 `{"since":"2026-10-25"}`,
		`{"since":"now() - interval '36 hours'"}`:               `{"since":"2026-11-22"}`,
		`{"since":"now() - interval '1 month 3 days'"}`:         "",
		`{"until":"now() + interval '7 days'"}`:                 `{"until":"2026-12-01"}`,
		`{"until":"in 7 days"}`:                                 `{"until":"2026-12-01"}`,
		`{"until":"2 weeks from now"}`:                          `{"until":"2026-12-08"}`,
		`{"since":"last 24 hours"}`:                             `{"since":"2026-11-23"}`,
		`{"since":"{{30_days_ago}}"}`:                           `{"since":"2026-10-25"}`,
		`{"since":"<last month>"}`:                              `{"since":"2026-10-01","until":"2026-10-31"}`,
		`{"filter":{"total":{"gt":"$2026"}}}`:                   "",
		`{"filter":{"ordered_at":">2026"}}`:                     "",
	} {
		call, ok := correct.ReadTool("search", `{"properties":{"since":{"type":"string"},"until":{"type":"string"},"filter":{"type":"object"}}}`).At(now).Relative(rs.AsObject(sent))
		if ok != (want != "") || ok && call.Arguments.JSON() != want {
			t.Errorf("%s becomes %s, want %s", sent, call.Arguments.JSON(), want)
		}
	}
}

// A condition wrapped as in other query languages is unwrapped. A condition that excludes records is never read as one that includes
// them.
func TestWrappedConditions(t *testing.T) {
	known := correct.ReadTool("query_records", `{"properties":{"stream":{"type":"string"},"filter":{"type":"object"}}}`)
	for sent, want := range map[string]string{
		`{"range":{"total":{"gte":5}}}`: `{"total":{"gte":5}}`,
		`{"bool":{"must":[{"term":{"a":1}},{"range":{"b":{"lt":2}}}],"filter":{"term":{"c":3}}}}`: `{"a":1,"b":{"lt":2},"c":3}`,
		`{"query":{"constant_score":{"filter":{"term":{"a":{"value":1}}}}}}`:                      `{"a":1}`,
		`{"where":{"a":{"_gte":1},"b":{"_eq":"x"}}}`:                                              `{"a":{"gte":1},"b":"x"}`,
		`{"range":{"gte":1}}`: `{"range":{"gte":1}}`,
		`{"filter":"x"}`:      `{"filter":"x"}`,
	} {
		args := rs.Object{{Name: "filter", Value: sent}}
		if got := known.Canonical(args); got.Get("filter") != want {
			t.Errorf("%s becomes %s, want %s", sent, got.Get("filter"), want)
		}
	}
	for _, sent := range []string{
		`{"must_not":[{"term":{"a":1}}]}`, `{"not":{"a":1}}`, `{"not":{"term":{"a":1}}}`, `{"bool":{"must_not":{"range":{"a":{"gte":1}}}}}`,
		`{"not":{"not":{"a":1}}}`, `{"not":{"bool":{"must":[{"term":{"a":1}},{"term":{"b":1}}]}}}`, `{"not":{"filter":{"a":1,"b":2}}}`,
		`{"bool":{"must":{"term":{"a":1}},"must_not":{"term":{"b":1}}}}`, `{"bool":{"should":[{"term":{"a":1}}]}}`, `{"nested":{"query":{"a":1}}}`,
	} {
		got := known.Canonical(rs.Object{{Name: "filter", Value: sent}})
		for _, m := range got.Object("filter") {
			if o := rs.AsObject(m.Value); (m.Name == "a" || m.Name == "b") && (o == nil || !o.Has("not")) && !strings.Contains(sent, `"must":{"term":{"a"`) {
				t.Errorf("%s becomes %s", sent, got.Get("filter"))
			}
		}
	}
}

// The cost of correcting arguments is bounded by their size, before lengths are checked and after a schema was read.
func TestTheCostOfCorrectionsIsBounded(t *testing.T) {
	for _, unit := range []string{"from:a ", "since:2026-01-01 "} {
		args := rs.Object{{Name: "q", Value: rs.EncodeJSON(strings.Repeat(unit, 100_000))}}
		tool := correct.ReadTool("search", `{"properties":{"q":{"type":"string"},"since":{"type":"string"},"until":{"type":"string"}}}`)
		began := time.Now()
		search := tool.Canonical(args)
		if _, _, found := tool.WithoutOperators(args, nil); found || !slices.Equal(search, args) || time.Since(began) > 20*time.Second {
			t.Errorf("%q took %s: %v, %.80s", unit, time.Since(began), found, search.JSON())
		}
	}
	var capabilities, relations strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&capabilities, `,"f%06d":"t=string,eq"`, i)
		fmt.Fprintf(&relations, `,{"name":"r%06d","stream":"x"}`, i)
	}
	body := `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[{"name":"s","field_capabilities":{` +
		capabilities.String()[1:] + `},"expand_capabilities":[` + relations.String()[1:] + `]}]}]}`
	schema := (&rs.Response{Status: 200, ContentType: "application/json", Body: body}).Schema()
	began := time.Now()
	known := fields.Read("s", schema)
	if took := time.Since(began); len(known.Fields) != 100_000 || len(known.Relations) != 100_000 || took > 20*time.Second {
		t.Errorf("%d fields and %d relations took %s", len(known.Fields), len(known.Relations), took)
	}
}

// A connector is not a connection. If it has one connection with the stream, that is meant; if the tool merges connections and no other
// connector has the stream, all of its connections are meant; otherwise a call for each is needed.
func TestAConnectorInPlaceOfAConnection(t *testing.T) {
	mail := func(id string) rs.Connection {
		return rs.Connection{ID: id, DisplayName: "Mail " + id, ConnectorKey: "gmail"}
	}
	grant := correct.Grant{Sources: []rs.GrantedStream{
		{Stream: "messages", Connection: mail("cin_1")}, {Stream: "threads", Connection: mail("cin_1")}, {Stream: "drafts", Connection: mail("cin_1")},
		{Stream: "messages", Connection: mail("cin_2")}, {Stream: "threads", Connection: mail("cin_2")},
		{Stream: "messages", Connection: rs.Connection{ID: "cin_3", ConnectorKey: "slack"}},
	}}
	const each = `"gmail" is the connector of 2 connections: cin_1 "Mail cin_1", cin_2 "Mail cin_2".`
	for _, row := range []struct {
		tool, arguments string
		one             bool // connection_id is required
		means, says     string
	}{
		{"query_records", `{"stream":"messages","connection_id":"gmail"}`, false, "", each},
		{"query_records", `{"stream":"threads","connection_id":"Gmail"}`, false, `{"stream":"threads"}`, ""},
		{"query_records", `{"stream":"threads","connection_id":"gmail"}`, true, "", each},
		{"search", `{"q":"tax","streams":["threads"],"connection_id":"gmail"}`, true, `{"q":"tax","streams":["threads"]}`, ""},
		{"search", `{"q":"tax","connection_id":"gmail"}`, false, "", each},
		{"query_records", `{"stream":"drafts","connection_id":"gmail"}`, true, `{"stream":"drafts","connection_id":"cin_1"}`, ""},
		{"fetch", `{"id":"gmail/threads:t1"}`, false, "", each},
	} {
		args := rs.AsObject(row.arguments)
		tool, means := toolNamed(t, row.tool), ""
		grant.OneConnection = row.one
		if named, ok := grant.Named(tool, args); ok {
			means = named.JSON()
		}
		if means != row.means {
			t.Errorf("%s %s means %s, want %s", row.tool, row.arguments, means, row.means)
		}
		if row.says == "" {
			continue
		}
		e := grant.Missing(tool, args)
		if e == nil || e.Code != "ambiguous_connection" || e.Message != row.says || !strings.Contains(e.Hint, "each of the 2") ||
			len(e.Connections) != 2 || !strings.Contains(e.Send, "cin_1") {
			t.Errorf("%s %s: %+v", row.tool, row.arguments, e)
		}
	}
}
