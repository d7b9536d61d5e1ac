package filter

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A date means the whole day in the time zone of the call, or in UTC; a time without an offset is in that zone too. A resource server takes
// a date for the first instant of the day, or compares it as text. So a bound is sent as the day, or as the next day with "before". Only a
// day of another zone than UTC is sent as its instants, with the offset of that zone.

// A DateKind is what a schema says of the values of a field.
type DateKind int

// The kinds of values.
const (
	MayBeDates DateKind = iota // unknown: text, or a field that the schema does not have
	NotDates                   // numbers and the like
	Dates                      // dates without a time
	Instants                   // timestamps
	LocalTimes                 // times without a zone
)

// A DatesRead says how the dates of a filter were read. It has a line for each field whose conditions then mean something else than the
// filter in the call may seem to.
type DatesRead struct {
	lines  []string
	noZone bool // those of a field were read without a zone
}

// InZone reports whether dates were read, and all of them in the zone of the call.
func (d DatesRead) InZone() bool { return len(d.lines) > 0 && !d.noZone }

// maxReadAs bounds the fields for which the answer says how their dates were read.
const maxReadAs = 5

// WholeDays returns the filter with each bare date replaced by what it means for its field. zone is that of the dates. kindOf is only asked
// about the fields that are compared with dates, or with times without an offset.
func (f Filter) WholeDays(kindOf func(field string) DateKind, zone *time.Location) (sent Filter, readAs DatesRead) {
	type field struct {
		name string
		kind DateKind
	}
	var read []field
	for _, c := range f {
		if c.Value.form != asDay && c.Value.form != asLocalTime {
			sent = sent.Narrowed(c)
			continue
		}
		kind := kindOf(c.Field)
		conditions := c.wholeDay(kind, zone)
		start := c.Operator == "gte" && zone == time.UTC // the same in any reading of a day
		other := !slices.Equal(conditions, Filter{c}) || c.Value.form == asDay && kind == Instants && !start ||
			kind == MayBeDates && zone != time.UTC
		if one := (field{c.Field, kind}); other && !slices.Contains(read, one) && len(read) < maxReadAs {
			read = append(read, one)
		}
		for _, condition := range conditions {
			sent = sent.Narrowed(condition)
		}
	}
	for _, one := range read {
		says := sent.says(one.name, one.kind)
		switch {
		case zone == time.UTC, one.kind == LocalTimes:
		case one.kind == MayBeDates:
			says += ", of no time zone: its type is not known"
			readAs.noZone = true
		default:
			says += ", of " + zone.String()
		}
		readAs.lines = append(readAs.lines, says)
	}
	return sent, readAs
}

// thousandths matches a text that is a whole number with a separator of thousands in some countries, and one with decimals in others.
var thousandths = written.Expression(`^-?[1-9][0-9]{0,2}\.[0-9]{3}$`)

