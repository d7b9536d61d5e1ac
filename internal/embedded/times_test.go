package embedded

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// newVisits serves records whose times are dates, instants and local times.
func newVisits(t *testing.T) *rig {
	t.Helper()
	visits := []map[string]any{
		{"id": "a", "when": "2026-03-04T12:15:00", "starts_at": "2026-03-09", "count": nil},
		{"id": "b", "when": "2026-03-04 23:50:00", "starts_at": "2026-03-10", "count": 3},
		{"id": "c", "when": "2026-03-05T00:10:00", "starts_at": "2026-03-11", "count": 1},
		{"id": "d", "when": "2026-03-06", "starts_at": "2026-03-10T23:30:00Z"},
	}
	ofTime := []string{"group_by_time", "min", "max"}
	stream := model.Stream{Name: "visits", PrimaryKey: []string{"id"}, Fields: []model.Field{
		{Name: "id", Type: "string", Exact: true},
		{Name: "when", Type: model.LocalTime, Role: "event-time", Exact: true, Range: true, Aggregations: ofTime},
		{Name: "starts_at", Type: "timestamp", Exact: true, Range: true, Aggregations: ofTime},
		{Name: "count", Type: "integer", Exact: true, Range: true, Nullable: true},
	}}
	connectors := []model.Connector{{
		Key: "files", SourceID: "https://registry.test/connectors/files",
		Connections: []model.Connection{{ID: "cin_files", DisplayName: "Files"}}, Streams: []model.Stream{stream},
	}}
	records := func(yield func(model.Record, error) bool) {
		for _, visit := range visits {
			data, err := json.Marshal(visit)
			if !yield(model.Record{ConnectionID: "cin_files", Stream: "visits", ID: fmt.Sprint(visit["id"]), EmittedAt: testNow, Data: data}, err) {
				return
			}
		}
	}
	index, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	if err := index.Load(t.Context(), model.Corpus{Connectors: connectors, Records: records}, "visits", nil); err != nil {
		t.Fatal(err)
	}
	return newRigOver(t, index, Options{})
}

func (r *rig) ids(target string) string {
	var ids []string
	for _, one := range r.ok("tok-client", target).list("data") {
		ids = append(ids, text(one.(map[string]any)["id"])) //nolint:forcetypeassert // a record
	}
	return strings.Join(ids, "")
}

const visitsByID = "/v1/streams/visits/records?order=asc"

func TestLocalTimesAreReadAsWritten(t *testing.T) {
	r := newVisits(t)
	for filter, want := range map[string]string{
		"filter[when][gte]=2026-03-04&filter[when][lt]=2026-03-05": "ab", "filter[when]=2026-03-04T23:50:00": "b",
		"filter[when][gte]=2026-03-04T23:50:00-05:00":  "bcd", // local time in the given zone
		"filter[when][lt]=2026-03-05T00:00:00%2B09:00": "ab",
		"filter[when][lte]=2026-03-05T00:10:00Z":       "abc",
		"filter[when]=2026-03-06T00:00:00%2B02:00":     "d",
		"filter[when][gt]=2026-03-04%2012:15":          "bcd",
	} {
		if got := r.ids(visitsByID + "&" + filter); got != want {
			t.Errorf("%s: %s, want %s", filter, got, want)
		}
	}
	for granularity, want := range map[string]string{
		"day":  "2026-03-04 2, 2026-03-05 1, 2026-03-06 1",
		"hour": "2026-03-04T12:00:00-05:00 1, 2026-03-04T23:00:00-05:00 1, 2026-03-05T00:00:00-05:00 1, 2026-03-06T00:00:00-05:00 1",
	} {
		var got []string
		groups := r.ok("tok-client", "/v1/streams/visits/aggregate?metric=count&group_by_time=when&time_zone=America/New_York&granularity="+granularity)
		for i := range groups.list("groups") {
			got = append(got, fmt.Sprint(groups.at("groups", i, "key"), " ", groups.at("groups", i, "count")))
		}
		if one := strings.Join(got, ", "); one != want {
			t.Errorf("%s: %s, want %s", granularity, one, want)
		}
	}
	if got := r.ok("tok-client", "/v1/schema?view=compact").text; !strings.Contains(got, `"when":"t=local_time,role=event-time,eq,r=`) {
		t.Error(got)
	}
}

// A date among instants is within the bounds of that day in every zone.
func TestADateIsWithinItsDayInEveryZone(t *testing.T) {
	r := newVisits(t)
	for _, name := range []string{"UTC", "Europe/Vienna", "America/New_York", "Pacific/Honolulu", "Asia/Tokyo", "Asia/Kathmandu", "Pacific/Auckland",
		"Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		at := func(day int) string {
			return url.QueryEscape(time.Date(2026, time.March, day, 0, 0, 0, 0, zone).Format(time.RFC3339))
		}
		late := "" // the evening of the tenth
		if time.Date(2026, time.March, 10, 23, 30, 0, 0, time.UTC).In(zone).Day() == 10 {
			late = "d"
		}
		for filter, want := range map[string]string{
			"[gte]=" + at(10) + "&filter[starts_at][lt]=" + at(11): "b" + late,
			"[gt]=" + at(9) + "&filter[starts_at][lte]=" + at(10):  "b",
			"[lt]=" + at(10): "a", "[lte]=" + at(9): "a",
		} {
			if got := r.ids(visitsByID + "&filter[starts_at]" + filter); got != want {
				t.Errorf("%s: %s: %s, want %s", name, filter, got, want)
			}
		}
	}
}

// A date counts as midnight in the zone of the bound, so a wider bound always includes it when a narrower one does.
func TestADateCountsAsMidnight(t *testing.T) {
	r := newVisits(t)
	for bound, day := range map[string]string{"09T23:59:59": "later", "10T00:00:00": "equal", "10T00:00:01": "earlier", "10T09:00:00": "earlier", "10T23:00:00": "earlier"} {
		for _, offset := range []string{"Z", "%2B00:00", "-11:00", "%2B14:00", "%2B05:45"} {
			for operator, has := range map[string]bool{"gte": day != "earlier", "gt": day == "later", "lt": day == "earlier", "lte": day != "later"} {
				filter := "filter[starts_at][" + operator + "]=2026-03-" + bound + offset
				if got := r.ids(visitsByID + "&" + filter); strings.Contains(got, "b") != has {
					t.Errorf("%s: %s, want the day in it: %v", filter, got, has)
				}
			}
		}
	}
}

func TestRecordsWithoutAValueComeLast(t *testing.T) {
	r := newVisits(t)
	for sort, want := range map[string]string{"count": "cbad", "-count": "bcad"} {
		target, ids := "/v1/streams/visits/records?limit=1&sort="+sort, ""
		for cursor := ""; ; {
			got := r.ok("tok-client", target+cursor)
			ids += text(got.at("data", 0, "id"))
			if got.at("has_more") != true {
				break
			}
			cursor = "&cursor=" + text(got.at("next_cursor"))
		}
		if all := r.ids("/v1/streams/visits/records?sort=" + sort); ids != want || all != want {
			t.Errorf("by %s: %s in pages, %s at once, want %s", sort, ids, all, want)
		}
	}
}
