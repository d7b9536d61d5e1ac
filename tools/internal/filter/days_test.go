package filter_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
)

func TestADateIsTheWholeDay(t *testing.T) {
	for name, row := range map[string]struct {
		filter string
		kind   filter.DateKind
		zone   string
		want   string // field, operator and value of each condition that is sent
		readAs string
	}{
		"the last day there is":                        {`{"at":{"lte":"9999-12-31"}}`, filter.Instants, "UTC", "at lte 9999-12-31", "at to 9999-12-31T00:00Z"},
		"at most a day, of timestamps":                 {`{"at":{"lte":"2026-06-30"}}`, filter.Instants, "UTC", "at lt 2026-07-01", "at until 2026-07-01T00:00Z"},
		"at least a day, of timestamps":                {`{"at":{"gte":"2026-06-01"}}`, filter.Instants, "UTC", "at gte 2026-06-01", ""},
		"after a day, of timestamps":                   {`{"at":{"gt":"2026-12-31"}}`, filter.Instants, "UTC", "at gte 2027-01-01", "at from 2027-01-01T00:00Z"},
		"before a day, of timestamps":                  {`{"at":{"lt":"2026-06-01"}}`, filter.Instants, "UTC", "at lt 2026-06-01", "at until 2026-06-01T00:00Z"},
		"on a day, of timestamps":                      {`{"at":"2026-02-28"}`, filter.Instants, "UTC", "at gte 2026-02-28; at lt 2026-03-01", "at from 2026-02-28T00:00Z until 2026-03-01T00:00Z"},
		"a leap day":                                   {`{"at":"2024-02-28"}`, filter.Instants, "UTC", "at gte 2024-02-28; at lt 2024-02-29", "at from 2024-02-28T00:00Z until 2024-02-29T00:00Z"},
		"a range in a zone":                            {`{"at":{"gte":"2026-06-01","lte":"2026-06-30"}}`, filter.Instants, "Europe/Berlin", "at gte 2026-06-01T00:00:00+02:00; at lt 2026-07-01T00:00:00+02:00", "at from 2026-05-31T22:00Z until 2026-06-30T22:00Z, of Europe/Berlin"},
		"the 23 hours in which clocks go ahead":        {`{"at":"2026-03-29"}`, filter.Instants, "Europe/Berlin", "at gte 2026-03-29T00:00:00+01:00; at lt 2026-03-30T00:00:00+02:00", "at from 2026-03-28T23:00Z until 2026-03-29T22:00Z, of Europe/Berlin"},
		"the 25 hours in which they go back":           {`{"at":"2026-10-25"}`, filter.Instants, "Europe/Berlin", "at gte 2026-10-25T00:00:00+02:00; at lt 2026-10-26T00:00:00+01:00", "at from 2026-10-24T22:00Z until 2026-10-25T23:00Z, of Europe/Berlin"},
		"a day without midnight":                       {`{"at":"2018-11-04"}`, filter.Instants, "America/Sao_Paulo", "at gte 2018-11-04T00:00:00-03:00; at lt 2018-11-05T00:00:00-02:00", "at from 2018-11-04T03:00Z until 2018-11-05T02:00Z, of America/Sao_Paulo"},
		"a day with two midnights":                     {`{"at":"2026-11-01"}`, filter.Instants, "America/Havana", "at gte 2026-11-01T00:00:00-04:00; at lt 2026-11-02T00:00:00-05:00", "at from 2026-11-01T04:00Z until 2026-11-02T05:00Z, of America/Havana"},
		"a day that the zone skipped":                  {`{"at":"2011-12-30"}`, filter.Instants, "Pacific/Apia", "at gte 2011-12-30T00:00:00-10:00; at lt 2011-12-31T00:00:00+14:00", "at from 2011-12-30T10:00Z until 2011-12-30T10:00Z, of Pacific/Apia"},
		"dates stay dates":                             {`{"due":{"lte":"2026-06-30"}}`, filter.Dates, "Europe/Berlin", "due lte 2026-06-30", ""},
		"a date equals a date":                         {`{"due":"2026-06-30"}`, filter.Dates, "UTC", "due 2026-06-30", ""},
		"unknown, at most a day":                       {`{"x":{"lte":"2026-06-30"}}`, filter.MayBeDates, "Europe/Berlin", "x lt 2026-07-01", "x until 2026-07-01, of no time zone: its type is not known"},
		"unknown, after a day":                         {`{"x":{"gt":"2026-06-30"}}`, filter.MayBeDates, "UTC", "x gte 2026-07-01", "x from 2026-07-01"},
		"unknown, at least and before":                 {`{"x":{"gte":"2026-06-01","lt":"2026-07-01"}}`, filter.MayBeDates, "Europe/Berlin", "x gte 2026-06-01; x lt 2026-07-01", "x from 2026-06-01 until 2026-07-01, of no time zone: its type is not known"},
		"unknown, equal":                               {`{"x":"2026-06-30"}`, filter.MayBeDates, "UTC", "x 2026-06-30", ""},
		"unknown, equal, in a zone":                    {`{"x":"2026-06-30"}`, filter.MayBeDates, "Europe/Berlin", "x 2026-06-30", "x is 2026-06-30, of no time zone: its type is not known"},
		"after a day in a zone":                        {`{"at":{"gt":"2026-03-28"}}`, filter.Instants, "Europe/Berlin", "at gte 2026-03-29T00:00:00+01:00", "at from 2026-03-28T23:00Z, of Europe/Berlin"},
		"before a day in a zone":                       {`{"at":{"lt":"2026-10-26"}}`, filter.Instants, "Europe/Berlin", "at lt 2026-10-26T00:00:00+01:00", "at until 2026-10-25T23:00Z, of Europe/Berlin"},
		"a value with a time is sent unchanged":        {`{"at":{"lte":"2026-06-30T12:00:00Z"}}`, filter.Instants, "Europe/Berlin", "at lte 2026-06-30T12:00:00Z", ""},
		"a value that is not a date is sent unchanged": {`{"at":{"lte":"2026-02-30"}}`, filter.Instants, "UTC", "at lte 2026-02-30", ""},
		"on a day, of local times":                     {`{"at":"2026-02-28"}`, filter.LocalTimes, "Europe/Berlin", "at gte 2026-02-28; at lt 2026-03-01", "at from 2026-02-28 until 2026-03-01"},
		"at most a day, of local times":                {`{"at":{"lte":"2026-06-30"}}`, filter.LocalTimes, "UTC", "at lt 2026-07-01", "at until 2026-07-01"},
		"local times stay local":                       {`{"at":{"gte":"2026-06-01","lt":"2026-06-30T12:00"}}`, filter.LocalTimes, "Europe/Berlin", "at gte 2026-06-01; at lt 2026-06-30T12:00", ""},
		"numbers are not dates":                        {`{"n":{"lte":"2026-06-30"}}`, filter.NotDates, "UTC", "n lte 2026-06-30", ""},
		"the later of two lower bounds is sent":        {`{"at":{"gt":"2026-06-30","gte":"2026-06-01"}}`, filter.Instants, "UTC", "at gte 2026-07-01", "at from 2026-07-01T00:00Z"},
		"the earlier of two upper bounds is sent":      {`{"at":{"lte":"2026-06-30","lt":"2026-06-15T12:00:00Z"}}`, filter.Instants, "UTC", "at lt 2026-06-15T12:00:00Z", "at until 2026-06-15T12:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := filter.Parse(row.filter)
			if err != nil {
				t.Fatal(err)
			}
			zone, err := time.LoadLocation(row.zone)
			if err != nil {
				t.Fatal(err)
			}
			sent, readAs := f.WholeDays(func(string) filter.DateKind { return row.kind }, zone)
			var got []string
			for _, c := range sent {
				got = append(got, strings.Join(strings.Fields(c.Field+" "+c.Operator+" "+c.Value.String()), " "))
			}
			if got := strings.Join(got, "; "); got != row.want {
				t.Errorf("sent %s, want %s", got, row.want)
			}
			lines, _ := rs.AsArray(readAs.Note(nil).Get("read_as"))
			for i, line := range lines {
				lines[i], _ = rs.AsText(line)
			}
			if got := strings.Join(lines, "; "); got != row.readAs {
				t.Errorf("note %q, want %q", got, row.readAs)
			}
		})
	}
}

