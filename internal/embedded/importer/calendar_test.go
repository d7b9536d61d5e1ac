package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// calendarOf returns an iCalendar file with these lines in it.
func calendarOf(lines ...string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VCALENDAR\r\n"
}

func eventOf(lines ...string) string {
	return calendarOf("BEGIN:VEVENT", strings.Join(lines, "\r\n"), "END:VEVENT")
}

const outlookZone = "BEGIN:VTIMEZONE\r\nTZID:W. Europe Standard Time\r\n" +
	"BEGIN:STANDARD\r\nDTSTART:16010101T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\n" +
	"BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n"

func TestEventsAreReadAsPeopleSeeThem(t *testing.T) {
	tests := []struct {
		name, text string
		want       map[string]any
	}{
		{
			"an event in UTC", eventOf("UID:a@x", "DTSTART:20260701T090000Z", "DTEND:20260701T100000Z", "SUMMARY:Dentist", "LOCATION:High Street"),
			map[string]any{"id": "a@x", "summary": "Dentist", "starts_at": "2026-07-01T09:00:00Z", "ends_at": "2026-07-01T10:00:00Z", "all_day": false, "location": "High Street"},
		},
		{
			"folded lines and escapes", eventOf("UID:a", "DTSTART:20260701T090000Z", "SUMMARY:Tea\\, ca", " ke\\; an", "\td", "DESCRIPTION:one\\ntwo \\\\ three"),
			map[string]any{"summary": "Tea, cake; and", "description": "one\ntwo \\ three"},
		},
		{"an IANA zone", eventOf("DTSTART;TZID=Europe/Berlin:20260701T090000", "SUMMARY:x"), map[string]any{"starts_at": "2026-07-01T09:00:00+02:00", "time_zone": "Europe/Berlin"}},
		{"a zone under a vendor's name", eventOf("DTSTART;TZID=/mozilla.org/20050126_1/America/New_York:20260101T090000"), map[string]any{"starts_at": "2026-01-01T09:00:00-05:00"}},
		{
			"a zone that the file defines, in summer", calendarOf(outlookZone+"BEGIN:VEVENT", `DTSTART;TZID="W. Europe Standard Time":20260701T090000`, "END:VEVENT"),
			map[string]any{"starts_at": "2026-07-01T09:00:00+02:00", "time_zone": "W. Europe Standard Time", "defects": nil},
		},
		{
			"a zone that the file defines, in winter", calendarOf(outlookZone+"BEGIN:VEVENT", `DTSTART;TZID=W. Europe Standard Time:20260101T090000`, "END:VEVENT"),
			map[string]any{"starts_at": "2026-01-01T09:00:00+01:00"},
		},
		{
			"a zone of Windows that the file does not define", eventOf("DTSTART;TZID=W. Europe Standard Time:20260701T090000"),
			map[string]any{"starts_at": "2026-07-01T09:00:00+02:00", "time_zone": "W. Europe Standard Time", "defects": nil},
		},
		{"a part of a zone of Windows", eventOf("DTSTART;TZID=Standard Time:20260101T090000"), map[string]any{"starts_at": "2026-01-01T09:00:00"}},
		{"an unknown zone", eventOf("DTSTART;TZID=Mars/Olympus:20260101T090000"), map[string]any{"starts_at": "2026-01-01T09:00:00", "defects": []any{"unknown time zone Mars/Olympus"}}},
		{"a local time", eventOf("DTSTART:20260101T090000"), map[string]any{"starts_at": "2026-01-01T09:00:00", "time_zone": nil}},
		{"a whole day", eventOf("DTSTART;VALUE=DATE:20260101", "DTEND;VALUE=DATE:20260102"), map[string]any{"starts_at": "2026-01-01", "ends_at": "2026-01-02", "all_day": true}},
		{"a day without an end", eventOf("DTSTART;VALUE=DATE:20261231"), map[string]any{"starts_at": "2026-12-31", "ends_at": "2027-01-01"}},
		{"a moment without an end", eventOf("DTSTART;TZID=Europe/Berlin:20260701T090000"), map[string]any{"ends_at": "2026-07-01T09:00:00+02:00"}},
		{"a series of days without an end", eventOf("DTSTART:20260519", "RRULE:FREQ=YEARLY;COUNT=1"), map[string]any{"starts_at": "2026-05-19", "ends_at": "2026-05-20"}},
		{"an end that cannot be read", eventOf("DTSTART:20260519", "DTEND:later"), map[string]any{"ends_at": nil}},
		{"a duration", eventOf("DTSTART:20260101T233000Z", "DURATION:P1DT1H30M"), map[string]any{"ends_at": "2026-01-03T01:00:00Z"}},
		{"an invalid duration", eventOf("DTSTART:20260101T233000Z", "DURATION:long"), map[string]any{"ends_at": nil}},
		{
			"people", eventOf("DTSTART:20260101", `ORGANIZER;CN="Lind, Nora":mailto:nora@x`, "ATTENDEE;CN=Bo;PARTSTAT=ACCEPTED:MAILTO:bo@x", "ATTENDEE:mailto:cy@x", "ATTENDEE;PARTSTAT=declined;CN=Di:mailto:di@x", "ATTENDEE;PARTSTAT=TENTATIVE:mailto:ed@x"),
			map[string]any{"organizer": "Lind, Nora <nora@x>", "attendees": []any{"Bo <bo@x>", "cy@x", "Di <di@x>", "ed@x"}, "declined": []any{"Di <di@x>"}, "tentative": []any{"ed@x"}},
		},
		{
			"a series, its categories and its calendar", "BEGIN:VCALENDAR\nX-WR-CALNAME:Home\nBEGIN:VEVENT\nDTSTART:20260101\nRRULE:FREQ=HOURLY;COUNT=3\nCATEGORIES:a,b\nCATEGORIES:c\nSTATUS:CONFIRMED\nEND:VEVENT\nEND:VCALENDAR\n",
			map[string]any{"recurrence": "FREQ=HOURLY;COUNT=3", "defects": []any{"how it recurs is not read"}, "categories": []any{"a", "b", "c"}, "status": "confirmed", "calendar": "Home"},
		},
		{"an alarm is not a part of the event", eventOf("DTSTART:20260101", "SUMMARY:x", "BEGIN:VALARM", "SUMMARY:wake up", "END:VALARM"), map[string]any{"summary": "x"}},
		{"a line that is not a property", eventOf("DTSTART:20260101", "nonsense", "SUMMARY:x"), map[string]any{"summary": "x", "defects": []any{"line 5: not a property: nonsense"}}},
		{"Latin-1", eventOf("DTSTART:20260101", "SUMMARY:caf\xe9"), map[string]any{"summary": "café"}},
		{"a line of a megabyte", eventOf("DTSTART:20260101", "SUMMARY:"+strings.Repeat("x", 1<<20)), map[string]any{"summary": strings.Repeat("x", 1<<20)}},
		{"lower case", "begin:vcalendar\nbegin:vevent\ndtstart:20260101\nsummary:x\nend:vevent\nend:vcalendar", map[string]any{"summary": "x"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, skips := loaded(t, "c.ics", test.text)
			if len(skips) > 0 || len(records["c"]) != 1 {
				t.Fatalf("%d events, skips %v", len(records["c"]), skips)
			}
			for name, want := range test.want {
				if diff := cmp.Diff(want, records["c"][0][name]); diff != "" {
					t.Errorf("%s (-want +got)\n%s", name, diff)
				}
			}
		})
	}
}

