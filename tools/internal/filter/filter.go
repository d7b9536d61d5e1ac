// Package filter has the typed filter of a call, and what its dates mean.
package filter

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Filter is a typed filter, ready to be written as bracketed parameters (S3-R10). The empty filter writes nothing.
type Filter []Condition

// A Condition compares one field with one value; an empty operator means equality.
type Condition struct{ Field, Operator, Value string }

const (
	maxConditions = 50 // of a filter
	// MaxNameBytes bounds a field, stream, relation or connection name.
	MaxNameBytes = 256
)

var filterHint = `Send an object such as {"status":"paid"} or {"sent_at":{"gte":"2026-01-01","lt":"2026-02-01"}}; operators: ` + strings.Join(rs.RangeOperators, ", ") + "."

func invalidFilter(format string, values ...any) *rs.Error {
	return &rs.Error{Code: "invalid_filter", Param: "filter", Message: fmt.Sprintf(format, values...), Hint: filterHint}
}

// Parse reads an object of fields, each with a scalar or an object of range operators.
func Parse(raw string) (Filter, error) {
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
	var f Filter
	for _, field := range fields {
		if !IsName(field.Name) {
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

func parseCondition(field, raw string) (Filter, error) {
	if raw[0] != '{' {
		value, ok := scalar(raw)
		if !ok {
			return nil, invalidFilter("filter compares %s with %s; a string, number or boolean is expected.", quote.Exact(field), quote.JSON(raw))
		}
		return Filter{{field, "", value}}, nil
	}
	operators, err := written.Object(raw)
	if err != nil || len(operators) == 0 {
		return nil, invalidFilter("filter compares %s with %s; a range needs at least one operator.", quote.Exact(field), quote.JSON(raw))
	}
	if lower, upper, reversed := written.ReversedRange(operators); reversed {
		e := invalidFilter("the range of %s ends before it begins: %s %s, %s %s.",
			quote.Exact(field), lower, quote.JSON(operators.Get(lower)), upper, quote.JSON(operators.Get(upper)))
		e.Hint = "The call below has these bounds the other way round."
		return nil, e
	}
	var f Filter
	for _, operator := range operators {
		if !slices.Contains(rs.RangeOperators, operator.Name) {
			return nil, invalidFilter("filter uses the operator %s on %s, which does not exist.", quote.Exact(operator.Name), quote.Exact(field))
		}
		value, ok := scalar(operator.Value)
		if !ok {
			return nil, invalidFilter("filter compares %s %s with %s; a string or number is expected.", quote.Exact(field), operator.Name, quote.JSON(operator.Value))
		}
		f = append(f, Condition{field, operator.Name, value})
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

// Write adds the filter's parameters: filter[field]=value and filter[field][operator]=value, never a bare filter=.
func (f Filter) Write(query url.Values) {
	for _, c := range f {
		if c.Operator == "" {
			query.Add("filter["+c.Field+"]", c.Value)
		} else {
			query.Add("filter["+c.Field+"]["+c.Operator+"]", c.Value)
		}
	}
}

// Object is the filter as a call has it.
func (f Filter) Object() (o rs.Object) {
	for _, c := range f {
		value := rs.EncodeJSON(c.Value)
		if c.Operator != "" {
			value = o.Object(c.Field).With(c.Operator, value).JSON()
		}
		o = o.With(c.Field, value)
	}
	return o
}

// IsName reports whether a name can stand between brackets.
func IsName(name string) bool {
	return strings.TrimSpace(name) != "" && len(name) <= MaxNameBytes && utf8.ValidString(name) &&
		!strings.ContainsAny(name, "[]") && !strings.ContainsFunc(name, unicode.IsControl)
}

// A date without a time means the whole day, and a time without an offset is one, in the time zone of the call or in UTC. A resource
// server takes a date for the day's first instant, or compares it as text; so what is sent is the day, or the next one, before which a
// value is. Only a day of another zone is sent as its instants, with the offset of that zone.

// A DateKind is what a schema says of the values of a field.
type DateKind int

// The kinds of values.
const (
	MayBeDates DateKind = iota // nothing that helps: text, or a field that the schema does not have
	NotDates                   // numbers and the like
	Dates                      // dates without a time
	Instants                   // timestamps
	LocalTimes                 // what clocks showed, of no zone
)

// maxReadAs bounds the fields of which it is said how their dates were read.
const maxReadAs = 5

// WholeDays returns the filter with each bare date replaced by what it means for its field. readAs has a line for each field of which
// something else is asked than the filter says as it was sent. zone is that of the dates.
func (f Filter) WholeDays(kindOf func(field string) DateKind, zone *time.Location) (sent Filter, readAs []string) {
	var read []string
	for _, c := range f {
		kind := kindOf(c.Field)
		conditions := c.wholeDay(kind, zone)
		start := c.Operator == "gte" && zone == time.UTC // which a day has in any reading
		other := !slices.Equal(conditions, Filter{c}) || written.IsDay(c.Value) && kind == Instants && !start ||
			c.hasDate() && kind == MayBeDates && zone != time.UTC
		if other && !slices.Contains(read, c.Field) && len(read) < maxReadAs {
			read = append(read, c.Field)
		}
		for _, condition := range conditions {
			sent = sent.Narrowed(condition)
		}
	}
	for _, field := range read {
		says := sent.says(field, kindOf(field))
		switch {
		case zone == time.UTC, kindOf(field) == LocalTimes:
		case kindOf(field) == MayBeDates:
			says += ", of no time zone: its type is not known"
		default:
			says += ", of " + zone.String()
		}
		readAs = append(readAs, says)
	}
	return sent, readAs
}

// wholeDay is what a condition means that may have a bare date, or a time without an offset. A field that may have dates as well as
// timestamps is compared with dates of no zone: the next day in place of "at most this day" and of "after this day" is right for both.
func (c Condition) wholeDay(kind DateKind, zone *time.Location) Filter {
	if local, ok := written.LocalTime(c.Value, zone); ok && kind == Instants {
		return Filter{{c.Field, c.Operator, Written(local, zone)}}
	}
	if kind == LocalTimes { // which a zone does not move
		kind, zone = Instants, time.UTC
	}
	day, err := time.Parse(time.DateOnly, c.Value)
	if err != nil || kind == NotDates || kind == Dates {
		return Filter{c}
	}
	if kind == MayBeDates {
		zone = time.UTC
	}
	if day.AddDate(0, 0, 1).Year() > 9999 { // no timestamp can say the next day
		return Filter{c}
	}
	from, until := FirstInstant(day, zone), FirstInstant(day.AddDate(0, 0, 1), zone)
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

// Narrowed is the filter with one more condition. Where it has the same bound already, the narrower one stays.
func (f Filter) Narrowed(c Condition) Filter {
	at := slices.IndexFunc(f, func(other Condition) bool { return other.Field == c.Field && other.Operator == c.Operator })
	if at < 0 || c.Operator == "" {
		return append(slices.Clone(f), c)
	}
	f = slices.Clone(f)
	if later(c.Value, f[at].Value) == strings.HasPrefix(c.Operator, "g") {
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
func (f Filter) says(field string, kind DateKind) string {
	words := map[string]string{"gte": "from", "gt": "after", "lt": "until", "lte": "to", "": "is"}
	parts := []string{field}
	for _, operator := range append([]string{""}, rs.RangeOperators...) {
		for _, c := range f {
			if c.Field != field || c.Operator != operator {
				continue
			}
			value := c.Value
			if t, err := time.Parse(time.RFC3339Nano, value); err == nil {
				value = strings.Replace(Written(t, time.UTC), ":00Z", "Z", 1)
			}
			if kind == Instants && written.IsDay(value) {
				value += "T00:00Z"
			}
			parts = append(parts, cmp.Or(words[operator], operator), value)
		}
	}
	return strings.Join(parts, " ")
}

// HasDate reports whether a condition compares with a bare date, or with a time without an offset.
func (f Filter) HasDate() bool { return slices.ContainsFunc(f, Condition.hasDate) }

func (c Condition) hasDate() bool {
	_, local := written.LocalTime(c.Value, time.UTC)
	return local || written.IsDay(c.Value)
}

// Has reports whether a condition is on a field.
func (f Filter) Has(field string) bool {
	return slices.ContainsFunc(f, func(c Condition) bool { return c.Field == field })
}

// Without is the filter less the conditions on a field.
func (f Filter) Without(field string) Filter {
	return f.WithoutFunc(func(c Condition) bool { return c.Field == field })
}

// WithoutFunc is the filter less some conditions.
func (f Filter) WithoutFunc(left func(Condition) bool) Filter {
	return slices.DeleteFunc(slices.Clone(f), left)
}

// Only is the filter with a field that has one value.
func (f Filter) Only(field, value string) Filter {
	return append(f.Without(field), Condition{Field: field, Value: value})
}

// Lasting are the conditions on two fields, of which one says when a record begins and the other when it ends, for those that began
// before a bound and end after it. The last day of what ends on a date belongs to it; what it ends at does not, also where that is a day, as
// calendars have it.
func Lasting(start, end string, kind DateKind, bound string) Filter {
	after := Condition{end, "gt", bound}
	switch {
	case kind == Dates && strings.HasSuffix(end, "_at"): // it is as it should be
	case kind == Dates, strings.Contains(strings.ToLower(end), "date"), strings.HasSuffix(end, "_on"), strings.HasSuffix(end, "day"):
		after.Operator = "gte"
	case written.IsDay(bound): // after a day would mean from the next one on
		after.Value += "T00:00:00Z"
	}
	return Filter{{start, "lt", bound}, after}
}
