package written

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// dateLayouts are ways to write a day, a month or a year, and times without a zone, beside RFC 3339. Those whose day and month can be
// mistaken for each other are none.
var dateLayouts = []struct {
	layout string
	unit   string // "" for a time
}{
	{"2006-01", "month"}, {"January 2006", "month"}, {"Jan 2006", "month"}, {"2006/01/02", "day"}, {"2006.01.02", "day"},
	{"2 January 2006", "day"}, {"2 Jan 2006", "day"}, {"January 2, 2006", "day"}, {"Jan 2, 2006", "day"},
	{"January 2 2006", "day"}, {"Jan 2 2006", "day"},
	{"2006-01-02 15:04:05", ""}, {"2006-01-02 15:04", ""}, {"2006-01-02T15:04:05", ""}, {"2006-01-02T15:04", ""},
}

// Day is a bound of a period as search takes it, for a time of days that is written in another way; "" if there is none. Of what is longer
// than a day, until is the last.
func Day(name, raw string) string {
	s, _ := Text(raw)
	if unixSeconds().MatchString(strings.TrimSpace(s)) {
		return dateOf(raw)
	}
	first, next, ok := span(s)
	switch {
	case !ok: // a time without a zone is not taken for one of UTC
		return ""
	case name == "until":
		first = next.AddDate(0, 0, -1)
	}
	return first.Format(time.DateOnly)
}

var (
	isoWeek   = Expression(`^([0-9]{4})-?W(0[1-9]|[1-4][0-9]|5[0-3])$`)
	quarterOf = Expression(`(?i)^(?:([0-9]{4})[- ]?Q([1-4])|Q([1-4])[- ]?([0-9]{4}))$`)
)

// span returns the first day of a day, week, month, quarter or year, and the one after its last; false for any other text, and for a day
// that is written as it should be.
func span(s string) (first, next time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if year, err := time.Parse("2006", s); err == nil {
		return year, year.AddDate(1, 0, 0), true
	}
	if week := isoWeek().FindStringSubmatch(s); week != nil {
		year, _ := strconv.Atoi(week[1])
		number, _ := strconv.Atoi(week[2])
		fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // is in the first week
		first = fourth.AddDate(0, 0, 7*(number-1)-(int(fourth.Weekday())+6)%7)
		return first, first.AddDate(0, 0, 7), true
	}
	if quarter := quarterOf().FindStringSubmatch(s); quarter != nil {
		year, _ := strconv.Atoi(quarter[1] + quarter[4])
		number, _ := strconv.Atoi(quarter[2] + quarter[3])
		first = time.Date(year, time.Month(3*number-2), 1, 0, 0, 0, 0, time.UTC)
		return first, first.AddDate(0, 3, 0), true
	}
	switch first, unit := readDate(s); unit {
	case "day":
		return first, first.AddDate(0, 0, 1), true
	case "month":
		return first, first.AddDate(0, 1, 0), true
	}
	return first, next, false
}

// monthsElsewhere are the names of the months in German, French, Spanish, Italian, Portuguese and Dutch where they are not the English
// ones.
//
//nolint:misspell // they are not English
var monthsElsewhere = map[time.Month]string{
	time.January:  "januar janvier enero gennaio janeiro januari",
	time.February: "februar février fevrier febrero febbraio fevereiro februari",
	time.March:    "märz maerz mars marzo março marco maart", time.April: "avril abril aprile", time.May: "mai mayo maggio maio mei",
	time.June: "juni juin junio giugno junho", time.July: "juli juillet julio luglio julho", time.August: "août aout agosto augustus",
	time.September: "septembre septiembre settembre setembro", time.October: "oktober octobre octubre ottobre outubro",
	time.November: "novembre noviembre novembro", time.December: "dezember décembre decembre diciembre dicembre dezembro",
}

// inEnglish is a text with the names of months of other languages in English, such as "5 March 2026" for "5. März 2026" and "5 de marzo de
// 2026".
func inEnglish(s string) string {
	s = ordinal().ReplaceAllString(s, "$1")
	words := slices.DeleteFunc(strings.Fields(s), func(word string) bool { return strings.EqualFold(word, "de") })
	for i, word := range words {
		for month, names := range monthsElsewhere {
			if slices.Contains(strings.Fields(names), strings.ToLower(word)) {
				words[i] = month.String()
				if i > 0 {
					words[i-1] = strings.TrimSuffix(words[i-1], ".")
				}
				return strings.Join(words, " ")
			}
		}
	}
	return s
}