func TestACalendarHasEachEventOnce(t *testing.T) {
	const one = "BEGIN:VEVENT\r\nUID:a\r\nDTSTART:20260101\r\nEND:VEVENT\r\n"
	tests := []struct {
		name, text string
		ids        []string
		skips      []Skip
	}{
		{"a changed day of a series", calendarOf(one+"BEGIN:VEVENT", "UID:a", "RECURRENCE-ID:20260108", "DTSTART:20260109", "END:VEVENT"), []string{"a", "a#20260108"}, nil},
		{"an event twice", calendarOf(one + strings.TrimSpace(one)), []string{"a"}, []Skip{{"c.ics", 7, "the same as at line 3"}}},
		{"two events of one id", calendarOf(one+"BEGIN:VEVENT", "UID:a", "DTSTART:20260102", "END:VEVENT"), []string{"a", "a-2"}, nil},
		{"two calendars in a file", calendarOf(strings.TrimSpace(one)) + calendarOf("BEGIN:VEVENT", "UID:b", "DTSTART:20260101", "END:VEVENT"), []string{"a", "b"}, nil},
		{"something else", calendarOf("BEGIN:VTODO", "UID:t", "END:VTODO", strings.TrimSpace(one)), []string{"a"}, []Skip{{"c.ics", 3, "a VTODO: only events are loaded"}}},
		{"an event without a start", calendarOf("BEGIN:VEVENT", "UID:n", "END:VEVENT", strings.TrimSpace(one)), []string{"a"}, []Skip{{"c.ics", 3, "an event without a start that can be read"}}},
		{"an event that does not end before the next", calendarOf("BEGIN:VEVENT", "UID:n", strings.TrimSpace(one)), []string{"a"}, []Skip{{"c.ics", 3, "the VEVENT does not end"}}},
		{"a file that is cut off", "BEGIN:VCALENDAR\n" + one + "BEGIN:VEVENT\nUID:b\nDTSTA", []string{"a"}, []Skip{{"c.ics", 6, "the VEVENT does not end"}}},
		{"binary garbage", "\x01\x02\xff", nil, []Skip{{"c.ics", 0, "not a calendar: it does not begin with BEGIN:VCALENDAR"}}},
		{"nothing", "", nil, []Skip{{"c.ics", 0, model.NoRecord}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, skips := loaded(t, "c.ics", test.text)
			if diff := cmp.Diff(test.skips, skips); diff != "" {
				t.Errorf("skips (-want +got)\n%s", diff)
			}
			var ids []string
			for _, event := range records["c"] {
				ids = append(ids, event["id"].(string))
			}
			if diff := cmp.Diff(test.ids, ids); diff != "" {
				t.Errorf("ids (-want +got)\n%s", diff)
			}
		})
	}
}

