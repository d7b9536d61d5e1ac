package filter

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// LocalLayout is how a time without an offset is written.
const LocalLayout = "2006-01-02T15:04:05"

// Instant writes a time as RFC 3339, in UTC.
func Instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Written writes a time as RFC 3339 by the clock of a zone: a server that has dates among times knows by it where the asker's days begin.
func Written(t time.Time, zone *time.Location) string {
	t = t.In(zone)
	if _, offset := t.Zone(); offset%60 != 0 { // which RFC 3339 cannot say
		t = t.UTC()
	}
	return t.Format(time.RFC3339Nano)
}

// FirstInstant is the first instant of a day as a filter has it: of a day in UTC that is the date, else by a clock that is at midnight
// then, also where that of the zone skips it.
func FirstInstant(day time.Time, zone *time.Location) string {
	if zone == time.UTC {
		return day.Format(time.DateOnly)
	}
	year, month, date := day.Date()
	start, midnight := StartOfDay(day, zone), time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	return Written(start, time.FixedZone("", int(midnight.Sub(start)/time.Second)))
}

// StartOfDay is the first instant of a day in a zone. Where the clocks pass midnight twice it is the first of the two; where they skip
// it, the first instant after the gap.
func StartOfDay(day time.Time, zone *time.Location) time.Time {
	year, month, date := day.Date()
	midnight := time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	const most = 26 * time.Hour // no offset from UTC is larger, and no zone changes its offset twice in that time
	var first time.Time
	for _, near := range []time.Time{midnight.Add(-most), midnight.Add(most)} {
		_, offset := near.In(zone).Zone()
		t := midnight.Add(-time.Duration(offset) * time.Second).In(zone)
		if t.Day() == date && t.Hour() == 0 && t.Minute() == 0 && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	if !first.IsZero() {
		return first
	}
	t := time.Date(year, month, date, 0, 0, 0, 0, zone)
	start, end := t.ZoneBounds()
	if t.Day() == date || t.After(midnight.Add(most)) {
		return start
	}
	return end
}

// A TimeGroup is the span of one group of time.
type TimeGroup struct{ From, Until time.Time }

// ReadTimeGroup returns the span that a group's key names: a date, or for hours an RFC 3339 time; what is longer than a date is read as
// an instant. It reports false for any other key.
func ReadTimeGroup(key, granularity string, zone *time.Location) (TimeGroup, bool) {
	t, err := rs.ReadTime(key)
	if err != nil {
		return TimeGroup{}, false
	}
	if granularity == "hour" {
		return TimeGroup{t, t.Add(time.Hour)}, true
	}
	day := t
	if len(key) > len(time.DateOnly) {
		year, month, date := t.In(zone).Date()
		day = time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	}
	step := map[string]struct{ years, months, days int }{
		"day": {days: 1}, "week": {days: 7}, "month": {months: 1}, "quarter": {months: 3}, "year": {years: 1},
	}[granularity]
	next := day.AddDate(step.years, step.months, step.days)
	return TimeGroup{StartOfDay(day, zone), StartOfDay(next, zone)}, true
}

// ReadAs is what an answer says that dates were read as, behind what it says already; nothing where none were.
func ReadAs(already, readAs []string) rs.Object {
	if len(readAs) == 0 {
		return nil
	}
	for _, one := range readAs {
		already = append(already, rs.EncodeJSON(one))
	}
	return rs.Object{{Name: "read_as", Value: rs.JoinArray(already)}}
}
