package foreign_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
)

// Conditions in text are read in the notation of common query languages. If a text has contradictory conditions on a field, or parts that
// are not understood, no call is proposed.
func TestFiltersInTexts(t *testing.T) {
	for filter, want := range map[string]string{
		`total > 50 and total < 10`:                                        "",
		`total > 50 total < 90`:                                            "",
		`status = 'paid' and (total > 50 and total <= 90)`:                 `{"status":"paid","total":{"gt":50,"lte":90}}`,
		`merchant = 'O''Brien, Sons' AND total BETWEEN 90 AND 50`:          `{"merchant":"O'Brien, Sons","total":{"gte":50,"lte":90}}`,
		`total gt 100 and status eq 'paid'`:                                `{"total":{"gt":100},"status":"paid"}`,
		`ordered_at ge datetime'2026-01-01T00:00:00Z'`:                     `{"ordered_at":{"gte":"2026-01-01T00:00:00Z"}}`,
		`status:paid total:[10 TO 20]`:                                     `{"status":"paid","total":{"gte":10,"lte":20}}`,
		`status:paid AND total:>10 AND ordered_at:[2026-01-01 TO *]`:       `{"status":"paid","total":{"gt":10},"ordered_at":{"gte":"2026-01-01"}}`,
		`total:{10 TO 20}`:                                                 `{"total":{"gt":10,"lt":20}}`,
		`total:[10 TO 20}`:                                                 `{"total":{"gte":10,"lt":20}}`,
		`AND({status} = 'paid', {total} > 10)`:                             `{"status":"paid","total":{"gt":10}}`,
		`status = in transit and total > 5`:                                `{"status":"in transit","total":{"gt":5}}`,
		`NOT total > 5`:                                                    `{"total":{"lte":5}}`,
		`not (total < 5 or total > 9)`:                                     `{"total":{"gte":5,"lte":9}}`,
		`is_seen = false && size >= 10`:                                    `{"is_seen":false,"size":{"gte":10}}`,
		"`status` = \"paid\" and lower(merchant) = 'otter'":                `{"status":"paid","merchant":"otter"}`,
		`date(ordered_at) = '2026-03-01'`:                                  `{"ordered_at":"2026-03-01"}`,
		`contains(merchant, 'otter') and total > 5`:                        `{"total":{"gt":5}}`,
		`merchant.str.contains('otter') & (total > 5)`:                     `{"total":{"gt":5}}`,
		`status.isin(['paid', 'open'])`:                                    `{"status":"paid"}`,
		`total.between(10, 20) & ~(item_count > 3)`:                        `{"total":{"gte":10,"lte":20},"item_count":{"lte":3}}`,
		`IS_AFTER({ordered_at}, '2026-03-01')`:                             `{"ordered_at":{"gt":"2026-03-01"}}`,
		`df['total'] > 50`:                                                 `{"total":{"gt":50}}`,
		`(df["status"] == "paid") & (df.total >= 5)`:                       `{"status":"paid","total":{"gte":5}}`,
		`total.round(2) > 5`:                                               "",
		`merchant = none and total > 5`:                                    `{"total":{"gt":5}}`,
		`merchant:* AND total:>5`:                                          `{"total":{"gt":5}}`,
		`merchant:ott* AND total:> 5`:                                      `{"total":{"gt":5}}`,
		`OR(total > 5, status = 'paid')`:                                   `{"total":{"gt":5}}`,
		`total is at least 5 and merchant is not null`:                     `{"total":{"gte":5}}`,
		`merchant is null and total not  in (5)`:                           "",
		`sender from Anna`:                                                 "",
		`total not between 5 and 9`:                                        `{"total":{"lt":5}}`,
		`total not between [5 TO 9]`:                                       `{"total":{"lt":5}}`,
		`total != [5 TO 9]`:                                                `{"total":{"lt":5}}`,
		`total in [5 TO 9]`:                                                `{"total":{"gte":5,"lte":9}}`,
		`total > [5 TO 9]`:                                                 "",
		`total is not null [5 TO 9]`:                                       "",
		`status in paid, sent`:                                             `{"status":"paid"}`,
		`status in ()`:                                                     "",
		`status = paid order by total limit 3`:                             "",
		`ordered_at > NOW() - INTERVAL '7 days' and total > 5`:             `{"ordered_at":{"gte":"NOW() - INTERVAL '7 days'"},"total":{"gt":5}}`,
		`ordered_at between date_sub(now(), interval 1 month) and now()`:   `{"ordered_at":{"gte":"date_sub(now(), interval 1 month)","lte":"now()"}}`,
		`ordered_at >= CURRENT_DATE - 30`:                                  `{"ordered_at":{"gte":"CURRENT_DATE - 30"}}`,
		`total > round(5)`:                                                 "",
		`total > 5 limit 3`:                                                "",
		`contains(merchant)`:                                               "",
		`status = 'paid`:                                                   "",
		`(status = 'paid'`:                                                 "",
		`total > `:                                                         "",
		`total > 5 and`:                                                    "",
		`total > (select avg(total) from orders)`:                          "",
		`100 < total`:                                                      "",
		`status = paid and merchant = Marks & Spencer`:                     "",
		strings.Repeat("(", 5000) + `a=1` + strings.Repeat(")", 5000):      "",
		strings.TrimSuffix(strings.Repeat("a = 1 and ", 400), " and "):     "",
		strings.TrimSuffix(strings.Repeat("(a=1 or b=2) and ", 9), "and "): "",
	} {
		p, ok := foreign.Read(rs.EncodeJSON(filter), "orders")
		if got := p.Filter.JSON(); ok != (want != "") || ok && got != want {
			t.Errorf("%.60s is read as %s (%v); want %q", filter, got, ok, want)
		}
	}
}

