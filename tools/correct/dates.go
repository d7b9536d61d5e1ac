package correct

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// dateLayouts are ways to write a day, a month or a year, and times without a zone, beside RFC 3339. Those whose day and month can be
// mistaken for each other are none.
var dateLayouts = []struct {
	layout string
	span   string // "" for a time
}{
	{"2006-01", "month"}, {"January 2006", "month"}, {"Jan 2006", "month"}, {"2006/01/02", "day"}, {"2006.01.02", "day"},
	{"2 January 2006", "day"}, {"2 Jan 2006", "day"}, {"January 2, 2006", "day"}, {"Jan 2, 2006", "day"},
	{"January 2 2006", "day"}, {"Jan 2 2006", "day"},
	{"2006-01-02 15:04:05", ""}, {"2006-01-02 15:04", ""}, {"2006-01-02T15:04:05", ""}, {"2006-01-02T15:04", ""},
}

// dayOf is a bound of a period as search takes it, for a day, month or year that is written in another way; "" if there is none. Of what
// is longer than a day, until is the last.
func dayOf(name, raw string) string {
	s, _ := written.Text(raw)
	s = strings.TrimSpace(s)
	first, span := readDate(s)
	if year, err := time.Parse("2006", s); err == nil {
		first, span = year, "year"
	}
	switch {
	case unixSeconds.MatchString(s):
		return dateOf(raw)
	case span == "": // a time without a zone is not taken for one of UTC
		return ""
	case name == "until" && span == "month":
		first = first.AddDate(0, 1, -1)
	case name == "until" && span == "year":
		first = first.AddDate(1, 0, -1)
	}
	return first.Format(time.DateOnly)
}

// readDate reads a date or time in one of the layouts; the zero time for any other text.
func readDate(s string) (t time.Time, span string) {
	for _, known := range dateLayouts {
		if t, err := time.Parse(known.layout, s); err == nil {
			return t, known.span
		}
	}
	return time.Time{}, ""
}

var unixSeconds = regexp.MustCompile(`^1[0-9]{9}$|^1[0-9]{12}$`)

// dateOf is a date as a filter takes it, for one that is written in another way; "" if there is none.
func dateOf(raw string) string {
	s, ok := rs.AsText(raw)
	if !ok {
		return ""
	}
	s = strings.TrimSpace(s)
	if unixSeconds.MatchString(s) {
		n, _ := strconv.ParseInt(s[:10], 10, 64)
		return time.Unix(n, 0).UTC().Format(time.RFC3339)
	}
	switch t, span := readDate(s); {
	case t.IsZero():
		return ""
	case span == "":
		return t.Format(time.RFC3339)
	default:
		return t.Format(time.DateOnly)
	}
}

var (
	isoWeek   = regexp.MustCompile(`^([0-9]{4})-?W(0[1-9]|[1-4][0-9]|5[0-3])$`)
	quarterOf = regexp.MustCompile(`(?i)^(?:([0-9]{4})[- ]?Q([1-4])|Q([1-4])[- ]?([0-9]{4}))$`)
)

// spanOf is the range that a week, a month, a quarter, a year or two dates mean as the one value of a field; "" for anything else.
func spanOf(raw string) string {
	if period := periodOf(raw); period != "" {
		return period
	}
	s, _ := written.Text(raw)
	s = strings.TrimSpace(s)
	first, span := readDate(s)
	var next time.Time
	week, quarter := isoWeek.FindStringSubmatch(s), quarterOf.FindStringSubmatch(s)
	switch year, err := time.Parse("2006", s); {
	case err == nil:
		first, next = year, year.AddDate(1, 0, 0)
	case week != nil:
		year, _ := strconv.Atoi(week[1])
		number, _ := strconv.Atoi(week[2])
		fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // is in the first week
		first = fourth.AddDate(0, 0, 7*(number-1)-(int(fourth.Weekday())+6)%7)
		next = first.AddDate(0, 0, 7)
	case quarter != nil:
		year, _ := strconv.Atoi(cmp.Or(quarter[1], quarter[4]))
		number, _ := strconv.Atoi(cmp.Or(quarter[2], quarter[3]))
		first = time.Date(year, time.Month(3*number-2), 1, 0, 0, 0, 0, time.UTC)
		next = first.AddDate(0, 3, 0)
	case span == "month":
		next = first.AddDate(0, 1, 0)
	default:
		return ""
	}
	return rs.Object{
		{Name: "gte", Value: rs.EncodeJSON(first.Format(time.DateOnly))}, {Name: "lt", Value: rs.EncodeJSON(next.Format(time.DateOnly))},
	}.JSON()
}

// boundOf is a bound of a range as a filter takes it; "" if it is written as it should be. After a month or up to it means all its days.
func boundOf(operator, raw string) (name, value string) {
	if span := rs.AsObject(spanOf(raw)); span.Has("lt") {
		switch operator {
		case "gt":
			return "gte", span.Get("lt")
		case "lte":
			return "lt", span.Get("lt")
		}
		return operator, span.Get("gte")
	}
	return operator, valueOf(raw)
}

// Reversed reports whether a range ends before it begins: two numbers, or two dates or times. A date is a day in some zone, so beside a
// time it may be off by one.
func Reversed(lower, upper string) bool {
	if rs.Kind(lower) == "number" && rs.Kind(upper) == "number" {
		a, errA := strconv.ParseFloat(lower, 64)
		b, errB := strconv.ParseFloat(upper, 64)
		return errA == nil && errB == nil && a > b
	}
	from, _ := written.Text(lower)
	until, _ := written.Text(upper)
	a, errA := rs.ReadTime(from)
	b, errB := rs.ReadTime(until)
	if (len(from) == len(time.DateOnly)) != (len(until) == len(time.DateOnly)) {
		b = b.AddDate(0, 0, 2)
	}
	return errA == nil && errB == nil && a.After(b)
}

// ReversedRange returns the operators of a condition of which the range ends before it begins.
func ReversedRange(condition rs.Object) (lower, upper string, ok bool) {
	for _, lower := range []string{"gte", "gt"} {
		for _, upper := range []string{"lte", "lt"} {
			if condition.Has(lower) && condition.Has(upper) && Reversed(condition.Get(lower), condition.Get(upper)) {
				return lower, upper, true
			}
		}
	}
	return "", "", false
}

// swapped is a filter with its reversed ranges the other way round.
func swapped(filter rs.Object) rs.Object {
	for _, m := range filter {
		condition := rs.AsObject(m.Value)
		if lower, upper, ok := ReversedRange(condition); ok {
			turned := condition.With(lower, condition.Get(upper)).With(upper, condition.Get(lower))
			filter = filter.With(m.Name, turned.JSON())
		}
	}
	return filter
}

// valueOf is a value as a filter takes it, for a date or boolean that is written in another way; "" if there is none.
func valueOf(raw string) string {
	if s, ok := written.Text(raw); ok {
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "true", "yes":
			return "true"
		case "false", "no":
			return "false"
		}
	}
	if date := dateOf(raw); date != "" {
		return rs.EncodeJSON(date)
	}
	return ""
}
