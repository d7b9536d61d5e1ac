// Package filter has the typed filter of a call, and what its dates mean.
package filter

import (
	"net/url"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Filter is a typed filter, ready to be written as bracketed parameters (S3-R10). The empty filter writes nothing.
type Filter []Condition

// A Condition compares one field with one value; an empty operator means equality.
type Condition struct {
	Field, Operator string
	Value           Value
}

// Write adds the filter's parameters: filter[field]=value and filter[field][operator]=value, never a bare filter=.
func (f Filter) Write(query url.Values) {
	for _, c := range f {
		if c.Operator == "" {
			query.Add("filter["+c.Field+"]", c.Value.text)
		} else {
			query.Add("filter["+c.Field+"]["+c.Operator+"]", c.Value.text)
		}
	}
}

// Object returns the filter as the object that a call has.
func (f Filter) Object() (o rs.Object) {
	for _, c := range f {
		value := rs.EncodeJSON(c.Value.text)
		if c.Operator != "" {
			value = o.Object(c.Field).With(c.Operator, value).JSON()
		}
		o = o.With(c.Field, value)
	}
	return o
}

// Narrowed returns the filter with one more condition. If the filter has a bound with the same operator, the narrower one of the two stays.
func (f Filter) Narrowed(c Condition) Filter {
	at := slices.IndexFunc(f, func(other Condition) bool { return other.Field == c.Field && other.Operator == c.Operator })
	if at < 0 || c.Operator == "" {
		return append(slices.Clone(f), c)
	}
	f = slices.Clone(f)
	if c.Value.after(f[at].Value) == rs.IsLowerBound(c.Operator) {
		f[at] = c
	}
	return f
}

// Has reports whether a condition is on a field.
func (f Filter) Has(field string) bool {
	return slices.ContainsFunc(f, func(c Condition) bool { return c.Field == field })
}

// Without returns the filter without the conditions on a field.
func (f Filter) Without(field string) Filter {
	return f.WithoutFunc(func(c Condition) bool { return c.Field == field })
}

// WithoutFunc returns the filter without some conditions.
func (f Filter) WithoutFunc(left func(Condition) bool) Filter {
	return slices.DeleteFunc(slices.Clone(f), left)
}

// Only returns the filter in which a field must equal a value, without other conditions on the field.
func (f Filter) Only(field, value string) Filter {
	return append(f.Without(field), Condition{Field: field, Value: ValueOf(value)})
}

// A Value is what a condition compares with: a text, read once as the number, date or time that it may be. Values that are read from one
// text are equal.
type Value struct {
	text string
	form form
	at   time.Time // in UTC: the start of a day, a local time as if its zone were UTC, or the instant
}

// A form is how a value is written.
type form int

const (
	asText      form = iota // or a boolean
	asNumber                // a JSON number
	asDay                   // a date without a time, such as "2026-06-30"
	asLocalTime             // a time without an offset, such as "2026-06-30T09:15"
	asInstant               // RFC 3339
)

// ValueOf reads a text as a value.
func ValueOf(text string) Value {
	v := Value{text: text}
	if len(text) < len(time.DateOnly) {
		return v
	}
	day, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)])
	if err != nil {
		return v
	}
	if len(text) == len(time.DateOnly) {
		v.form, v.at = asDay, day
	} else if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		v.form, v.at = asInstant, t.UTC()
	} else if t, ok := written.LocalTime(text, time.UTC); ok {
		v.form, v.at = asLocalTime, t
	}
	return v
}

// String returns the text of a value.
func (v Value) String() string { return v.text }

// IsZero reports whether a value is missing.
func (v Value) IsZero() bool { return v == Value{} }

// IsTime reports whether a value is a date or an instant. A date is compared as its midnight in UTC.
func (v Value) IsTime() bool { return v.form == asDay || v.form == asInstant }

// Day returns the midnight in UTC of a date without a time; false for any other value.
func (v Value) Day() (time.Time, bool) { return v.at, v.form == asDay }

// Instant returns the instant of an RFC 3339 time; false for any other value.
func (v Value) Instant() (time.Time, bool) { return v.at, v.form == asInstant }

// In returns the instant that a time without an offset is in a zone. It returns any other value unchanged.
func (v Value) In(zone *time.Location) Value {
	if v.form != asLocalTime {
		return v
	}
	return InstantIn(clockIn(v.at, zone), zone)
}

// clockIn returns the time at which the clocks of a zone show what those of the zone of t show.
func clockIn(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	return time.Date(year, month, day, hour, minute, second, t.Nanosecond(), zone)
}

// Date returns the day that a time is on in its zone.
func Date(t time.Time) Value {
	return Value{text: t.Format(time.DateOnly), form: asDay, at: midnight(t)}
}

// midnight returns the midnight in UTC of the day that a time is on in its zone.
func midnight(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// LocalTime returns a time as the clocks of its zone show it, to the second.
func LocalTime(t time.Time) Value {
	return Value{text: t.Format("2006-01-02T15:04:05"), form: asLocalTime, at: clockIn(t.Truncate(time.Second), time.UTC)}
}

// InstantIn returns an instant, written in a zone: from its offset, a server that has dates among times knows where the caller's days
// begin.
func InstantIn(t time.Time, zone *time.Location) Value {
	return Value{text: formatted(t, zone), form: asInstant, at: t.UTC()}
}

// formatted writes a time as RFC 3339 in a zone.
func formatted(t time.Time, zone *time.Location) string {
	t = t.In(zone)
	if _, offset := t.Zone(); offset%60 != 0 { // RFC 3339 offsets have no seconds
		t = t.UTC()
	}
	return t.Format(time.RFC3339Nano)
}

// after reports whether one bound is after another. Bounds that are not two times are compared as texts.
func (v Value) after(other Value) bool {
	if v.IsTime() && other.IsTime() {
		return v.at.After(other.at)
	}
	return v.text > other.text
}
