package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

func TestAggregate(t *testing.T) {
	r := newRig(t)
	group := func(key any, count int) any { return map[string]any{"key": key, "count": float64(count)} }
	for _, test := range []struct {
		name, token, query string
		path               string
		want               any
	}{
		{"without connection_id a count is over all connections", "tok-client", "metric=count", "value", float64(workMessages + homeMessages + 2 + chatMessages)},
		{"count of one connection", "tok-client", "metric=count&connection_id=cin_mail_home", "value", float64(homeMessages + 1)},
		{"count under a filter", "tok-client", "metric=count&filter[is_seen]=false", "value", float64(workMessages/4 + homeMessages/4)},
		{"sum stays whole", "tok-client", "metric=sum&field=size_bytes&connection_id=cin_mail_home", "value", float64(12*1000 + 66)},
		{"sum over connections", "tok-client", "metric=sum&field=size_bytes", "value", float64(12*1000 + 66 + 60*1000 + 1770)},
		{"max of a time is as in the record", "tok-client", "metric=max&field=received_at", "value", "2026-05-28T21:30:00Z"},
		{"min of a number", "tok-client", "metric=min&field=size_bytes", "value", float64(1000)},
		{"min without values is null", "tok-client", "metric=min&field=size_bytes&filter[size_bytes][gt]=99999", "value", nil},
		{"distinct values are counted once over connections", "tok-client", "metric=count_distinct&field=from_email", "value", float64(3)},
		{"the grant's time bounds the count", "tok-narrow", "metric=count", "value", float64(workMessages - 24)},
		{
			"groups are in order of frequency", "tok-client", "metric=count&group_by=is_seen&connection_id=cin_mail_work", "groups",
			[]any{group(true, 46), group(false, 15)},
		},
		{
			"groups of two connections are joined", "tok-client", "metric=count&group_by=from_email&limit=2", "groups",
			[]any{group("ada@example.com", 26), group("alan@example.com", 24)},
		},
		{
			"each item of a list counts, and an empty list counts as null", "tok-owner", "metric=count&group_by=labels&connection_id=cin_mail_work&connector_id=mail", "groups",
			[]any{group("INBOX", 60), group("ada@example.com", 20), group("alan@example.com", 20), group("grace@example.com", 20), group(nil, 1)},
		},
		{"items of lists are counted once", "tok-owner", "metric=count_distinct&field=labels&connection_id=cin_mail_work&connector_id=mail", "value", float64(4)},
		{"groups beyond the limit are counted", "tok-client", "metric=count&group_by=from_email&limit=2", "other_count", float64(24)},
		{
			"months are in order", "tok-client", "metric=count&group_by_time=received_at&granularity=month&connection_id=cin_mail_home", "groups",
			[]any{group("2026-01-01", 13)},
		},
		{
			"days are in the zone", "tok-client", "metric=count&group_by_time=received_at&granularity=day&time_zone=Asia/Tokyo&limit=3&connection_id=cin_mail_home", "groups",
			[]any{group("2026-01-01", 2), group("2026-01-04", 1), group("2026-01-06", 1)},
		},
		{
			"other_count of the rest", "tok-client", "metric=count&group_by_time=received_at&granularity=day&time_zone=Asia/Tokyo&limit=3&connection_id=cin_mail_home", "other_count",
			float64(9),
		},
		{"the zone is named", "tok-client", "metric=count&group_by_time=received_at&granularity=day", "time_zone", "UTC"},
		{"the record count follows the filter", "tok-client", "metric=sum&field=size_bytes&filter[is_seen]=false", "filtered_record_count", float64(18)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.ok(test.token, "/v1/streams/messages/aggregate?"+test.query)
			if diff := cmp.Diff(test.want, got.at(test.path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s\n%s", test.path, diff, got.text)
			}
			if _, there := got.body[test.path]; !there {
				t.Errorf("%s is missing", test.path)
			}
		})
	}
}

