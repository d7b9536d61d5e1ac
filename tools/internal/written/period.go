package written

import (
	"strconv"
	"strings"
	"time"
)

var (
	agoForm  = Expression(`^(?:now)?\s*-?\s*([0-9]{1,4})\s*(d|days?|w|weeks?|m|months?|y|years?)(?:\s+ago)?$`)
	spanForm = Expression(`^(?:the\s+)?(this|current|last|previous|past|next|coming)\s+(?:([0-9]{1,4})\s+)?(day|week|month|year)s?$`)
)

// Relative returns the first and the last day of what a text names by its distance from today, such as "yesterday", "last month" and
// "-30d", or of a month or day without a year, of which the last is meant; false for any other text. What began some time ago lasts until
// today, which is not said.
func Relative(s string, now time.Time) (first, last time.Time, ok bool) {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	switch s {
	case "now", "today":
		return today, today, true
	case "yesterday":
		return today.AddDate(0, 0, -1), today.AddDate(0, 0, -1), true
	case "tomorrow":
		return today.AddDate(0, 0, 1), today.AddDate(0, 0, 1), true
	}
	if found := agoForm().FindStringSubmatch(s); found != nil {
		n, _ := strconv.Atoi(found[1])
		days, months, years := map[byte]int{'d': n, 'w': 7 * n}, map[byte]int{'m': n}, map[byte]int{'y': n}
		return today.AddDate(-years[found[2][0]], -months[found[2][0]], -days[found[2][0]]), time.Time{}, true
	}
	if found := spanForm().FindStringSubmatch(s); found != nil {
		back := map[string]int{"this": 0, "current": 0, "next": -1, "coming": -1, "last": 1, "previous": 1, "past": 1}[found[1]]
		if n, _ := strconv.Atoi(found[2]); n > 0 || found[3] == "day" { // last 30 days
			unit := map[string][3]int{"day": {0, 0, 1}, "week": {0, 0, 7}, "month": {0, 1, 0}, "year": {1, 0, 0}}[found[3]]
			other := today.AddDate(-back*n*unit[0], -back*n*unit[1], -back*n*unit[2])
			if back < 0 {
				return today, other, n > 0
			}
			return other, today, n > 0 && back > 0
		}
		switch found[3] {
		case "week":
			first = today.AddDate(0, 0, -(int(today.Weekday())+6)%7-7*back)
			return first, first.AddDate(0, 0, 6), true
		case "month":
			first = time.Date(today.Year(), today.Month()-time.Month(back), 1, 0, 0, 0, 0, time.UTC)
			return first, first.AddDate(0, 1, -1), true
		}
		first = time.Date(today.Year()-back, time.January, 1, 0, 0, 0, 0, time.UTC)
		return first, first.AddDate(1, 0, -1), true
	}
	for _, known := range []struct {
		layout string
		days   bool
	}{{"January", false}, {"Jan", false}, {"2 January", true}, {"2 Jan", true}, {"January 2", true}, {"Jan 2", true}} {
		t, err := time.Parse(known.layout, s)
		if err != nil {
			continue
		}
		if first = time.Date(today.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC); first.After(today) {
			first = first.AddDate(-1, 0, 0)
		}
		if known.days {
			return first, first, true
		}
		return first, first.AddDate(0, 1, -1), true
	}
	return time.Time{}, time.Time{}, false
}

// IsMonth reports whether a text is the name of a month, which may also be that of a person.
func IsMonth(s string) bool {
	_, long := time.Parse("January", strings.TrimSpace(s))
	_, short := time.Parse("Jan", strings.TrimSpace(s))
	return long == nil || short == nil
}

const monthNames = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|` +
	`aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

var (
	// timeWords are what names a time in a query without a year.
	timeWords = Expression(`(?i)\b(?:(on|in|during|from|of|since|last|this)\s+)?(?:(yesterday|today|` +
		`(?:last|this|past|previous)\s+(?:week|month|year))|` +
		`(\d{1,2})(?:st|nd|rd|th)?\s+(` + monthNames + `)|(` + monthNames + `)(?:\s+(\d{1,2})(?:st|nd|rd|th)?)?)\b`)

	// datedWords are a month with its year, or a day of it: "in March 2026", "12 March 2026", "March 12, 2026", "2026-03", "2026-03-12".
	datedWords = Expression(`(?i)(?:\b(?:in|from|of|on|during)\s+)?\b(?:(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?` +
		`(` + monthNames + `)\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?,)?` +
		`\s+((?:19|20)\d\d)|((?:19|20)\d\d-\d\d)(-\d\d)?)\b`)
)

// NamedPeriod returns the first and the last day of the one time that a query names, and the query without it; until is "" where it lasts.
// It is false for a query that names none, or several, or that is quoted in part. A time without its year is the last one before now.
func NamedPeriod(query string, now time.Time) (since, until, rest string, ok bool) {
	first, last, at, ok := datedPeriod(query)
	if !ok {
		first, last, at, ok = yearlessPeriod(query, now)
	}
	if !ok || strings.ContainsAny(query, "\"“”„«»") {
		return "", "", "", false
	}
	if !last.IsZero() {
		until = last.Format(time.DateOnly)
	}
	rest = strings.Join(strings.Fields(query[:at[0]]+" "+query[at[1]:]), " ")
	return first.Format(time.DateOnly), until, strings.Trim(rest, " ?!.,"), true
}

// datedPeriod returns the days of the one month or day that a query names with its year, and where.
func datedPeriod(query string) (first, last time.Time, at []int, ok bool) {
	found := datedWords().FindAllStringSubmatchIndex(query, -1)
	if len(found) != 1 {
		return first, last, nil, false
	}
	at = found[0]
	parts := datedWords().FindStringSubmatch(query)
	day := parts[1] + parts[3]
	layout, text := "Jan 2006", parts[2][:min(len(parts[2]), 3)]+" "+parts[4]
	if parts[5] != "" {
		layout, text, day = "2006-01", parts[5], strings.TrimPrefix(parts[6], "-")
	}
	if day != "" {
		layout, text = layout+" 2", text+" "+strings.TrimPrefix(day, "0")
	}
	first, err := time.Parse(layout, text)
	if last = first; day == "" {
		last = first.AddDate(0, 1, -1)
	}
	return first, last, at, err == nil
}

// yearlessPeriod returns the days of the one time that a query names by its distance from today or without a year, and where. A month
// alone needs a word before it that makes it a time, as in March.
func yearlessPeriod(query string, now time.Time) (first, last time.Time, at []int, ok bool) {
	var found []string
	for _, candidate := range timeWords().FindAllStringSubmatchIndex(query, -1) {
		parts := timeWords().FindStringSubmatch(query[candidate[0]:candidate[1]])
		if parts[1] == "" && parts[5] != "" && parts[6] == "" {
			continue // it may be a name or a word
		}
		if at != nil {
			return first, last, nil, false
		}
		found, at = parts, candidate
	}
	if at == nil {
		return first, last, nil, false
	}
	words := found[2]
	if words == "" {
		words = strings.TrimSpace(found[3] + found[6] + " " + found[4] + found[5])
	}
	if first, last, ok = Relative(words, now); strings.EqualFold(found[1], "since") {
		last = time.Time{}
	}
	return first, last, at, ok
}