// For a filter in JSON of other languages: what one call can ask, and what has to be asked separately.
func TestFiltersInJSON(t *testing.T) {
	for filter, want := range map[string]string{
		`{"or":{"a":1,"b":2}}`:                        `{"a":1} of 2`,
		`{"a":{"in":[1,2]},"b":[3,4]}`:                `{"a":1,"b":3} of 4`,
		`{"a":{"in":["2026-05-01","2026-06-01"]}}`:    `{"a":"2026-05-01"} of 2`,
		`{"a":["2026-05-01","2026-06-01"]}`:           `{"a":{"gte":"2026-05-01","lte":"2026-06-01"}} of 1`,
		`{"not":{"and":[{"a":1},{"b":{"gt":2}}]}}`:    "",
		`{"not":[{"a":{"gt":1}},{"b":{"gt":2}}]}`:     `{"a":{"lte":1},"b":{"lte":2}} of 1`,
		`{"a":{"not":{"not":{"gt":1}}}}`:              `{"a":{"gt":1}} of 1`,
		`{"a":{"NotIn":[1]}}`:                         `{} without a: [1] of 1`,
		`{"a":null}`:                                  `{} without a: null of 1`,
		`{"a":{ }}`:                                   `{} without a: null of 1`,
		`{"a":[ ]}`:                                   `{} without a: null of 1`,
		`{"a":{"isNull":false}}`:                      `{} without a: any of 1`,
		`{"a":{"contains":"x"},"b":1}`:                `{"b":1} with a: "x" of 1`,
		`{"a":{"contains":"x"},"b":{"contains":"y"}}`: "",
		`{"rules":[{"field":"a","operator":">","value":1},{"field":"b","value":2}],"combinator":"and"}`: `{"a":{"gt":1},"b":2} of 1`,
		`{"data":{"attributes":{"a":1}}}`:                          `{"a":1} of 1`,
		`"{\"a\":{\"gte\":1}}"`:                                    `{"a":{"gte":1}} of 1`,
		`{"a":{"between":"1 and 5"}}`:                              `{"a":{"gte":1,"lte":5}} of 1`,
		`{"a":{"between":{"gte":1,"lte":5}}}`:                      `{"a":{"gte":1,"lte":5}} of 1`,
		`{"a":{"in":"x,y"}}`:                                       `{"a":"x"} of 2`,
		`{"a":[{"gt":1},{"lt":5}]}`:                                `{"a":{"gt":1,"lt":5}} of 1`,
		`{"a":{"gt":1,"options":"i"},"boost":2}`:                   `{"a":{"gt":1}} of 1`,
		`{"a":1,"and":[{"a":2}]}`:                                  "",
		`{"a":"> 5 and below 9"}`:                                  `{"a":{"gt":5,"lt":9}} of 1`,
		`{"a":"> 9 or at most 5"}`:                                 `{"a":{"gt":9}} of 2`,
		`{"a":{"unknown":1}}`:                                      "",
		`{"a":{}}`:                                                 "{} without a: null of 1",
		`{"a":{"room":{"label":"x"}}}`:                             "",
		`{"a":{"grater_than":"x"}}`:                                "",
		`{"a":{"eqals":"x"}}`:                                      "",
		`{"$expr":{"$gt":["$a",1]}}`:                               `{"a":{"gt":1}} of 1`,
		`{"$expr":{"$gt":["$a","$b"]}}`:                            "",
		`{"$expr":{"$and":[{"$gt":["$a",1]},{"$eq":["$b","x"]}]}}`: `{"a":{"gt":1},"b":"x"} of 1`,
		`{"and":[{">":[{"var":"a"},1]},{"==":[{"var":"b"},"x"]}]}`: `{"a":{"gt":1},"b":"x"} of 1`,
		`{">":[{"var":"a"},{"var":"b"}]}`:                          "",
		`{"in":[{"var":"a"},["x","y"]]}`:                           `{"a":"x"} of 2`,
		`{"a":"≥5","b":{"≤":9}}`:                                   `{"a":{"gte":5},"b":{"lte":9}} of 1`,
		`{"a":"at least 5"}`:                                       `{"a":{"gte":5}} of 1`,
		`{"a":"more than 50 EUR"}`:                                 `{"a":{"gt":"50 EUR"}} of 1`,
		`{"a":"above the line"}`:                                   `{"a":"above the line"} of 1`,
		`{"a":"eq.paid","b":"gte.50","c":"is.gd"}`:                 `{"a":"paid","b":{"gte":50},"c":"is.gd"} of 1`,
		`{"a":{"ne":"x"},"b":{"ne":"y"},"c":1}`:                    `{"c":1} without a: "x" nor b of 1`,
		`{"and":[{"a":{"ne":"x"}},{"a":{"ne":"y"}}]}`:              `{} without a: "x" of 1`,
		`{"a":{"ne":"x"},"b":{"exists":false}}`:                    "",
	} {
		p, ok := foreign.Read(filter, "")
		got := ""
		if ok {
			got = p.Filter.JSON()
			if p.Excluded != nil {
				got += " without " + p.Excluded.Name + ": " + p.Excluded.Value
				if p.Others != nil {
					got += " nor " + strings.Join(p.Others, ", ")
				}
			}
			if p.Sought != nil {
				got += " with " + p.Sought.Name + ": " + p.Sought.Value
			}
			got += " of " + strconv.Itoa(p.Calls)
		}
		if got != want {
			t.Errorf("%s is read as %q, want %q", filter, got, want)
		}
	}
}

