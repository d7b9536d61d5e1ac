package relax

import (
	"regexp"
	"strings"
	"time"
)

// namedTime is a month with its year, or a day of it: "in March 2026", "12 March 2026", "March 12, 2026", "2026-03", "2026-03-12".
var namedTime = regexp.MustCompile(`(?i)(?:\b(?:in|from|of|on|during)\s+)?\b(?:(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?` +
	`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?,)?\s+((?:19|20)\d\d)|((?:19|20)\d\d-\d\d)(-\d\d)?)\b`)

// Period returns the first and last day of the month or day that a query names with its year, and the query without it. It is false for a
// query that names none, or several, or that is quoted in part.
func Period(query string) (since, until, rest string, ok bool) {
	found := namedTime.FindAllStringSubmatchIndex(query, -1)
	if len(found) != 1 || strings.Contains(straight(query), `"`) {
		return "", "", "", false
	}
	at := found[0]
	part := func(n int) string {
		if at[2*n] < 0 {
			return ""
		}
		return query[at[2*n]:at[2*n+1]]
	}
	day := part(1) + part(3)
	layout, text := "Jan 2006", part(2)+" "+part(4)
	if part(5) != "" {
		layout, text, day = "2006-01", part(5), strings.TrimPrefix(part(6), "-")
	}
	if day != "" {
		layout, text = layout+" 2", text+" "+strings.TrimPrefix(day, "0")
	}
	first, err := time.Parse(layout, text)
	if err != nil {
		return "", "", "", false
	}
	last := first
	if day == "" {
		last = first.AddDate(0, 1, -1)
	}
	rest = strings.Join(strings.Fields(query[:at[0]]+" "+query[at[1]:]), " ")
	return first.Format(time.DateOnly), last.Format(time.DateOnly), strings.Trim(rest, " ?!.,"), true
}
