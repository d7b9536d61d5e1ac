package filter

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Value is what a condition compares with: a text, read once as the date or time that it may be. Values that are read from the same text
// are equal.
type Value struct {
	text   string
	form   form
	number float64   // of the form number
	at     time.Time // in UTC: the start of a day, a local time as if its zone were UTC, or the instant
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

// valueOfJSON reads a string, number or boolean that a query parameter can have; false for any other value. Numbers keep the digits they
// came with.
func valueOfJSON(raw string) (v Value, ok bool) {
	text, ok := rs.AsText(raw)
	if rs.Kind(raw) == "string" {
		ok = ok && text != "" && len(text) <= 4096 && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
		return ValueOf(text), ok
	}
	v = Value{text: text}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		v.form, v.number = asNumber, n
	}
	return v, ok && len(text) <= 400
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
	year, month, day := t.Date()
	return Value{text: t.Format(time.DateOnly), form: asDay, at: time.Date(year, month, day, 0, 0, 0, 0, time.UTC)}
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

// after reports whether one bound is after another. Bounds that are neither two numbers nor two times are compared as texts.
func (v Value) after(other Value) bool {
	switch {
	case v.form == asNumber && other.form == asNumber:
		return v.number > other.number
	case v.IsTime() && other.IsTime():
		return v.at.After(other.at)
	}
	return v.text > other.text
}

// isReversed reports whether a range of two numbers, or of two dates or times, ends before it begins. A date is a day in some zone, so
// next to a time it may be off by one.
func isReversed(lower, upper Value) bool {
	if lower.form == asNumber && upper.form == asNumber {
		return lower.number > upper.number
	}
	until := upper.at
	if lower.form != upper.form {
		until = until.AddDate(0, 0, 2)
	}
	return lower.IsTime() && upper.IsTime() && lower.at.After(until)
}
