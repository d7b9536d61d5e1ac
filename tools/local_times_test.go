package tools_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Local times without an offset are never moved to another day or hour by the time zone of a call.
func TestNoZoneMovesALocalTime(t *testing.T) {
	ofTime := []string{"group_by_time", "min", "max"}
	fields := []model.Field{
		{Name: "started", Type: model.LocalTime, Role: "event-time", Exact: true, Range: true, Aggregations: ofTime},
		{Name: "ended", Type: model.LocalTime, Exact: true, Range: true, Aggregations: ofTime},
		{Name: "n", Type: "integer", Exact: true, Range: true, Aggregations: []string{"sum"}},
		{Name: "text", Type: "text", Lexical: true},
	}
	var records []model.Record
	for i, at := range []string{"2026-03-04T12:15:00", "2026-03-04T23:50:00", "2026-03-05T00:10:00"} {
		begins, err := time.Parse("2006-01-02T15:04:05", at)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(map[string]any{"started": at, "ended": begins.Add(time.Hour).Format("2006-01-02T15:04:05"), "n": 1 << i, "text": "walk"})
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, model.Record{ConnectionID: "cin_a", Stream: "walks", ID: fmt.Sprint(i), EmittedAt: begins, Data: data})
	}
	server := serve(t, []model.Connector{{
		Key: "walks", SourceID: "https://registry.test/walks", Connections: []model.Connection{{ID: "cin_a", DisplayName: "Walks"}},
		Streams: []model.Stream{{Name: "walks", CursorField: "started", ConsentTimeField: "started", Fields: fields}},
	}}, records)
	ofHit := regexp.MustCompile(`(?m)^cin_a\S+ \| 2026-03-0\dT(\d\d:\d\d)`)
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Tokyo"} {
		for arguments, want := range map[string]string{
			`query_records {"stream":"walks","order":"asc","filter":{"started":"2026-03-04"}}`:                       "12:15 23:50",
			`query_records {"stream":"walks","filter":{"started":{"gte":"2026-03-04T23:50","lt":"2026-03-05"}}}`:     "23:50",
			`query_records {"stream":"walks","filter":{"started":{"gt":"2026-03-04"}}}`:                              "00:10",
			`search {"q":"walk","since":"2026-03-05","until":"2026-03-05"}`:                                          "00:10 23:50",
			`search {"since":"2026-03-04T13:30:00","until":"2026-03-05T00:00:00"}`:                                   "23:50",
			`aggregate {"stream":"walks","metric":"sum","field":"n","group_by_time":"started","granularity":"day"}`:  "3 4",
			`aggregate {"stream":"walks","metric":"sum","field":"n","group_by_time":"started","granularity":"hour"}`: "1 2 4",
			`aggregate {"stream":"walks","metric":"count","group_by_time":"started","granularity":"day"}`:            "2 1",
		} {
			name, call, _ := strings.Cut(arguments, " ")
			text, data, _ := server.call(t, toolNamed(t, name), strings.TrimSuffix(call, "}")+`,"time_zone":"`+zone+`"}`)
			var got []string
			for _, raw := range append(data.Array("data"), data.Array("groups")...) {
				one := rs.AsObject(raw)
				switch at := one.Object("data").Text("started"); {
				case at != "":
					got = append(got, at[len("2026-03-04T"):len("2026-03-04T12:15")])
				case one.Has("value"):
					got = append(got, one.Get("value"))
				default:
					got = append(got, one.Get("count"))
				}
			}
			for _, hit := range ofHit.FindAllStringSubmatch(text, -1) {
				got = append(got, hit[1])
			}
			if shown := strings.Join(got, " "); shown != want {
				t.Errorf("%s: %s: %s, want %s\n%s", zone, arguments, shown, want, text)
			}
		}
	}
}