// FuzzICS checks that the reader accepts any bytes, returns valid records, returns the same records when it reads again, and that every
// component is a record, is skipped or is inside another one.
func FuzzICS(f *testing.F) {
	f.Add([]byte(calendarOf(outlookZone+"BEGIN:VEVENT", "UID:a", "DTSTART;TZID=W. Europe Standard Time:20260101T090000", "DURATION:P1W", "END:VEVENT")))
	f.Add([]byte(eventOf("DTSTART:20260101", "BEGIN:VALARM", "END:VALARM", "SUMMARY;X=\"a:b\":c", " d")))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nBEGIN:VEVENT\nDTSTART:20260101\nEND:VEVENT\nBEGIN:VTODO\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		count := scanned(t, fileStream{stream: "c", format: formatCalendar, idField: "id"}, text)
		plain := !bytes.ContainsAny(text, "\r;\"\x00") && bytes.HasPrefix(text, []byte("BEGIN:VCALENDAR\n")) && !bytes.Contains(text, []byte("\n "))
		if begun := bytes.Count(text, []byte("\nBEGIN:VEVENT\n")); plain && count == 0 && begun > 0 && !bytes.Contains(text, []byte("VTIMEZONE")) {
			t.Errorf("%d events begin, and are not reported: %q", begun, text)
		}
	})
}

// Each day of a series is an event with the id of the series, for the years of the file and up to the year after the one in which it is
// read. Days that were excluded or moved do not occur twice.
func TestARecurringEventIsExpanded(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  string // ids and starts
		skips int
	}{
		{"weekly over a change of the clock", []string{"DTSTART;TZID=Europe/Berlin:20260318T090000", "RRULE:FREQ=WEEKLY;COUNT=3"},
			"a#20260318T090000 2026-03-18T09:00:00+01:00 a#20260325T090000 2026-03-25T09:00:00+01:00 a#20260401T090000 2026-04-01T09:00:00+02:00", 0},
		{"an end in UTC and days left out", []string{"DTSTART;TZID=Europe/Berlin:20260701T000000", "RRULE:FREQ=DAILY;UNTIL=20260703T220000Z", "EXDATE;TZID=Europe/Berlin:20260702T000000", "EXDATE:20260702T220000Z"},
			"a#20260701T000000 2026-07-01T00:00:00+02:00 a#20260704T000000 2026-07-04T00:00:00+02:00", 0},
		{"a birthday with two days", []string{"DTSTART;VALUE=DATE:20260229", "DTSTART;VALUE=DATE:20240229", "RRULE:FREQ=YEARLY"}, "", 1},
		{"whole days with further ones", []string{"DTSTART;VALUE=DATE:20260105", "RRULE:FREQ=YEARLY;UNTIL=20270105", "RDATE;VALUE=DATE:20260501,20260105"},
			"a#20260105 2026-01-05 a#20270105 2027-01-05 a#20260501 2026-05-01", 0},
		{"a birthday", []string{"DTSTART;VALUE=DATE:20260105", "RRULE:FREQ=YEARLY"}, "a#20260105 2026-01-05 a#20270105 2027-01-05", 0},
		{"a birthday of long ago", []string{"DTSTART;VALUE=DATE:20160229", "RRULE:FREQ=YEARLY"}, "a#20160229 2016-02-29", 0},
		{"a birthday since a person was born", []string{"DTSTART;VALUE=DATE:19790105", "RRULE:FREQ=YEARLY;INTERVAL=1", "END:VEVENT", "BEGIN:VEVENT", "UID:a", "RECURRENCE-ID:20250105", "DTSTART:20250106"},
			"a#19790105 1979-01-05 a#20260105 2026-01-05 a#20270105 2027-01-05 a#20250105 2025-01-06", 0},
		{"one with an end", []string{"DTSTART;VALUE=DATE:20230105", "RRULE:FREQ=YEARLY;UNTIL=20250105"}, "a#20230105 2023-01-05 a#20240105 2024-01-05 a#20250105 2025-01-05", 0},
		{"a rule that cannot be read", []string{"DTSTART:20260105", "RRULE:FREQ=SOMETIMES"}, "a 2026-01-05", 0},
		{"a rule that never holds", []string{"DTSTART:20260105", "RRULE:FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31"}, "", 1},
		{"a moved day", []string{"DTSTART;TZID=Europe/Berlin:20260701T090000", "RRULE:FREQ=DAILY;COUNT=2", "END:VEVENT", "BEGIN:VEVENT", "UID:a", "RECURRENCE-ID:20260702T070000Z", "DTSTART:20260702T100000Z"},
			"a#20260701T090000 2026-07-01T09:00:00+02:00 a#20260702T070000Z 2026-07-02T10:00:00Z", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := append([]string{"BEGIN:VEVENT", "UID:a"}, test.lines...)
			corpus, skips := openFolder(t, writeFolder(t, map[string]string{"a.ics": calendarOf(append(lines, "END:VEVENT")...), "b.csv": "n\n1\n"}))
			var got []string
			for _, record := range collectRecords(t, corpus) {
				var event struct {
					StartsAt string `json:"starts_at"`
					Series   string `json:"series_id"`
				}
				if record.Stream != "a" {
					continue
				}
				if err := json.Unmarshal(record.Data, &event); err != nil || event.Series != "a" && record.ID != "a" {
					t.Errorf("%s: %v", record.Data, err)
				}
				got = append(got, record.ID, event.StartsAt)
			}
			if text := strings.Join(got, " "); text != test.want || len(skips) != test.skips {
				t.Errorf("events\n%s\nwant\n%s, skips %v", text, test.want, skips)
			}
		})
	}
}

