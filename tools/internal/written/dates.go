package written

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
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

// Day is a bound of a period as search takes it, for a day, month or year that is written in another way; "" if there is none. Of what
// is longer than a day, until is the last.
func Day(name, raw string) string {
	s, _ := Text(raw)
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

// Value is a value as a filter takes it, for a date or boolean that is written in another way; "" if there is none.
func Value(raw string) string {
	if s, ok := Text(raw); ok {
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