// TwoNumbers returns the first condition that compares a field of numbers with a text such as "1.200", and the two numbers that this may
// be; "" if there is none. kindOf is only asked about the fields that are compared with such a text.
func (f Filter) TwoNumbers(kindOf func(field string) DateKind) (c Condition, first, second string) {
	for _, c := range f {
		if text := c.Value.text; c.Value.form == asText && thousandths().MatchString(text) && kindOf(c.Field) == NotDates {
			return c, strings.Replace(text, ".", "", 1), strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
	}
	return Condition{}, "", ""
}

// wholeDay returns what a condition means that may have a bare date, or a time without an offset. A field that may have dates as well as
// timestamps is compared with dates without a zone: "before the next day" for "at most this day", and "from the next day" for "after this
// day", are right for both.
func (c Condition) wholeDay(kind DateKind, zone *time.Location) Filter {
	switch kind {
	case Instants:
		c.Value = c.Value.In(zone)
	case LocalTimes: // these do not depend on a zone
		kind, zone = Instants, time.UTC
	}
	if c.Value.form != asDay || kind == NotDates || kind == Dates {
		return Filter{c}
	}
	if kind == MayBeDates {
		zone = time.UTC
	}
	next := c.Value.at.AddDate(0, 0, 1)
	if next.Year() > 9999 { // no timestamp can say the next day
		return Filter{c}
	}
	from, until := FirstInstant(c.Value.at, zone), FirstInstant(next, zone)
	switch c.Operator {
	case "gte", "lt":
		return Filter{{c.Field, c.Operator, from}}
	case "gt":
		return Filter{{c.Field, "gte", until}}
	case "lte":
		return Filter{{c.Field, "lt", until}}
	}
	if c.Operator != "" || kind == MayBeDates {
		return Filter{c}
	}
	return Filter{{c.Field, "gte", from}, {c.Field, "lt", until}}
}

// says returns what a filter asks of a field, such as "ordered_at from 2026-06-01T00:00Z until 2026-07-01T00:00Z".
func (f Filter) says(field string, kind DateKind) string {
	words := map[string]string{"gte": "from", "gt": "after", "lt": "until", "lte": "to", "": "is"}
	parts := []string{field}
	for _, operator := range append([]string{""}, rs.RangeOperators...) {
		for _, c := range f {
			if c.Field != field || c.Operator != operator {
				continue
			}
			value := c.Value.text
			switch {
			case c.Value.form == asInstant:
				value = strings.Replace(formatted(c.Value.at, time.UTC), ":00Z", "Z", 1)
			case c.Value.form == asDay && kind == Instants:
				value += "T00:00Z"
			}
			parts = append(parts, cmp.Or(words[operator], operator), value)
		}
	}
	return strings.Join(parts, " ")
}

// Instant writes a time as RFC 3339, in UTC.
func Instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// FirstInstant returns the first instant of a day as a filter has it: in UTC the date; in another zone a time with the offset by which it
// is midnight, even if the clocks of the zone skip midnight.
func FirstInstant(day time.Time, zone *time.Location) Value {
	if zone == time.UTC {
		return Date(day)
	}
	start := StartOfDay(day, zone)
	return InstantIn(start, time.FixedZone("", int(midnight(day).Sub(start)/time.Second)))
}

// StartOfDay returns the first instant of a day in a zone. If the clocks pass midnight twice, it is the first of the two; if they skip it,
// the first instant after the gap.
func StartOfDay(day time.Time, zone *time.Location) time.Time {
	midnight := midnight(day)
	const most = 26 * time.Hour // no offset from UTC is larger, and no zone changes its offset twice in that time
	var first time.Time
	for _, near := range []time.Time{midnight.Add(-most), midnight.Add(most)} {
		_, offset := near.In(zone).Zone()
		t := midnight.Add(-time.Duration(offset) * time.Second).In(zone)
		if t.Day() == day.Day() && t.Hour() == 0 && t.Minute() == 0 && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	if !first.IsZero() {
		return first
	}
	t := clockIn(midnight, zone)
	start, end := t.ZoneBounds()
	if t.Day() == day.Day() || t.After(midnight.Add(most)) {
		return start
	}
	return end
}

// A TimeGroup is the span of one group of time.
type TimeGroup struct{ From, Until time.Time }

// ReadTimeGroup returns the span that a group's key names: a date, or for hours an RFC 3339 time. A key longer than a date is read as an
// instant. It returns false for any other key.
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
		day = midnight(t.In(zone))
	}
	step := map[string]struct{ years, months, days int }{
		"day": {days: 1}, "week": {days: 7}, "month": {months: 1}, "quarter": {months: 3}, "year": {years: 1},
	}[granularity]
	next := day.AddDate(step.years, step.months, step.days)
	return TimeGroup{StartOfDay(day, zone), StartOfDay(next, zone)}, true
}

// Lasting returns the conditions on a start field and an end field for records that began before a bound and end after it. A record that
// ends on a date, as in end_date, includes that day. A record does not include what it ends at, as in end_at, even if that is a day: so
// calendars have it.
func Lasting(start, end string, kind DateKind, bound Value) Filter {
	after := Condition{end, "gt", bound}
	switch {
	case kind == Dates && strings.HasSuffix(end, "_at"): // exclusive
	case kind == Dates, strings.Contains(strings.ToLower(end), "date"), strings.HasSuffix(end, "_on"), strings.HasSuffix(end, "day"):
		after.Operator = "gte"
	case bound.form == asDay: // after a day would mean from the next one on
		after.Value = InstantIn(bound.at, time.UTC)
	}
	return Filter{{start, "lt", bound}, after}
}

// Note returns the member of an answer that says how dates were read, after the lines that it already has; nil if there is nothing to say.
func (d DatesRead) Note(already []string) rs.Object {
	if len(d.lines) == 0 {
		return nil
	}
	for _, line := range d.lines {
		already = append(already, rs.EncodeJSON(line))
	}
	return rs.Object{{Name: "read_as", Value: rs.JoinArray(already)}}
}
