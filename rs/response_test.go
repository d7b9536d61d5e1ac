package rs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The rows of a list of streams are parsed once, because the answer is cached for its grant and serves many calls.
func TestTheRowsOfAListOfStreamsAreReadOnce(t *testing.T) {
	response, err := rs.ReadResponse(`{"data":[{"name":"a","connection_id":"c","record_count":3,"last_updated":"2026-01-01","freshness":{"status":"current","captured_at":"2026-01-02"}},{"stream":"b"},
		{"name":"c","record_count":0,"freshness":{"captured_at":"2026-01-02"}},{"name":"d","record_count":-1,"freshness":{"captured_at":"2026-01-02","last_attempted_at":"2026-01-03"}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []rs.ListedStream{
		{Name: "a", Connection: "c", Records: 3, Updated: "2026-01-01", Status: "current", SyncedAt: "2026-01-02"}, {Name: "b", Records: -1},
		{Name: "c"}, {Name: "d", Records: -1, SyncedAt: "2026-01-02"},
	}
	if diff := cmp.Diff(want, response.ListedStreams()); diff != "" {
		t.Error(diff)
	}
	if got := testing.AllocsPerRun(10, func() { response.ListedStreams() }); got > 0 {
		t.Errorf("%.0f allocations", got)
	}
	if got := response.WithBody(`{"data":[]}`).ListedStreams(); len(got) > 0 {
		t.Error(got)
	}
	if got := (*rs.Response)(nil).ListedStreams(); got != nil {
		t.Error(got)
	}
}