func TestAggregateRefusals(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, token, query, code string
		status                   int
	}{
		{"an unknown metric", "tok-client", "metric=median", "invalid_request", 400},
		{"an undeclared aggregation", "tok-client", "metric=sum&field=subject", "invalid_request", 400},
		{"a metric without its field", "tok-client", "metric=sum", "invalid_request", 400},
		{"an unknown field", "tok-client", "metric=sum&field=bogus", "unknown_field", 400},
		{"a field outside the grant", "tok-narrow", "metric=sum&field=size_bytes", "field_not_granted", 403},
		{"a group outside the grant", "tok-narrow", "metric=count&group_by=from_email", "field_not_granted", 403},
		{"time without granularity", "tok-client", "metric=count&group_by_time=received_at", "invalid_request", 400},
		{"an unknown granularity", "tok-client", "metric=count&group_by_time=received_at&granularity=decade", "invalid_request", 400},
		{"an unknown zone", "tok-client", "metric=count&group_by_time=received_at&granularity=day&time_zone=Mars/Base", "invalid_request", 400},
		{"both groups", "tok-client", "metric=count&group_by=is_seen&group_by_time=received_at&granularity=day", "invalid_request", 400},
		{"an unknown stream", "tok-narrow", "metric=count&connection_id=cin_nope", "context.instance_mismatch", 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.get(test.token, "/v1/streams/messages/aggregate?"+test.query)
			if got.status != test.status || got.code() != test.code {
				t.Errorf("status %d code %q, want %d %q", got.status, got.code(), test.status, test.code)
			}
		})
	}
}