// For any filter, the result is valid JSON, and a filter in our own form is unchanged.
func FuzzRead(f *testing.F) {
	for _, filter := range []string{
		`{"and":[{"a":1},{"or":[{"b":{"in":[1,2]}},{"c":null}]}]}`, `[["a",">",1],"or",["b","<",2]]`, `{"bool":{"must_not":{"term":{"a":1}}}}`,
		`"a > 1 and not (b in ('x', 'y') or c between 1 and 2)"`, `"AND({a} = 'x', {b} >= 2)"`, `"a:[1 TO *] -b:\"x y\""`, `"a is not null and b at least 5"`,
		`{"a__not__in":[1],"b[gte]":2,"c":">= 5 and < 9"}`, `{"property":"a","number":{"greater_than":5}}`,
	} {
		f.Add(filter)
	}
	f.Fuzz(func(t *testing.T, filter string) {
		if !json.Valid([]byte(filter)) {
			return
		}
		p, ok := foreign.Read(filter, "orders")
		if !ok {
			return
		}
		own := p.Filter.JSON()
		if !json.Valid([]byte(own)) || p.Calls < 1 {
			t.Fatalf("%s is read as %s in %d calls", filter, own, p.Calls)
		}
		if once := foreign.Canonical(own); foreign.Canonical(once) != once {
			t.Errorf("%s becomes %s, and that %s", own, once, foreign.Canonical(once))
		}
	})
}

// A value with a word that negates another value, or with a bound before it, does not mean that value.
func TestDenies(t *testing.T) {
	for value, denies := range map[string]bool{
		"not delivered": true, "<> 'delivered'": true, "~delivered": true, "undelivered": true, "other than delivered": true,
		"except delivered": true, "anything but delivered": true, "nicht delivered": true, "non-delivered": true,
		"delivred": false, "was delivered": false, "Delivered": false,
	} {
		if foreign.Denies(value, "delivered") != denies {
			t.Errorf("%q denies delivered: %t", value, !denies)
		}
	}
}

// A time word before or after a name becomes a bound on the remaining name.
func TestBoundIn(t *testing.T) {
	for name, want := range map[string][2]string{
		"modified_after": {"modified", "gt"}, "lastUpdatedSince": {"last_updated", "gte"}, "order_date_gte": {"order_date", "gte"},
		"before_sent": {"sent", "lt"}, "ordered_until": {"ordered", "lte"}, "after": {}, "start_time": {}, "aftermath_day": {},
	} {
		if rest, operator := foreign.BoundIn(name); rest != want[0] || operator != want[1] {
			t.Errorf("%s: %q %q; want %q", name, rest, operator, want)
		}
	}
}

// An operator within a quoted phrase is part of the phrase and does not hide other operators.
func TestOperatorsOfAQuery(t *testing.T) {
	for q, want := range map[string]string{
		`from:anna budget`:                    `[{from anna false}] budget`,
		`"re: from:bob" from:anna budget`:     `[{from anna false}] "re: from:bob" budget`,
		`"from:bob"`:                          `[] "from:bob"`,
		`-in:spam subject:"the plan" "to:me"`: `[{in spam true} {subject the plan false}] "to:me"`,
	} {
		found, words := foreign.QueryOperators(q)
		if got := fmt.Sprint(found, " ", words); got != want {
			t.Errorf("%s is %s, want %s", q, got, want)
		}
	}
}
