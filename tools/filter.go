package tools

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time_zone takes every zone, wherever the program runs
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A filter is a typed filter, ready to be written as bracketed parameters (S3-R10). The empty filter writes nothing.
type filter []condition

// A condition compares one field with one value; an empty operator means equality.
type condition struct{ field, operator, value string }

// maxConditions bounds a filter.
const maxConditions = 50

var filterHint = `Send an object such as {"status":"paid"} or {"sent_at":{"gte":"2026-01-01","lt":"2026-02-01"}}; operators: ` + strings.Join(rs.RangeOperators, ", ") + "."

func invalidFilter(format string, values ...any) *rs.Error {
	return &rs.Error{Code: rs.InvalidFilter, Param: "filter", Message: fmt.Sprintf(format, values...), Hint: filterHint}
}

// filter reads the filter argument.
func (a *arguments) filter() filter {
	raw, ok := a.given("filter")
	if !ok {
		return nil
	}
	f, err := parseFilter(raw)
	if err != nil {
		a.fail(err)
		return nil
	}
	return f
}

// parseFilter reads an object of fields, each with a scalar or an object of range operators.
func parseFilter(raw string) (filter, error) {
	if raw[0] == '"' {
		return nil, invalidFilter("filter is the string %s; it must be an object.", quote.JSON(raw))
	}
	fields, err := written.Object(raw)
	if err != nil {
		return nil, invalidFilter("filter is %s; it must be an object in which each field stands once.", quote.JSON(raw))
	}
	if len(fields) == 0 {
		return nil, invalidFilter("filter is an empty object; leave it out to read everything.")
	}
	var f filter
	for _, field := range fields {
		if !isParameterName(field.Name) {
			return nil, invalidFilter("filter names the field %s; send the bare name, without brackets.", quote.Exact(field.Name))
		}
		conditions, err := parseCondition(field.Name, field.Value)
		if err != nil {
			return nil, err
		}
		if f = append(f, conditions...); len(f) > maxConditions {
			return nil, invalidFilter("filter has more than %d conditions.", maxConditions)
		}
	}
	return f, nil
}

func parseCondition(field, raw string) (filter, error) {
	if raw[0] != '{' {
		value, ok := scalar(raw)
		if !ok {
			return nil, invalidFilter("filter compares %s with %s; a string, number or boolean is expected.", quote.Exact(field), quote.JSON(raw))
		}
		return filter{{field, "", value}}, nil
	}
	operators, err := written.Object(raw)
	if err != nil || len(operators) == 0 {
		return nil, invalidFilter("filter compares %s with %s; a range needs at least one operator.", quote.Exact(field), quote.JSON(raw))
	}
	if lower, upper, reversed := correct.ReversedRange(operators); reversed {
		return nil, invalidFilter("the range of %s ends before it begins: %s %s, %s %s.",
			quote.Exact(field), lower, quote.JSON(operators.Get(lower)), upper, quote.JSON(operators.Get(upper)))
	}
	var f filter
	for _, operator := range operators {
		if !slices.Contains(rs.RangeOperators, operator.Name) {
			return nil, invalidFilter("filter uses the operator %s on %s, which does not exist.", quote.Exact(operator.Name), quote.Exact(field))
		}
		value, ok := scalar(operator.Value)
		if !ok {
			return nil, invalidFilter("filter compares %s %s with %s; a string or number is expected.", quote.Exact(field), operator.Name, quote.JSON(operator.Value))
		}
		f = append(f, condition{field, operator.Name, value})
	}
	return f, nil
}

