package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// planned is a resource server with streams of events, which may be to come, and of orders. meta is that of its searches.
func planned(hits, meta string) *middlewaretest.RS {
	const ranges = `"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt"`
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"Kalender","field_capabilities":{"starts_at":` + ranges + `,"ends_at":"t=timestamp,eq,r=gte|gt|lte|lt","title":"t=text,lex","duration_minutes":"t=integer,eq,r=gte|gt|lte|lt","seats":"t=integer,eq"}},` +
		`{"name":"trips","field_capabilities":{"started_at":` + ranges + `,"km":"t=number,eq"}},` +
		`{"name":"orders","field_capabilities":{"ordered_at":` + ranges + `,"total":"t=number,eq,r=gte|gt|lte|lt","items":"t=integer,eq"}},` +
		`{"name":"messages","field_capabilities":{"sent_at":` + ranges + `}}]}]}`
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch {
		case r.Path == "/v1/schema":
			return middlewaretest.JSON(schema), nil
		case strings.HasSuffix(r.Path, "/aggregate"):
			return middlewaretest.JSON(map[bool]string{true: `{"value":0}`, false: `{"value":2}`}[strings.Contains(meta, "past")]), nil
		case strings.HasSuffix(r.Path, "/search"):
			shown := hits
			if r.Query.Get("limit") == "1" {
				shown, _, _ = strings.Cut(hits, "},")
				shown = strings.TrimSuffix(shown, "}") + "}"
			}
			return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%t,"data":[%s],"meta":{"recall":{"partial_count":0%s}}}`, shown != hits, shown, meta)), nil
		}
		return nil, &rs.Error{Code: "not_found", Status: 404}
	}}
}

// A day or month without its year may be past or to come: both searches are proposed unless the question is about the past, or about
// records that are never of the future.
func TestATimeWithoutItsYearMayBeToCome(t *testing.T) {
	now := time.Now().UTC()
	month := now.AddDate(0, 0, -now.Day()+1).AddDate(0, 2, 0) // neither this month nor the last
	coming, last := month.Format("2006-01"), month.AddDate(-1, 0, 0).Format("2006-01")
	for q, want := range map[string][2]bool{ // the last and the coming one are proposed
		"what is on in MONTH":           {true, true},
		"Termine am 1. MONTH":           {true, true},
		"events in MONTH":               {true, true},
		"was steht im MONTH an":         {true, true},
		"what did I do in MONTH":        {true, false},
		"Was habe ich im MONTH gemacht": {true, false},
		"orders in MONTH":               {true, false},
		"what is on in MONTH 2020":      {false, false},
		"emails from Ida in MONTH":      {true, false},
		"mails de Ida en MONTH":         {true, false},
		"last order in MONTH":           {true, false},
	} {
		for _, limit := range []string{"", `,"limit":1`} {
			q := strings.ReplaceAll(q, "MONTH", month.Month().String())
			_, text := searchWith(t, tools.PlainSearch("https://rs.example"), planned("", ""), `{"q":`+rs.EncodeJSON(q)+limit+`}`)
			if got := [2]bool{strings.Contains(text, `":"`+last), strings.Contains(text, `"since":"`+coming)}; got != want {
				t.Errorf("%s%s: %v\n%s", q, limit, got, text)
			}
			_, text = searchWith(t, tools.PlainSearch("https://rs.example"), planned("", `,"past":true`), `{"q":`+rs.EncodeJSON(q)+limit+`}`)
			if strings.Contains(text, `"since":"`+coming) {
				t.Errorf("%s%s without records to come:\n%s", q, limit, text)
			}
		}
	}
}

// The year of a month is that of its hits, whatever the limit.
func TestTheYearOfAMonthDoesNotDependOnTheLimit(t *testing.T) {
	hits := hitAt("Kalender", "a", "2018-06-05") + "," + hitAt("Kalender", "b", "2019-06-05")
	for _, limit := range []int{1, 5, 20} {
		server := planned(hits, `,"preferred_time":"any June"`)
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, fmt.Sprintf(`{"q":"yoga in June","limit":%d}`, limit))
		if !strings.Contains(text, `that the query names: search {"q":"yoga","limit":`+fmt.Sprint(limit)+`,"since":"2019-06-01","until":"2019-06-30"}`) {
			t.Errorf("by %d:\n%s", limit, text)
		}
	}
}

