package calendar

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A few lines that recur daily do not become millions of events: beyond the limit of a file, each series has its first day, and its other
// days are reported as left out.
func TestTheSeriesOfAFileShareALimit(t *testing.T) {
	const event = "BEGIN:VEVENT\nUID:u\nDTSTART:20200101T100000Z\nRRULE:FREQ=DAILY;COUNT=4\nEND:VEVENT\n"
	file := strings.NewReader("BEGIN:VCALENDAR\n" + strings.Repeat(event, 3) + "END:VCALENDAR\n")
	r := &seriesReader{file: file, year: 2020, changed: map[string]bool{}, unfolded: maxAllDays - 6}
	var got []string
	for one, err := range r.records {
		if bad, ok := errors.AsType[item.UnusableError](err); ok {
			got = append(got, bad.Reason)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, one.ID[len("u#202001"):])
	}
	const left = " the series of the file have more than 200000 days: the later ones of this one are left out"
	want := "01T100000 02T100000 03T100000 04T100000 01T100000 02T100000" + left + " 01T100000" + left
	if joined := strings.Join(got, " "); joined != want {
		t.Errorf("got  %s\nwant %s", joined, want)
	}
}