// scalar returns a string, number or boolean as it goes into a parameter. Numbers keep the digits they came with.
func scalar(raw string) (string, bool) {
	text, ok := rs.AsText(raw)
	if rs.Kind(raw) != "string" {
		return text, ok && len(text) <= 400
	}
	return text, ok && text != "" && len(text) <= 4096 && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// write adds the filter's parameters: filter[field]=value and filter[field][operator]=value, never a bare filter=.
func (f filter) write(query url.Values) {
	for _, c := range f {
		if c.operator == "" {
			query.Add("filter["+c.field+"]", c.value)
		} else {
			query.Add("filter["+c.field+"]["+c.operator+"]", c.value)
		}
	}
}

// isParameterName reports whether a name can stand between brackets.
func isParameterName(name string) bool {
	return strings.TrimSpace(name) != "" && len(name) <= maxNameBytes && utf8.ValidString(name) &&
		!strings.ContainsAny(name, "[]") && !strings.ContainsFunc(name, unicode.IsControl)
}

// A date without a time means the whole day, and a time without an offset is one, in the time zone of the call or in UTC. A resource server takes it for the day's first
// instant, or compares it as text; so what is sent is the day, or the next one, before which a value is. Only a day of another zone is
// sent as its instants.

// A dateKind is what a schema says of the values of a field.
type dateKind int

const (
	mayBeDates dateKind = iota // nothing that helps: text, or a field that the schema does not have
	notDates                   // numbers and the like
	dates                      // dates without a time
	instants                   // timestamps
)

// maxReadAs bounds the fields of which it is said how their dates were read.
const maxReadAs = 5

// wholeDays returns the filter with each bare date replaced by what it means for its field. readAs has a line for each field of which
// something else is asked than the filter says as it was sent. zone is that of the dates.
func (f filter) wholeDays(kindOf func(field string) dateKind, zone *time.Location) (sent filter, readAs []string) {
	var read []string
	for _, c := range f {
		kind := kindOf(c.field)
		conditions := c.wholeDay(kind, zone)
		other := !slices.Equal(conditions, filter{c}) && (isDate(c.value) || zone != time.UTC) || isDate(c.value) && kind == instants ||
			c.hasDate() && kind == mayBeDates && zone != time.UTC
		if other && !slices.Contains(read, c.field) && len(read) < maxReadAs {
			read = append(read, c.field)
		}
		for _, condition := range conditions {
			sent = sent.narrowed(condition)
		}
	}
	for _, field := range read {
		says := sent.says(field, kindOf(field))
		if kindOf(field) == mayBeDates && zone != time.UTC {
			says += ", of no time zone: its type is not known"
		}
		readAs = append(readAs, says)
	}
	return sent, readAs
}

// wholeDay is what a condition means that may have a bare date, or a time without an offset. A field that may have dates as well as
// timestamps is compared with dates of no zone: the next day in place of "at most this day" and of "after this day" is right for both.
func (c condition) wholeDay(kind dateKind, zone *time.Location) filter {
	if local, ok := localTime(c.value, zone); ok && kind == instants {
		return filter{{c.field, c.operator, local.UTC().Format(time.RFC3339Nano)}}
	}
	day, err := time.Parse(time.DateOnly, c.value)
	if err != nil || kind == notDates || kind == dates {
		return filter{c}
	}
	if kind == mayBeDates {
		zone = time.UTC
	}
	if day.AddDate(0, 0, 1).Year() > 9999 { // no timestamp can say the next day
		return filter{c}
	}
	from, until := firstInstant(day, zone), firstInstant(day.AddDate(0, 0, 1), zone)
	switch c.operator {
	case "gte", "lt":
		return filter{{c.field, c.operator, from}}
	case "gt":
		return filter{{c.field, "gte", until}}
	case "lte":
		return filter{{c.field, "lt", until}}
	}
	if kind == mayBeDates {
		return filter{c}
	}
	return filter{{c.field, "gte", from}, {c.field, "lt", until}}
}

// firstInstant is the first instant of a day as a filter has it: of a day in UTC that is the date.
func firstInstant(day time.Time, zone *time.Location) string {
	if zone == time.UTC {
		return day.Format(time.DateOnly)
	}
	return instant(startOfDay(day, zone))
}

// narrowed is the filter with one more condition. Where it has the same bound already, the narrower one stays.
func (f filter) narrowed(c condition) filter {
	at := slices.IndexFunc(f, func(other condition) bool { return other.field == c.field && other.operator == c.operator })
	if at < 0 || c.operator == "" {
		return append(slices.Clone(f), c)
	}
	f = slices.Clone(f)
	if later(c.value, f[at].value) == strings.HasPrefix(c.operator, "g") {
		f[at] = c
	}
	return f
}

// later reports whether one bound is after another.
func later(one, other string) bool {
	a, errA := rs.ReadTime(one)
	b, errB := rs.ReadTime(other)
	if errA == nil && errB == nil {
		return a.After(b)
	}
	return one > other
}

// says is what a filter asks of a field, such as "ordered_at from 2026-06-01T00:00Z until 2026-07-01T00:00Z".
func (f filter) says(field string, kind dateKind) string {
	words := map[string]string{"gte": "from", "gt": "after", "lt": "until", "lte": "to", "": "is"}
	parts := []string{field}
	for _, operator := range []string{"", "gte", "gt", "lt", "lte"} {
		for _, c := range f {
			if c.field != field || c.operator != operator {
				continue
			}
			value := strings.Replace(c.value, ":00Z", "Z", 1)
			if kind == instants && isDate(value) {
				value += "T00:00Z"
			}
			parts = append(parts, words[operator], value)
		}
	}
	return strings.Join(parts, " ")
}

// hasDate reports whether a condition compares with a bare date, or with a time without an offset.
func (f filter) hasDate() bool { return slices.ContainsFunc(f, condition.hasDate) }

func (c condition) hasDate() bool {
	_, local := localTime(c.value, time.UTC)
	return local || isDate(c.value)
}

// localTime reads a time without an offset, such as "2026-06-30T09:15:00" or "2026-06-30 09:15", as one of a zone.
func localTime(text string, zone *time.Location) (t time.Time, ok bool) {
	for _, layout := range []string{"T15:04:05", "T15:04", " 15:04:05", " 15:04"} {
		if t, err := time.ParseInLocation(time.DateOnly+layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// isDate reports a date without a time, such as "2026-06-30".
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// instant writes a time as RFC 3339, in UTC.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// startOfDay is the first instant of a day in a zone. Where the clocks pass midnight twice it is the first of the two; where they skip
// it, the first instant after the gap.
func startOfDay(day time.Time, zone *time.Location) time.Time {
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

// timeZone reads the argument time_zone: UTC if absent.
func (a *arguments) timeZone() *time.Location {
	name := a.text("time_zone", maxNameBytes)
	if a.err != nil || name == "" {
		return time.UTC
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" { // the zone of the machine is of no meaning to the caller
		hint := `Send a name such as "Europe/Berlin", or leave it out for UTC.`
		a.failf("time_zone", hint, "time_zone %s is not an IANA time zone.", quote.Exact(name))
		return time.UTC
	}
	return zone
}

// A timeGroup is the span of one group of time.
type timeGroup struct{ from, until time.Time }

// readTimeGroup returns the span that a group's key names: a date, or for hours an RFC 3339 time; what is longer than a date is read as
// an instant. It reports false for any other key.
func readTimeGroup(key, granularity string, zone *time.Location) (timeGroup, bool) {
	t, err := rs.ReadTime(key)
	if err != nil {
		return timeGroup{}, false
	}
	if granularity == "hour" {
		return timeGroup{t, t.Add(time.Hour)}, true
	}
	day := t
	if len(key) > len(time.DateOnly) {
		year, month, date := t.In(zone).Date()
		day = time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	}
	next := day
	switch granularity {
	case "day":
		next = day.AddDate(0, 0, 1)
	case "week":
		next = day.AddDate(0, 0, 7)
	case "month":
		next = day.AddDate(0, 1, 0)
	case "quarter":
		next = day.AddDate(0, 3, 0)
	case "year":
		next = day.AddDate(1, 0, 0)
	}
	return timeGroup{startOfDay(day, zone), startOfDay(next, zone)}, true
}
