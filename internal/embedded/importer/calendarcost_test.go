package importer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// A rule that would take long or be a fault of the library that reads it is not followed: the event that it begins with is loaded, this is
// reported, and what else is in the file is loaded too.
func TestACostlyRuleOfASeriesIsNotFollowed(t *testing.T) {
	days, hours, minutes := numbered(366, "%d")[2:], numbered(24, "%d"), numbered(60, "%d")
	for name, rule := range map[string]string{
		"each second of a year":         "FREQ=YEARLY;BYYEARDAY=" + days + ";BYHOUR=" + hours + ";BYMINUTE=" + minutes + ";BYSECOND=" + minutes,
		"each second of a day":          "FREQ=DAILY;BYHOUR=" + hours + ";BYMINUTE=" + minutes + ";BYSECOND=" + minutes,
		"each minute of a week":         "FREQ=WEEKLY;BYHOUR=" + hours + ";BYMINUTE=" + minutes,
		"a long list":                   "FREQ=MONTHLY;BYMONTHDAY=" + strings.Repeat("31,", 100_000) + "31",
		"many positions":                "FREQ=YEARLY;BYSETPOS=" + days + ";BYDAY=MO,TU,WE,TH,FR,SA,SU",
		"days around Easter":            "FREQ=YEARLY;BYEASTER=1000",
		"the 53rd Monday of a month":    "FREQ=MONTHLY;BYDAY=53MO",
		"the 53rd last of a month":      "FREQ=YEARLY;BYMONTH=1;BYDAY=-53MO",
		"an interval beyond all years":  "FREQ=YEARLY;INTERVAL=9223372036854775807",
		"an interval beyond all months": "FREQ=MONTHLY;INTERVAL=9223372036854775807",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		dir := writeFolder(t, map[string]string{"c.ics": calendarOf("BEGIN:VEVENT", "UID:a", "DTSTART:20260105T090000Z", "RRULE:"+rule, "END:VEVENT",
			"BEGIN:VEVENT", "UID:b", "DTSTART:20260106T090000Z", "END:VEVENT")})
		var got, left []string
		note := func(skip Skip) { left = append(left, skip.String()) }
		corpus, err := Open(t.Context(), dir, nil, Watch{Now: fileTime, Kept: note, Skipped: note})
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range collectRecords(t, corpus) {
			got = append(got, record.ID)
		}
		runtime.ReadMemStats(&after)
		if fmt.Sprint(got) != "[a b]" || fmt.Sprint(left) != "[c.ics:3: how it recurs is not read: only the event with which it begins is loaded]" {
			t.Errorf("%s: %v, left out %.300v", name, got, left)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 100<<20 && !raceDetector {
			t.Errorf("%s: %d MiB were allocated", name, taken>>20)
		}
	}
}

// A zone of a calendar whose rules are not those of a zone is not used, and this is reported.
func TestACostlyRuleOfAZoneIsNotFollowed(t *testing.T) {
	part := func(rule string) string {
		return "BEGIN:STANDARD\r\nDTSTART:20200105T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n" + rule + "END:STANDARD\r\n"
	}
	minutes := numbered(60, "%d")
	for name, row := range map[string]struct{ parts, starts, skip string }{
		"a rule that never holds": {part("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\r\n"), "2026-01-05T09:00:00", "the rules of the time zone Z are not read"},
		"each minute":             {part("RRULE:FREQ=YEARLY;BYHOUR=1,2;BYMINUTE=" + minutes + "\r\n"), "2026-01-05T09:00:00", "the rules of the time zone Z are not read"},
		"each day":                {part("RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU\r\n"), "2026-01-05T09:00:00", "the rules of the time zone Z are not read"},
		"a rule of many times":    {part("RRULE:FREQ=YEARLY;COUNT=2000000000\r\n"), "2026-01-05T09:00:00", "the rules of the time zone Z are not read"},
		"very many parts":         {strings.Repeat(part("RRULE:FREQ=YEARLY\r\n"), 201), "2026-01-05T09:00:00", "the rules of the time zone Z are not read"},
		"many parts":              {strings.Repeat(part("RRULE:FREQ=YEARLY\r\n"), 200), "2026-01-05T09:00:00+02:00", ""},
		"many zones of one name":  {strings.Repeat(part("RRULE:FREQ=YEARLY\r\n")+"END:VTIMEZONE\r\nBEGIN:VTIMEZONE\r\nTZID:Z\r\n", 300) + part(""), "2026-01-05T09:00:00+02:00", ""},
		"once":                    {part("RRULE:FREQ=YEARLY;COUNT=1\r\n"), "2026-01-05T09:00:00+02:00", ""},
		"leap days":               {part("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29\r\n"), "2026-01-05T09:00:00+02:00", ""},
		"a first Sunday by days":  {part("RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1,2,3,4,5,6,7;BYDAY=SU\r\n"), "2026-01-05T09:00:00+02:00", ""},
	} {
		records, skips := loaded(t, "c.ics", calendarOf("BEGIN:VTIMEZONE", "TZID:Z", row.parts+"END:VTIMEZONE",
			"BEGIN:VEVENT", "UID:a", "DTSTART;TZID=Z:20260105T090000", "END:VEVENT"))
		if len(records["c"]) != 1 || records["c"][0]["starts_at"] != row.starts {
			t.Errorf("%s: %v", name, records)
		}
		if said := fmt.Sprint(skips); !strings.Contains(said, row.skip) || (row.skip == "") != (len(skips) == 0) {
			t.Errorf("%s: skipped %s", name, said)
		}
	}
}

// What all series of a file cost has a limit. Beyond it, each is the event that it begins with, and each is reported.
func TestTheCostOfAllSeriesIsLimited(t *testing.T) {
	const count = 1000
	var lines []string
	for at := range count {
		lines = append(lines, "BEGIN:VEVENT", fmt.Sprintf("UID:%d", at), "DTSTART:00100101T000000Z", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29", "END:VEVENT")
	}
	unread, cut := 0, 0
	dir := writeFolder(t, map[string]string{"c.ics": calendarOf(lines...)})
	_, err := Open(t.Context(), dir, nil, Watch{Now: fileTime,
		Kept:    func(skip Skip) { unread += strings.Count(skip.Reason, "only the event with which it begins is loaded") },
		Skipped: func(skip Skip) { cut += strings.Count(skip.Reason, "cover too many years") }})
	if unread < count/2 || unread > count-20 || cut != 1 || err != nil {
		t.Errorf("of %d series %d are not followed, and %d in part: %v", count, unread, cut, err)
	}
}

// A birthday without a year, which some programs write as one of the year 1604, has its days of now.
func TestAnOldBirthdayHasTheDaysOfNow(t *testing.T) {
	for _, test := range [][3]string{
		{"16040105", "FREQ=YEARLY", "[a#16040105 a#20250105 a#20260105 a#20270105]"},
		{"16040229", "FREQ=YEARLY", "[a#16040229]"},
		{"16040229", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "[a#16040229 a#20250228 a#20260228 a#20270228]"},
	} {
		corpus, _ := openFolder(t, writeFolder(t, map[string]string{"c.ics": eventOf("UID:a", "DTSTART;VALUE=DATE:"+test[0], "RRULE:"+test[1])}))
		var got []string
		for _, record := range collectRecords(t, corpus) {
			got = append(got, record.ID)
		}
		if fmt.Sprint(got) != test[2] {
			t.Errorf("%s: %v", test[0], got)
		}
	}
}
