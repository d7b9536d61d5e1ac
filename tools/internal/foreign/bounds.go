package foreign

import (
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The bounds of a search are since and until. Others call them otherwise, and bound a time by words such as before and in.

// SinceNames and UntilNames are what others call the bounds of a search.
const (
	SinceNames = "from start start_date date_from from_date start_time time_min"
	UntilNames = "to end end_date date_to to_date end_time time_max"

	spanNames = "date_range time_range period range dates between daterange timerange date_filter time_period"
)

// SpanNames are words for both bounds of a time, which may be an object or a list of them.
var SpanNames = written.Set(spanNames)

// BoundWords are words that bound a time, alone or before a colon in a query, with the bounds of a search that they mean.
var BoundWords = written.ByWord(map[string]string{
	"since":       "since after newer newer_than gte gt " + SinceNames,
	"until":       "until before older older_than lte lt " + UntilNames,
	"since until": "on date day when in week month quarter year " + spanNames, // of one time
})

// DayJSON is a day as arguments have it.
func DayJSON(day time.Time) string { return rs.EncodeJSON(day.Format(time.DateOnly)) }

// SearchBound is the bound of a search that a word such as before means with a value, as JSON; "" if that names no days, or has no such bound. A
// day that is before: or older: is not in it. now is zero where days by their distance from it are not read.
func SearchBound(word, bound, raw string, now time.Time) string {
	text, _ := rs.AsText(raw)
	first, last, _ := written.Days(text, now)
	switch {
	case word == "before" || word == "older" || word == "lt":
		first = first.AddDate(0, 0, -1)
	case bound == "until" && (!last.IsZero() || strings.Contains(BoundWords[word], " ")):
		first = last
	}
	if first.Year() <= 1 {
		return ""
	}
	return DayJSON(first)
}

// SearchBounds are the bounds of a search that an argument means, none if it is not known which; false if it bounds no time.
func SearchBounds(m rs.Member) (bounds rs.Object, ok bool) {
	name := written.Snake(m.Name)
	means := strings.Fields(BoundWords[name])
	if _, isText := written.Text(m.Value); SpanNames[name] && !isText {
		return SearchBoundsIn(m.Value), true
	}
	if days := rs.AsObject(written.Range(m.Value)); len(means) > 1 && days.Has("lte") { // two days
		return rs.Object{{Name: "since", Value: days.Get("gte")}, {Name: "until", Value: days.Get("lte")}}, true
	}
	text, _ := rs.AsText(m.Value)
	_, _, known := written.Days(text, time.Now().UTC())
	for _, bound := range means {
		value, exact := SearchBound(name, bound, m.Value, time.Now().UTC()), written.Value(m.Value)
		switch {
		case value != "":
		case written.IsTime(exact): // one without a zone is one of UTC
			value = exact
		case known: // it has no such bound
			continue
		case len(means) > 1 && !written.IsTime(m.Value):
			return nil, true
		default:
			value = m.Value
		}
		bounds = append(bounds, rs.Member{Name: bound, Value: value})
	}
	return bounds, len(means) > 0
}

// SearchBoundsIn are the bounds of a search in an object or a list of two; none if it is not known which.
func SearchBoundsIn(raw string) (bounds rs.Object) {
	inner := rs.AsObject(raw)
	if list, _ := rs.AsArray(raw); len(list) == 2 {
		inner = rs.Object{{Name: "since", Value: list[0]}, {Name: "until", Value: list[1]}}
	}
	for _, m := range inner {
		found, _ := SearchBounds(m)
		if len(found) != 1 || bounds.Has(found[0].Name) {
			return nil
		}
		bounds = append(bounds, found...)
	}
	return bounds
}
