package middleware_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// refusingWords has messages, and refuses a filter whose value is no time.
func refusingWords(r rs.Request) (*rs.Response, error) {
	if r.Path == "/v1/schema" {
		return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_1"}],"streams":[` +
			`{"name":"messages","field_capabilities":{"subject":"t=text,role=primary-title,eq,lex",` +
			`"received_at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt,a=group_by_time"}}]}]}`), nil
	}
	isTime := func(value string) bool { _, err := rs.ReadTime(value); return err == nil }
	for name, values := range r.Query {
		if strings.HasPrefix(name, "filter[") && !isTime(values[0]) {
			return nil, &rs.Error{Code: "invalid_request", Status: 400, Message: "not a timestamp"}
		}
	}
	return middlewaretest.JSON(`{"object":"list","data":[{"id":"m1","stream":"messages","data":{"subject":"Tax"}}]}`), nil
}

// Relative times are those of the zone of a call, in what an answer says and in the calls that it prints.
func TestTodayInTheZoneOfTheCall(t *testing.T) {
	night := time.Date(2026, time.November, 28, 1, 44, 0, 0, time.UTC) // in the west still the 27th
	noon := time.Date(2026, time.November, 27, 12, 0, 0, 0, time.UTC)  // in the east already the 28th
	const west, east = `"time_zone":"America/Los_Angeles"`, `"time_zone":"Pacific/Kiritimati"`
	for name, row := range map[string]struct {
		tool, arguments string
		says            []string
		now             time.Time
	}{
		"a filter of records": {
			"query_records", `{"stream":"messages","filter":{"received_at":"today"},` + west + `}`,
			[]string{"Today is 2026-11-27.", `{"received_at":{"gte":"2026-11-27","lte":"2026-11-27"}}`}, night,
		},
		"a bound of a filter": {
			"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"yesterday"}},` + west + `}`,
			[]string{"Today is 2026-11-27.", `{"received_at":{"gte":"2026-11-26"}}`}, night,
		},
		"a filter of an aggregate": {
			"aggregate", `{"stream":"messages","metric":"count","group_by_time":"received_at","granularity":"hour","filter":{"received_at":"today"},` + west + `}`,
			[]string{"Today is 2026-11-27.", `{"received_at":{"gte":"2026-11-27","lte":"2026-11-27"}}`}, night,
		},
		"a period of an aggregate": {
			"aggregate", `{"stream":"messages","metric":"count","group_by_time":"received_at","granularity":"hour","date":"today",` + west + `}`,
			[]string{`"gte":"2026-11-27","lte":"2026-11-27"`}, night,
		},
		"a bound of a search": {
			"search", `{"q":"tax","since":"today",` + west + `}`, []string{"Today is 2026-11-27.", `"since":"2026-11-27"`, "!2026-11-28"}, night,
		},
		"another name of it": {"search", `{"q":"tax","date":"yesterday",` + west + `}`, []string{`"since":"2026-11-26","until":"2026-11-26"`}, night},
		"an operator":        {"search", `{"q":"tax newer:yesterday from:anna",` + west + `}`, []string{`"since":"2026-11-26"`}, night},
		"words of a query": {
			"search", `{"q":"mail of today",` + west + `}`, []string{`"since":"2026-11-27","until":"2026-11-27"`, "!2026-11-28"}, night,
		},
		"a day that is over": {"search", `{"q":"tax","since":"last Thursday",` + west + `}`, []string{`"since":"2026-11-26"`, `"until":"2026-11-26"`}, night},
		"this week":          {"search", `{"q":"mail of this week",` + west + `}`, []string{`"since":"2026-11-23","until":"2026-11-29"`}, night},
		"a day without its year": {
			"search", `{"q":"tax","since":"28 November",` + west + `}`, []string{`"since":"2025-11-28"`}, night,
		},
		"a search without words":       {"search", `{"q":"*",` + west + `}`, []string{`"since":"2026-10-27"`}, night},
		"a zone in the east":           {"search", `{"q":"mail of today",` + east + `}`, []string{`"since":"2026-11-28","until":"2026-11-28"`}, noon},
		"a filter there":               {"query_records", `{"stream":"messages","filter":{"received_at":"today"},` + east + `}`, []string{"Today is 2026-11-28."}, noon},
		"a search without words there": {"search", `{"q":"*",` + east + `}`, []string{`"since":"2026-10-28"`}, noon},
		"an offset": {
			"search", `{"q":"tax","since":"today","time_zone":"+14:00"}`, []string{`"since":"2026-11-28"`, `"time_zone":"Etc/GMT-14"`}, noon,
		},
		"a zone that is misspelled": {
			"search", `{"q":"tax","since":"today","time_zone":"Los Angeles"}`, []string{`"since":"2026-11-27"`, "!2026-11-28"}, night,
		},
		"without a zone, UTC": {
			"query_records", `{"stream":"messages","filter":{"received_at":"today"}}`,
			[]string{"Today is 2026-11-28.", `{"received_at":{"gte":"2026-11-28","lte":"2026-11-28"}}`}, night,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: refusingWords}
			handle := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: server.Source, Now: func() time.Time { return row.now }}, tools.Forward)
			reply, err := handle(as(t.Context(), "client"), callOf(t, row.tool, row.arguments))
			if err != nil {
				t.Fatal(err)
			}
			text := reply.Rendered.Text
			for _, want := range row.says {
				unwanted, isUnwanted := strings.CutPrefix(want, "!")
				if isUnwanted == strings.Contains(text, unwanted) {
					t.Errorf("%s: got\n%s", want, text)
				}
			}
		})
	}
}