// A day of the week that is meant in every week is neither a date nor a word to search for, and no number or newest record is of it alone.
// One beside a date belongs to it; the answer says if it is another.
func TestDaysOfTheWeek(t *testing.T) {
	const every = "No search or filter selects days of the week: the date of each record shows it."
	for q, want := range map[string][2]string{ // the call and the note
		"orders on Sundays in June 2026":        {`search {"streams":["orders"],"since":"2026-06-01","until":"2026-06-30"}`, every},
		"recurring yoga on Monday in June 2026": {`search {"q":"recurring yoga","since":"2026-06-01","until":"2026-06-30"}`, every},
		"do I usually order on Monday":          {"", every},
		"how many orders every Monday":          {`"metric":"count","group_by_time":"ordered_at","granularity":"day"}`, every},
		"last order on Mondays":                 {"", every},
		"cheapest order on Mondays":             {"", every},
		"orders on Thursday 12.11.2026":         {`search {"streams":["orders"],"since":"2026-11-12","until":"2026-11-12"}`, ""},
		"orders on Friday 12.11.2026":           {`search {"streams":["orders"],"since":"2026-11-12","until":"2026-11-12"}`, "2026-11-12 is a Thursday, not a Friday."},
		"orders on Friday 12/11/2026":           {`search {"streams":["orders"],"since":"2026-12-11","until":"2026-12-11"}`, ""},
		"orders of the first of June 2026":      {`search {"streams":["orders"],"since":"2026-06-01","until":"2026-06-01"}`, ""},
	} {
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), planned("", ""), `{"q":`+rs.EncodeJSON(q)+`}`)
		proposes := strings.Contains(text, "search {") || strings.Contains(text, "aggregate {") || strings.Contains(text, "query_records {")
		notes := strings.Contains(text, every) || strings.Contains(text, " is a ") || strings.Contains(text, "either day")
		if !strings.Contains(text, want[0]) || proposes != (want[0] != "") || !strings.Contains(text, want[1]) || notes != (want[1] != "") {
			t.Errorf("%s: want %q in\n%s", q, want, text)
		}
	}
}

// Words of a question that say nothing are not searched for in the time that it names, and the next of something is from today on.
func TestQuestionsAboutPlans(t *testing.T) {
	today := time.Now().UTC()
	tomorrow := today.AddDate(0, 0, 1).Format(time.DateOnly)
	for q, want := range map[string]string{
		"Was ist morgen los?":                 `search {"since":"DAY","until":"DAY"}`,
		"was mache ich morgen":                `search {"since":"DAY","until":"DAY"}`,
		"what is on tomorrow evening":         `search {"since":"DAY","until":"DAY"}`,
		"qu'est-ce que j'ai demain soir":      `search {"since":"DAY","until":"DAY"}`,
		"¿qué tengo mañana?":                  `search {"since":"DAY","until":"DAY"}`,
		"cosa ho domani":                      `search {"since":"DAY","until":"DAY"}`,
		"wat staat er overmorgen op":          `search {"since":"` + today.AddDate(0, 0, 2).Format(time.DateOnly),
		"Termine morgen":                      `search {"streams":["Kalender"],"since":"DAY","until":"DAY"}`,
		"a meeting with Owen tomorrow":        `search {"q":"Owen","streams":["Kalender"],"since":"DAY","until":"DAY"}`,
		"the meeting room tomorrow":           `search {"q":"room","since":"DAY","until":"DAY"}`,
		"the next meeting with Marcus":        `search {"q":"Marcus","streams":["Kalender"],"since":"` + today.Format(time.DateOnly) + `"}`,
		"wann ist mein nächstes Yoga?":        `search {"q":"Yoga","since":"` + today.Format(time.DateOnly) + `"}`,
		"who sat next to Marcus":              "",
		"the longest appointment this year":   `by duration_minutes: query_records {"stream":"Kalender","sort":"-duration_minutes","limit":1,"filter":{"starts_at":{`,
		"cheapest order":                      `The smallest of that stream by total: query_records {"stream":"orders","sort":"total","limit":1}`,
		"das teuerste order in 2025":          `"sort":"-total","limit":1,"filter":{"ordered_at":{"gte":"2025-01-01","lte":"2025-12-31"}}}`,
		"la order más cara":                   `The largest of that stream by total: query_records {"stream":"orders","sort":"-total","limit":1}`,
		"orders over 100 pounds in June 2026": `query_records {"stream":"orders","filter":{"total":{"gt":100},"ordered_at":{"gte":"2026-06-01","lte":"2026-06-30"}}}`,
		"order über 100 Pfund im Juni 2026":   `query_records {"stream":"orders","filter":{"total":{"gt":100},"ordered_at":{"gte":"2026-06-01","lte":"2026-06-30"}}}`,
		"orders larger than 900 bytes":        "", // of no amount of money
		"orders above 20.50":                  `query_records {"stream":"orders","filter":{"total":{"gt":20.50}}}`,
		"orders under £20.50":                 `query_records {"stream":"orders","filter":{"total":{"lt":20.50}}}`,
		"orders mehr als 50 EUR":              `query_records {"stream":"orders","filter":{"total":{"gt":50}}}`,
		"orders over 3 weeks":                 "",
		"cheapest order over £20":             `"sort":"total","limit":1,"filter":{"total":{"gt":20}}}`,
		"cheapest order from Towpath":         "",
		"longest trip":                        "", // nothing sorts by its number
	} {
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), planned("", ""), `{"q":`+rs.EncodeJSON(q)+`}`)
		want = strings.ReplaceAll(want, "DAY", tomorrow)
		if proposes := strings.Contains(text, `search {`) || strings.Contains(text, "query_records {"); proposes != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s:\n%s", q, text)
		}
	}
}