// A field that cannot be summed is refused with its type, which says why.
func TestARefusedAggregationNamesTheTypeOfItsField(t *testing.T) {
	got := newRig(t).get("tok-client", "/v1/streams/messages/aggregate?metric=sum&field=subject").at("error", "message")
	if want := "Aggregation sum is not declared for 'subject', which is of type text"; got != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestAnInstantIsInTheSpanOfItsZone(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	instant := time.Date(2026, time.March, 1, 23, 30, 0, 0, time.UTC).In(zone) // a Monday, half past midnight
	for granularity, want := range map[string]string{
		"hour": "2026-03-02T00:00:00+01:00", "day": "2026-03-02", "week": "2026-03-02", "month": "2026-03-01", "quarter": "2026-01-01", "year": "2026-01-01",
	} {
		if got := bucketOf(instant, granularity); got != want {
			t.Errorf("%s: %s, want %s", granularity, got, want)
		}
	}
	if got := bucketOf(instant.Add(-time.Hour), "week"); got != "2026-02-23" {
		t.Errorf("the week of a Sunday is %s", got)
	}
}

// Sums of decimals with few places are exact, even if large values cancel out.
func TestSumsAreExact(t *testing.T) {
	for want, values := range map[string][]string{
		"-1.13": {"18.73", "-1234.56", "987654.32", "-986439.62"}, "0": {"0.1", "0.2", "-0.3"}, "3e-06": {"0.000001", "1e-6", "0.000001"},
		"7000": {"3500.5", "3499.5"}, "0.3000000003": {"0.1000000003", "0.2"}, "1e+300": {"1e300", "0.5"},
		"4000000000000000001": {"4000000000000000000", "1", "null"}, "1e+19": {"5000000000000000000", "5000000000000000000"},
		"-9.22337203685478e+18": {"-9223372036854775808", "0"},
	} {
		index, err := store.Open(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		connector := model.Connector{Key: "c", SourceID: "c", Connections: []model.Connection{{ID: "cin"}}, Streams: []model.Stream{{Name: "s", Fields: []model.Field{{Name: "v", Type: "number", Aggregations: []string{"sum"}}}}}}
		records := func(yield func(model.Record, error) bool) {
			for i, value := range values {
				if !yield(model.Record{ConnectionID: "cin", Stream: "s", ID: fmt.Sprint(i), Data: json.RawMessage(`{"v":` + value + `}`)}, nil) {
					return
				}
			}
		}
		if err := index.Load(t.Context(), model.Corpus{Connectors: []model.Connector{connector}, Records: records}, "1", nil); err != nil {
			t.Fatal(err)
		}
		from := store.Source{Table: index.Catalog().Tables[0], Connection: connector.Connections[0], Fields: connector.Streams[0].Fields}
		if sum, err := index.Sum(t.Context(), []store.Source{from}, "v"); err != nil || fmt.Sprint(sum) != want {
			t.Errorf("%v is %v (%v), want %s", values, sum, err, want)
		}
		_ = index.Close()
	}
}

// What connections call by one name may be of several types, whose values are not counted together.
func TestAnAggregationIsOfOneType(t *testing.T) {
	var connectors []model.Connector
	for _, kind := range []string{"boolean", "integer"} {
		connectors = append(connectors, model.Connector{
			Key: kind, SourceID: kind, Connections: []model.Connection{{ID: "cin_" + kind}},
			Streams: []model.Stream{{Name: "s", Fields: []model.Field{{Name: "done", Type: kind, Exact: true, Aggregations: []string{"group_by", "max"}}}}},
		})
	}
	records := func(yield func(model.Record, error) bool) {
		for i, value := range []string{"true", "1", "5"} {
			connection := connectors[min(i, 1)].Connections[0].ID
			if !yield(model.Record{ConnectionID: connection, Stream: "s", ID: fmt.Sprint(i), Data: json.RawMessage(`{"done":` + value + `}`)}, nil) {
				return
			}
		}
	}
	index, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	if err := index.Load(t.Context(), model.Corpus{Connectors: connectors, Records: records}, "1", nil); err != nil {
		t.Fatal(err)
	}
	r := newRigOver(t, index, Options{})
	for query, want := range map[string]string{
		"metric=count&group_by=done": `[map[count:1 key:true]] <nil>`, "metric=max&field=done": "<nil> true",
		"metric=count&group_by=done&connection_id=cin_integer": `[map[count:1 key:1] map[count:1 key:5]] <nil>`,
	} {
		got := r.ok("tok-owner", "/v1/streams/s/aggregate?"+query)
		left := got.at("meta", "warnings", 0, "code") == "connection_left_out"
		if groups := fmt.Sprint(got.at("groups"), got.at("value")); groups != want || left == strings.Contains(query, "connection_id") {
			t.Errorf("%s: %s, want %s; left out: %v", query, groups, want, left)
		}
	}
}

// A time zone changes the day of an instant, but never a date.
func TestNoZoneMovesADate(t *testing.T) {
	index, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	connectors := testConnectors()
	records := func(yield func(model.Record, error) bool) {
		for i, at := range []string{"2026-03-01", "2026-03-01T00:00:00Z", "2026-03-02T12:00:00-05:00"} {
			data, err := json.Marshal(map[string]any{"id": fmt.Sprint(i), "received_at": at})
			if !yield(model.Record{ConnectionID: "cin_mail_home", Stream: "messages", ID: fmt.Sprint(i), Data: data}, err) {
				return
			}
		}
	}
	if err := index.Load(t.Context(), model.Corpus{Connectors: connectors, Records: records}, "1", nil); err != nil {
		t.Fatal(err)
	}
	r := newRigOver(t, index, Options{})
	group := func(key any, count int) any { return map[string]any{"key": key, "count": float64(count)} }
	for granularity, want := range map[string][]any{
		"day":   {group("2026-02-28", 1), group("2026-03-01", 1), group("2026-03-02", 1)},
		"month": {group("2026-02-01", 1), group("2026-03-01", 2)},
		"hour":  {group("2026-02-28T19:00:00-05:00", 1), group("2026-03-01T00:00:00-05:00", 1), group("2026-03-02T12:00:00-05:00", 1)},
	} {
		got := r.ok("tok-owner", "/v1/streams/messages/aggregate?metric=count&group_by_time=received_at&time_zone=America/New_York&granularity="+granularity)
		if diff := cmp.Diff(want, got.at("groups")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", granularity, diff)
		}
	}
}