// A change of "this and all following" is one event on its day, with a defect that says that later days are unchanged.
func TestAChangeOfThisAndAllFollowingHasADefect(t *testing.T) {
	records, _ := loaded(t, "c.ics", calendarOf("BEGIN:VEVENT", "UID:a", "DTSTART:20260105T090000Z", "RRULE:FREQ=WEEKLY;COUNT=3", "SUMMARY:Plan", "END:VEVENT",
		"BEGIN:VEVENT", "UID:a", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260112T090000Z", "DTSTART:20260112T113000Z", "SUMMARY:Late", "END:VEVENT"))
	var got []string
	for _, one := range records["c"] {
		got = append(got, fmt.Sprintf("%v %v %v", one["starts_at"], one["summary"], one["defects"]))
	}
	slices.Sort(got)
	want := []string{"2026-01-05T09:00:00Z Plan <nil>", "2026-01-12T11:30:00Z Late [it changes all later days of its series as well, which are shown unchanged]",
		"2026-01-19T09:00:00Z Plan <nil>"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A series without an end has events until the end of the year after the one in which it is read. This is reported once, and the file is
// read again in the next year.
func TestASeriesEndsAYearAfterItIsRead(t *testing.T) {
	yearly := strings.Split("BEGIN:VEVENT DTSTART:20200613 RRULE:FREQ=YEARLY END:VEVENT", " ")
	dir := writeFolder(t, map[string]string{"a.ics": calendarOf(append(yearly, yearly...)...), "b.csv": "n\n1\n"})
	sight, err := Look(dir)
	if err != nil || sight.Fingerprint(fileTime) != sight.Fingerprint(fileTime.AddDate(0, 1, 0)) || sight.Fingerprint(fileTime) == sight.Fingerprint(fileTime.AddDate(1, 0, 0)) {
		t.Errorf("the fingerprint must depend on the year, and only on it: %v", err)
	}
	known := map[string]model.Part{}
	for _, test := range []struct {
		now  time.Time
		last string
		from string
		same bool
	}{
		{fileTime, "2027-12-31", "2025", false},
		{fileTime.AddDate(0, 1, 0), "2027-12-31", "2025", true},
		{fileTime.AddDate(1, 0, 0), "2028-12-31", "2026", false},
	} {
		var kept []Skip
		corpus, err := Open(t.Context(), dir, known, Watch{Now: test.now, Kept: func(skip Skip) { kept = append(kept, skip) }})
		if err != nil {
			t.Fatal(err)
		}
		_ = collectRecords(t, corpus) // also reads unchanged parts
		want := []Skip{{"a.ics", 3, "series that go on have events up to " + test.last + " only; of a yearly series without an end, these are the first event and those since " + test.from}}
		if diff := cmp.Diff(want, kept); diff != "" || corpus.Parts[0].Same != test.same || corpus.Parts[1].Same != (len(known) > 0) {
			t.Errorf("in %s: same %v and %v (-want +got)\n%s", test.now, corpus.Parts[0].Same, corpus.Parts[1].Same, diff)
		}
		for _, part := range corpus.Parts {
			known[part.Name] = part
		}
	}
}
