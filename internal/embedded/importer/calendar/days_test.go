package calendar

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// recordsOf reads a calendar of events, which are separated by "--".
func recordsOf(t *testing.T, events string) (all []item.Item) {
	t.Helper()
	events = strings.ReplaceAll(events, "--\n", "END:VEVENT\nBEGIN:VEVENT\n")
	file := strings.NewReader("BEGIN:VCALENDAR\nX-WR-CALNAME:Home\nBEGIN:VEVENT\n" + events + "END:VEVENT\nEND:VCALENDAR\n")
	for one, err := range NewReader(file, 2026) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// Programs name the days that are cancelled or changed in another form than that of the start.
func TestDaysAreNamedInAnyForm(t *testing.T) {
	const timed = "UID:u\nDTSTART;TZID=Europe/Berlin:20260105T100000\nRRULE:FREQ=WEEKLY;COUNT=3\n"
	const whole = "UID:u\nDTSTART;VALUE=DATE:20260105\nRRULE:FREQ=WEEKLY;COUNT=3\n"
	const changed = "--\nUID:u\nDTSTART;TZID=Europe/Berlin:20260113T100000\nRECURRENCE-ID"
	for events, want := range map[string]string{
		timed + "EXDATE;TZID=Europe/Berlin:20260112T100000\n": "05T10 19T10",
		timed + "EXDATE:20260112T090000Z\n":                   "05T10 19T10",
		timed + "EXDATE:20260112T100000\n":                    "05T10 19T10",
		timed + "EXDATE;VALUE=DATE:20260112\n":                "05T10 19T10",
		timed + "EXDATE:20260112T110000\n":                    "05T10 12T10 19T10",
		timed + "EXDATE:20260112T100000Z\n":                   "05T10 12T10 19T10",
		whole + "EXDATE;VALUE=DATE:20260112\n":                "05 19",
		whole + "EXDATE:20260112T000000\n":                    "05 19",
		whole + "EXDATE:20260112T000000Z\n":                   "05 19",
		whole + "EXDATE;TZID=Europe/Berlin:20260112T000000\n": "05 19",
		timed + changed + ";VALUE=DATE:20260112\n":            "05T10 19T10 13T10",
		timed + changed + ":20260112T100000\n":                "05T10 19T10 13T10",
		whole + changed + ":20260112T000000Z\n":               "05 19 13T10",
	} {
		var got []string
		for _, one := range recordsOf(t, events) {
			day := strings.TrimPrefix(one.String("starts_at"), "2026-01-")
			got = append(got, day[:min(len(day), len("05T10"))])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\ngot %s, want %s", events, got, want)
		}
	}
	one := recordsOf(t, timed+"EXDATE:,soon\n")[0]
	if defects, _ := one.Value("defects"); string(defects) != `["a time of EXDATE is not read: soon"]` {
		t.Errorf("got defects %s", defects)
	}
}

// The days of a series that ends in another zone than it starts last as long as the first.
func TestASeriesEndsInAnotherZone(t *testing.T) {
	for start, want := range map[string]string{
		";TZID=Europe/Berlin:20260303T100000": "2026-03-03T12:00:00-05:00 2026-03-10T13:00:00-04:00",
		":20260303T090000Z":                   "2026-03-03T12:00:00-05:00 2026-03-10T13:00:00-04:00",
	} {
		var ends []string
		for _, one := range recordsOf(t, "DTSTART"+start+"\nDTEND;TZID=America/New_York:20260303T120000\nRRULE:FREQ=WEEKLY;COUNT=2\n") {
			ends = append(ends, one.String("ends_at"))
		}
		if got := strings.Join(ends, " "); got != want {
			t.Errorf("%s: got %s", start, got)
		}
	}
}

// A calendar without a name, in the file of another, does not get its name.
func TestEachCalendarHasItsOwnName(t *testing.T) {
	const next = "END:VEVENT\nEND:VCALENDAR\nBEGIN:VCALENDAR\nBEGIN:VEVENT\n"
	all := recordsOf(t, "UID:a\nDTSTART:20260105T100000Z\n"+next+"UID:b\nDTSTART:20260105T100000Z\n")
	if len(all) != 2 || all[0].String("calendar") != "Home" || all[1].String("calendar") != "" {
		t.Errorf("got %v", all)
	}
}