var ordinal = Expression(`\b([0-9]{1,2})(?:st|nd|rd|th)\b`)

// readDate reads a date or time in one of the layouts; the zero time for any other text.
func readDate(s string) (t time.Time, unit string) {
	s = inEnglish(s)
	for _, known := range dateLayouts {
		if t, err := time.Parse(known.layout, s); err == nil {
			return t, known.unit
		}
	}
	return time.Time{}, ""
}

var unixSeconds = Expression(`^1[0-9]{9}$|^1[0-9]{12}$`)

// dateOf is a date as a filter takes it, for one that is written in another way; "" if there is none.
func dateOf(raw string) string {
	s, ok := rs.AsText(raw)
	if !ok {
		return ""
	}
	s = strings.TrimSpace(s)
	if unixSeconds().MatchString(s) {
		n, _ := strconv.ParseInt(s[:10], 10, 64)
		return time.Unix(n, 0).UTC().Format(time.RFC3339)
	}
	switch t, unit := readDate(s); {
	case t.IsZero():
		last, _ := LastOfMonth(raw)
		return last
	case unit == "":
		return t.Format(time.RFC3339)
	default:
		return t.Format(time.DateOnly)
	}
}

// LastOfMonth is the last day of the month of a date that there is not, such as 2026-02-30; false for any other value.
func LastOfMonth(raw string) (string, bool) {
	s, _ := Text(raw)
	s = strings.TrimSpace(s)
	_, err := time.Parse(time.DateOnly, s)
	if len(s) != len(time.DateOnly) || err == nil || s[8:] < "29" || s[8:] > "31" {
		return "", false
	}
	month, err := time.Parse("2006-01-", s[:8])
	return month.AddDate(0, 1, -1).Format(time.DateOnly), err == nil
}

const currencyCodes = `(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|BRL|MXN)`

var (
	currencyForm = Expression(`^(?:[£$€¥]|` + currencyCodes + `)\s*|\s*(?:[£$€¥]|` + currencyCodes + `)$`)
	thousands    = Expression(`^-?[0-9]{1,3}(?:(?:,[0-9]{3})+(?:\.[0-9]+)?|(?:\.[0-9]{3})+,[0-9]+|(?:[ '’][0-9]{3})+(?:[.,][0-9]+)?)$`)
	decimalComma = Expression(`^-?[0-9]+,[0-9]{1,2}$`)
	plainAmount  = Expression(`^-?[0-9]+(?:\.[0-9]+)?$`)
)

// WithoutCurrency returns the amount in a text that has the sign or code of a currency before or after it; ok is false for any other text.
func WithoutCurrency(raw string) (amount string, ok bool) {
	s, _ := Text(raw)
	amount = currencyForm().ReplaceAllString(strings.TrimSpace(s), "")
	return amount, amount != strings.TrimSpace(s) && numberOf(amount) != ""
}

// numberOf is the number that a text is, with its thousands apart or a comma before its decimals; "" for any other text.
func numberOf(s string) string {
	switch {
	case thousands().MatchString(s):
		at := strings.LastIndexAny(s, ",.")
		if at >= 0 && (len(s)-at != 4 || strings.Trim(s[:at], "-0123456789"+s[at:at+1]) != "") { // what follows are decimals
			s = s[:at] + "d" + s[at+1:]
		}
		s = strings.NewReplacer(",", "", ".", "", " ", "", "'", "", "’", "", "d", ".").Replace(s)
	case decimalComma().MatchString(s):
		s = strings.Replace(s, ",", ".", 1)
	}
	if !plainAmount().MatchString(s) {
		return ""
	}
	return s
}

// CompactDay is the day that eight digits are, such as 20261105; "" for any other value. They may be a number.
func CompactDay(raw string) string {
	s, _ := rs.AsText(raw)
	day, err := time.Parse("20060102", strings.TrimSpace(s))
	if err != nil || day.Year() < 1900 || day.Year() > 2100 {
		return ""
	}
	return rs.EncodeJSON(day.Format(time.DateOnly))
}

// Value is a value as a filter takes it, for a date, a boolean or an amount that is written in another way; "" if there is none.
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
	if amount, ok := WithoutCurrency(raw); ok {
		return numberOf(amount)
	}
	if s, ok := Text(raw); ok && !plainAmount().MatchString(s) {
		return numberOf(s)
	}
	return ""
}
