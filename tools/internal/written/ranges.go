package written

import (
	"strconv"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// IsPeriod reports whether two values are the first and the last day or time of a period.
func IsPeriod(values []string) bool {
	return len(values) == 2 && IsTime(values[0]) && IsTime(values[1]) && !Reversed(values[0], values[1])
}

// IsTime reports whether a value is a date or time as a filter takes it.
func IsTime(raw string) bool {
	s, _ := Text(raw)
	_, err := rs.ReadTime(s)
	return err == nil
}

var twoDates = Expression(`(?i)^\s*([0-9][^\s/]*?)(?:\s*(?:\.{2,3}|/)\s*|\s+(?:to|until|till|through|and|-|–|—)\s+)([0-9][^\s/]*)\s*$`)

// periodOf is the range that a text such as "2026-05-01..2026-05-31" means; "" for anything else.
func periodOf(raw string) string {
	s, _ := Text(raw)
	found := twoDates().FindStringSubmatch(s)
	if found == nil || !IsPeriod([]string{rs.EncodeJSON(found[1]), rs.EncodeJSON(found[2])}) {
		return ""
	}
	return rs.Object{{Name: "gte", Value: rs.EncodeJSON(found[1])}, {Name: "lte", Value: rs.EncodeJSON(found[2])}}.JSON()
}

var twoNumbers = Expression(`^\s*([0-9]+(?:\.[0-9]+)?)\s*(?:-|–|\.{2,3}|to)\s*([0-9]+(?:\.[0-9]+)?)\s*$`)

// Numbers are the least and the largest number that a text such as "50-60" names; nil for any other text.
func Numbers(raw string) []string {
	s, _ := Text(raw)
	if found := twoNumbers().FindStringSubmatch(s); found != nil && !Reversed(found[1], found[2]) {
		return found[1:]
	}
	return nil
}

// IsDate reports whether a value is a date or time, however it is written.
func IsDate(raw string) bool { return IsTime(raw) || dateOf(raw) != "" || Range(raw) != "" }

// Range is the range that a week, a month, a quarter, a year or two dates mean as the one value of a field; "" for anything else.
func Range(raw string) string {
	if period := periodOf(raw); period != "" {
		return period
	}
	s, _ := Text(raw)
	found, ok := span(s)
	if !ok || found.first.Equal(found.last) {
		return ""
	}
	return rs.Object{
		{Name: "gte", Value: rs.EncodeJSON(found.first.Format(time.DateOnly))}, {Name: "lt", Value: rs.EncodeJSON(found.last.AddDate(0, 0, 1).Format(time.DateOnly))},
	}.JSON()
}

// Bound is a bound of a range as a filter takes it; "" if it is written as it should be. After a month or up to it means all its days.
func Bound(operator, raw string) (name, value string) {
	if span := rs.AsObject(Range(raw)); span.Has("lt") {
		switch operator {
		case "gt":
			return "gte", span.Get("lt")
		case "lte":
			return "lt", span.Get("lt")
		}
		return operator, span.Get("gte")
	}
	return operator, Value(raw)
}

// Reversed reports whether a range ends before it begins: two numbers, or two dates or times. A date is a day in some zone, so beside a
// time it may be off by one.
func Reversed(lower, upper string) bool {
	if rs.Kind(lower) == "number" && rs.Kind(upper) == "number" {
		a, errA := strconv.ParseFloat(lower, 64)
		b, errB := strconv.ParseFloat(upper, 64)
		return errA == nil && errB == nil && a > b
	}
	from, _ := Text(lower)
	until, _ := Text(upper)
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
