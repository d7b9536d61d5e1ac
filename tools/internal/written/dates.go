package written

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// timeLayouts are ways to write a time without a zone, beside RFC 3339.
var timeLayouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04"}

// clock is a time of day behind a day, such as "at 3 pm" and "um 15 Uhr".
var clock = Expression(`(?i)[\s,]+(?:(?:at|um|à|a las|alle|om)\s+)?([0-9]{1,2})(?:[:.h]([0-9]{2}))?\s*(am|pm|uhr|h)?$`)

// timeOfDay is a day with a time of day, which is in no zone: "2026-03-12T15:00:00"; "" for any other text.
func timeOfDay(s string) string {
	found := clock().FindStringSubmatch(s)
	if found == nil || found[2]+found[3] == "" {
		return ""
	}
	s = strings.TrimSuffix(s, found[0])
	day, err := time.Parse(time.DateOnly, s)
	if named, ok := span(s); ok && named.first.Equal(named.last) {
		day, err = named.first, nil
	}
	hour, _ := strconv.Atoi(found[1])
	minute, _ := strconv.Atoi("0" + found[2])
	switch half := strings.ToLower(found[3]); {
	case (half == "am" || half == "pm") && (hour < 1 || hour > 12):
		return ""
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	if err != nil || hour > 23 || minute > 59 {
		return ""
	}
	return day.Add(time.Duration(60*hour+minute) * time.Minute).Format("2006-01-02T15:04:05")
}

// Day is a bound of a period as search takes it, for a time of days that is written in another way; "" if there is none. Of what is longer
// than a day, until is the last.
func Day(name, raw string) string {
	s, _ := Text(raw)
	if unixSeconds().MatchString(strings.TrimSpace(s)) {
		return dateOf(raw)
	}
	found, ok := span(s)
	switch {
	case !ok: // a time without a zone is not taken for one of UTC
		return ""
	case name == "until":
		return found.last.Format(time.DateOnly)
	}
	return found.first.Format(time.DateOnly)
}

// span returns the days of a day, week, month, quarter or year, or of a part of one, that is named with its year; false for any other text,
// and for a day that is written as it should be. Days whose day and month can be mistaken for each other are none.
func span(s string) (days, bool) {
	if _, err := time.Parse(time.DateOnly, strings.TrimSpace(s)); err == nil {
		return days{}, false
	}
	return readDays(timeWords(s), time.Time{})
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
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.RFC3339)
		}
	}
	if local := timeOfDay(s); local != "" {
		return local
	}
	if found, ok := span(s); ok && found.first.Month() == found.last.Month() && found.first.Day() == 1 || ok && found.first.Equal(found.last) {
		return found.first.Format(time.DateOnly)
	}
	last, _ := LastOfMonth(raw)
	return last
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
