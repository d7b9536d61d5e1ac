package services_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
)

// A visited place becomes a record with its time first, coordinates in degrees, and the name and address of the place. Similar data of
// other programs is unchanged.
func TestVisitedPlaces(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{
			"a visit",
			`{"placeVisit":{"location":{"latitudeE7":506443503,"longitudeE7":-30774789,"placeId":"p","address":"Street 1","name":"Quay"},` +
				`"duration":{"endTimestamp":"2022-03-03T13:00:00Z","startTimestamp":"2022-03-03T12:00:00Z"},"centerLatE7":0}}`,
			`{"startTime":"2022-03-03T12:00:00Z","endTime":"2022-03-03T13:00:00Z","kind":"placeVisit","name":"Quay","address":"Street 1",` +
				`"latitude":50.6443503,"longitude":-3.0774789,"location.placeId":"p","centerLat":0.0000000}`,
		},
		{
			"a trip in the format before 2022",
			`{"activitySegment":{"duration":{"startTimestampMs":"1500000000000","endTimestampMs":"1500003600000"},` +
				`"startLocation":{"latitudeE7":7},"distance":5}}`,
			`{"startTime":"2017-07-14T02:40:00Z","endTime":"2017-07-14T03:40:00Z","kind":"activitySegment",` +
				`"startLocation":{"latitude":0.0000007},"distance":5}`,
		},
		{
			"a measurement", `{"latitudeE7":414216106,"accuracy":20,"timestampMs":"1486110600090"}`,
			`{"timestamp":"2017-02-03T08:30:00.09Z","latitude":41.4216106,"accuracy":20}`,
		},
		{
			"a signal", `{"wifiScan":{"deliveryTime":"2026-01-16T03:00:00Z","devicesRecords":[]}}`,
			`{"timestamp":"2026-01-16T03:00:00Z","kind":"wifiScan","devicesRecords":[]}`,
		},
		{"a repeated name", `{"placeVisit":{"location":{"name":"a"},"name":"b"}}`, `{"placeVisit":{"location":{"name":"a"},"name":"b"}}`},
		{"a word in a text", `{"text":"\"latitudeE7\":5","position":{"x":1}}`, `{"text":"\"latitudeE7\":5","position":{"x":1}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for one, err := range services.Array(strings.NewReader("["+test.text+"]"), nil) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(one.Data()))
			}
			if diff := cmp.Diff([]string{test.want}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
