package correct

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

var (
	agoForm  = regexp.MustCompile(`^(?:now)?\s*-?\s*([0-9]{1,4})\s*(d|days?|w|weeks?|m|months?|y|years?)(?:\s+ago)?$`)
	spanForm = regexp.MustCompile(`^(?:the\s+)?(this|current|last|previous|past)\s+(week|month|year)$`)
)

// relativeSpan returns the first and the last day of what a text names by its distance from today, such as "yesterday", "last month" and
// "-30d", or of a month or day without a year, of which the last is meant; false for any other text. What began some time ago lasts until
// today, which is not said.
func relativeSpan(s string, now time.Time) (first, last time.Time, ok bool) {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	switch s {
	case "now", "today":
		return today, today, true
	case "yesterday":
		return today.AddDate(0, 0, -1), today.AddDate(0, 0, -1), true
	}
	if found := agoForm.FindStringSubmatch(s); found != nil {
		n, _ := strconv.Atoi(found[1])
		days, months, years := map[byte]int{'d': n, 'w': 7 * n}, map[byte]int{'m': n}, map[byte]int{'y': n}
		return today.AddDate(-years[found[2][0]], -months[found[2][0]], -days[found[2][0]]), time.Time{}, true
	}
	if found := spanForm.FindStringSubmatch(s); found != nil {
		back := 1
		if found[1] == "this" || found[1] == "current" {
			back = 0
		}
		switch found[2] {
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

const monthNames = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// timeWords are what names a time in a query without a year.
var timeWords = regexp.MustCompile(`(?i)\b(?:(on|in|during|from|of|since|last|this)\s+)?(?:(yesterday|today|(?:last|this|past|previous)\s+(?:week|month|year))|` +
	`(\d{1,2})(?:st|nd|rd|th)?\s+(` + monthNames + `)|(` + monthNames + `)(?:\s+(\d{1,2})(?:st|nd|rd|th)?)?)\b`)

// NamedPeriod returns the first and the last day of the one time that a query names by its distance from today or without a year, and the
// query without it; until is "" where it lasts. A month alone needs a word before it that makes it a time, as in March.
func NamedPeriod(query string, now time.Time) (since, until, rest string, ok bool) {
	all := timeWords.FindAllStringSubmatchIndex(query, -1)
	var found []string
	var at []int
	for _, candidate := range all {
		parts := timeWords.FindStringSubmatch(query[candidate[0]:candidate[1]])
		if parts[1] == "" && parts[5] != "" && parts[6] == "" {
			continue // it may be a name or a word
		}
		if at != nil {
			return "", "", "", false
		}
		found, at = parts, candidate
	}
	if at == nil || strings.ContainsAny(query, "\"“”") {
		return "", "", "", false
	}
	words := found[2]
	if words == "" {
		words = strings.TrimSpace(found[3] + found[6] + " " + found[4] + found[5])
	}
	first, last, ok := relativeSpan(words, now)
	if !ok {
		return "", "", "", false
	}
	if !strings.EqualFold(found[1], "since") {
		until = last.Format(time.DateOnly)
	}
	rest = strings.Join(strings.Fields(query[:at[0]]+" "+query[at[1]:]), " ")
	return first.Format(time.DateOnly), until, strings.Trim(rest, " ?!.,"), true
}

func isMonth(s string) bool {
	_, long := time.Parse("January", strings.TrimSpace(s))
	_, short := time.Parse("Jan", strings.TrimSpace(s))
	return long == nil || short == nil
}

// Relative returns the call with dates in place of times that are named by their distance from now, as bounds of a search and in a filter;
// false where there is none.
func (t Tool) Relative(args rs.Object, now time.Time) (Call, bool) {
	found := false
	dated := args
	day := func(t time.Time) string { return rs.EncodeJSON(t.Format(time.DateOnly)) }
	for _, name := range []string{"since", "until"} {
		s, _ := text(args.Get(name))
		first, last, ok := relativeSpan(s, now)
		switch {
		case !ok || !t.Takes(name):
			continue
		case name == "since":
			if dated = dated.With(name, day(first)); !last.IsZero() && !args.Has("until") && last.Before(now.AddDate(0, 0, -1)) {
				dated = dated.With("until", day(last))
			}
		case last.IsZero():
			dated = dated.With(name, day(first))
		default:
			dated = dated.With(name, day(last))
		}
		found = true
	}
	filter := args.Object("filter")
	for _, m := range filter {
		if s, isText := text(m.Value); isText {
			if first, last, ok := relativeSpan(s, now); ok && (!isMonth(s) || timeName.MatchString(m.Name)) { // else "May" may be a person

				bounds := rs.Object{{Name: "gte", Value: day(first)}}
				if !last.IsZero() {
					bounds = append(bounds, rs.Member{Name: "lte", Value: day(last)})
				}
				filter, found = filter.With(m.Name, bounds.JSON()), true
			}
			continue
		}
		bounds := rs.AsObject(m.Value)
		for _, bound := range bounds {
			s, _ := text(bound.Value)
			first, last, ok := relativeSpan(s, now)
			if !ok {
				continue
			}
			if strings.HasPrefix(bound.Name, "l") == (bound.Name == "lte") && !last.IsZero() && bound.Name != "gte" {
				first = last // after it, or until its end
			}
			bounds, found = bounds.With(bound.Name, day(first)), true
		}
		if bounds != nil {
			filter = filter.With(m.Name, bounds.JSON())
		}
	}
	if len(filter) > 0 {
		dated = dated.With("filter", filter.JSON())
	}
	return Call{t.Name, dated}, found
}

// ianaZone is the IANA zone that an offset, a city or a common abbreviation means; "" if there is none.
func ianaZone(name string) string {
	if found := offsetForm.FindStringSubmatch(strings.ToUpper(name)); found != nil {
		sign := "-" // the signs of these zones are the other way round
		if found[1] == "-" {
			sign = "+"
		}
		if hours := strings.TrimLeft(found[2], "0"); hours != "" {
			return "Etc/GMT" + sign + hours
		}
		return "UTC"
	}
	if zone := zoneWords[strings.ToUpper(name)]; zone != "" {
		return zone
	}
	var city []string
	for _, word := range strings.FieldsFunc(name, func(c rune) bool { return c == ' ' || c == '_' }) {
		city = append(city, strings.ToUpper(word[:1])+strings.ToLower(word[1:]))
	}
	for _, area := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic"} {
		if zone := area + "/" + strings.Join(city, "_"); len(city) > 0 && !strings.ContainsAny(name, "/.") {
			if _, err := time.LoadLocation(zone); err == nil {
				return zone
			}
		}
	}
	return ""
}

var (
	offsetForm = regexp.MustCompile(`^(?:GMT|UTC)?\s*([+-])\s*([01]?[0-9])(?::?00)?$`)
	zoneWords  = map[string]string{
		"BST": "Europe/London", "CEST": "Europe/Berlin", "EEST": "Europe/Athens", "WEST": "Europe/Lisbon", "EDT": "America/New_York",
		"ET": "America/New_York", "CDT": "America/Chicago", "MDT": "America/Denver", "PT": "America/Los_Angeles", "PDT": "America/Los_Angeles",
		"PST": "America/Los_Angeles", "JST": "Asia/Tokyo", "AEST": "Australia/Sydney", "Z": "UTC",
	}
)