// Each day ends where the next begins, in every zone with unusual clock changes.
func TestDaysFollowEachOther(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Cairo", "America/Asuncion"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for day := time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2027; day = day.AddDate(0, 0, 1) {
			from, until := filter.StartOfDay(day, zone), filter.StartOfDay(day.AddDate(0, 0, 1), zone)
			if hours := until.Sub(from).Hours(); hours != 0 && (hours < 22.5 || hours > 25.5) {
				t.Errorf("%s %s: %g hours", name, day.Format(time.DateOnly), hours)
			}
			if until.Equal(from) {
				continue // the zone skipped this day
			}
			if got := from.In(zone).Format(time.DateOnly); got != day.Format(time.DateOnly) {
				t.Errorf("%s %s begins on %s", name, day.Format(time.DateOnly), got)
			}
			if got := from.Add(-time.Second).In(zone).Format(time.DateOnly); got >= day.Format(time.DateOnly) {
				t.Errorf("%s %s begins before %s", name, day.Format(time.DateOnly), from)
			}
		}
	}
}

func TestTimeGroups(t *testing.T) {
	for name, row := range map[string]struct{ key, granularity, zone, from, until string }{
		"a month":             {"2026-02-01", "month", "UTC", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"},
		"a month in a zone":   {"2026-03-01", "month", "Europe/Berlin", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		"a quarter":           {"2026-10-01", "quarter", "UTC", "2026-10-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		"a week":              {"2026-12-28", "week", "UTC", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z"},
		"a day of 25 hours":   {"2026-10-25", "day", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		"a year":              {"2026-01-01", "year", "UTC", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		"an hour":             {"2026-10-25T02:00:00+01:00", "hour", "Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"},
		"a key with its time": {"2026-02-28T23:00:00Z", "month", "Europe/Berlin", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		"no time":             {"spring", "month", "UTC", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			zone, err := time.LoadLocation(row.zone)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := filter.ReadTimeGroup(row.key, row.granularity, zone)
			if ok != (row.from != "") {
				t.Fatalf("read: %t", ok)
			}
			if ok && (filter.Instant(got.From) != row.from || filter.Instant(got.Until) != row.until) {
				t.Errorf("from %s until %s, want %s until %s", filter.Instant(got.From), filter.Instant(got.Until), row.from, row.until)
			}
		})
	}
}

// A condition with an operator that is not defined for days must not become an equality.
func TestAnOperatorWithoutDaysIsSentUnchanged(t *testing.T) {
	f := filter.Filter{{Field: "at", Operator: "ne", Value: filter.ValueOf("2026-06-30")}}
	if sent, _ := f.WholeDays(func(string) filter.DateKind { return filter.Instants }, time.UTC); !slices.Equal(sent, f) {
		t.Errorf("sent %v, want %v", sent, f)
	}
}

// An event that ends on a day lasts until the end of that day; one that ends at a time ends at that time.
func TestLastingBoundsTheEnd(t *testing.T) {
	for _, row := range []struct {
		end   string
		kind  filter.DateKind
		bound string
		want  [3]string
	}{
		{"ends_at", filter.Instants, "2026-03-03", [3]string{"ends_at", "gt", "2026-03-03T00:00:00Z"}},
		{"ends_at", filter.Instants, "2026-03-02T23:00:00Z", [3]string{"ends_at", "gt", "2026-03-02T23:00:00Z"}},
		{"end_date", filter.Instants, "2026-03-03", [3]string{"end_date", "gte", "2026-03-03"}},
		{"until_day", filter.MayBeDates, "2026-03-03", [3]string{"until_day", "gte", "2026-03-03"}},
		{"ends_at", filter.Dates, "2026-03-03", [3]string{"ends_at", "gt", "2026-03-03"}},
		{"end", filter.Dates, "2026-03-03", [3]string{"end", "gte", "2026-03-03"}},
	} {
		bound := filter.ValueOf(row.bound)
		got := filter.Lasting("start", row.end, row.kind, bound)
		after := filter.Condition{Field: row.want[0], Operator: row.want[1], Value: filter.ValueOf(row.want[2])}
		if want := (filter.Filter{{Field: "start", Operator: "lt", Value: bound}, after}); !slices.Equal(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// A text that is one number here and another there is no number; a JSON number, a date or a field of texts is as before.
func TestATextMayBeTwoNumbers(t *testing.T) {
	for condition, want := range map[string][2]string{
		`{"n":{"gte":"1.000"}}`: {"1000", "1"}, `{"n":"-1.250"}`: {"-1250", "-1.25"}, `{"n":{"lt":1.000}}`: {}, `{"n":"0.125"}`: {},
		`{"n":"1.25"}`: {}, `{"n":"1234.567"}`: {}, `{"s":"1.000"}`: {},
	} {
		f, err := filter.Parse(condition)
		if err != nil {
			t.Fatal(err)
		}
		kindOf := func(field string) filter.DateKind { return map[string]filter.DateKind{"n": filter.NotDates}[field] }
		if _, first, second := f.TwoNumbers(kindOf); first != want[0] || second != want[1] {
			t.Errorf("%s: %q or %q, want %v", condition, first, second, want)
		}
	}
}
