package written

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// clockLayouts are ways to write a time of day.
var clockLayouts = []string{"3pm", "3:04pm", "15:04", "15:04uhr", "15uhr", "15h", "15h04"}

// clock matches a time of day after a day, such as "at 3 pm" and "um 15 Uhr".
var clock = Expression(`[\s,]+(?:` + lexicon.Pattern("before-hour") + `\s+)?([0-9]{1,2}(?:[:.h][0-9]{2})?\s*(?:am|pm|uhr|h)?)$`)

// timeOfDay returns a day with a time of day, without a zone: "2026-03-12T15:00:00"; "" for any other text.
func timeOfDay(s string) string {
	s = strings.ToLower(s)
	found := clock().FindStringSubmatch(s)
	if found == nil {
		return ""
	}
	day, last, ok := Days(strings.TrimSuffix(s, found[0]), time.Time{})
	for _, layout := range clockLayouts {
		at, err := time.Parse(layout, strings.NewReplacer(" ", "", ".", ":").Replace(found[1]))
		if err == nil && ok && day.Equal(last) {
			return day.Format(time.DateOnly) + at.Format("T15:04:05")
		}
	}
	return ""
}

// IsDay reports whether a text is a date without a time in the standard form, such as "2026-06-30".
func IsDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// Day returns a bound of a period as search takes it, for a day or longer time that is written in another way; "" if there is none. Of a
// longer time, until is the last day. A time without a zone is not assumed to be in UTC.
func Day(name, raw string) string {
	s, _ := rs.AsText(raw)
	first, last, ok := Days(s, time.Time{})
	switch {
	case unixSeconds().MatchString(strings.TrimSpace(s)):
		return dateOf(raw)
	case !ok || IsDay(strings.TrimSpace(s)):
		return ""
	case name == "until":
		return last.Format(time.DateOnly)
	}
	return first.Format(time.DateOnly)
}

var unixSeconds = Expression(`^1[0-9]{9}$|^1[0-9]{12}$`)

// dateOf returns a date as a filter takes it, for one that is written in another way; "" if there is none.
func dateOf(raw string) string {
	s, _ := rs.AsText(raw)
	s = strings.TrimSpace(s)
	if unixSeconds().MatchString(s) {
		n, _ := strconv.ParseInt(s[:10], 10, 64)
		return time.Unix(n, 0).UTC().Format(time.RFC3339)
	}
	if t, ok := LocalTime(s, time.UTC); ok {
		return t.Format(time.RFC3339)
	}
	if local := cmp.Or(zoned(s), timeOfDay(s)); local != "" {
		return local
	}
	first, last, ok := Days(s, time.Time{})
	if ok && !IsDay(strings.TrimSpace(s)) && (first.Equal(last) || first.Month() == last.Month() && first.Day() == 1) {
		return first.Format(time.DateOnly)
	}
	end, _ := LastOfMonth(raw)
	return end
}

var (
	monthYear    = Expression(`^"(0?[1-9]|1[0-2])[/.-]([0-9]{4})"$`)
	yearDayMonth = Expression(`^"([0-9]{4})-(1[3-9]|2[0-9]|3[01])-(0[1-9]|1[0-2])"$`)
)

// Reordered returns a JSON text with its month before its year, such as "12/2025", or its day before its month, such as "2026-13-01", in
// the usual order; "" for any other value.
func Reordered(raw string) string {
	usual := yearDayMonth().ReplaceAllString(monthYear().ReplaceAllString(raw, `"$2-$1"`), `"$1-$3-$2"`)
	if usual == raw {
		return ""
	}
	return usual
}

// LastOfMonth returns the last day of the month for a date that does not exist, such as 2026-02-30; false for any other value.
func LastOfMonth(raw string) (string, bool) {
	s, _ := Text(raw)
	s = strings.TrimSpace(s)
	if len(s) != len(time.DateOnly) || IsDay(strings.TrimSpace(s)) || s[8:] < "29" || s[8:] > "39" {
		return "", false
	}
	month, err := time.Parse("2006-01-", s[:8])
	return month.AddDate(0, 1, -1).Format(time.DateOnly), err == nil
}

// compactDay returns the day that eight digits such as 20261105 mean, as JSON; "" for any other value. They may also be a number.
func compactDay(raw string) string {
	s, _ := rs.AsText(raw)
	day, err := time.Parse("20060102", strings.TrimSpace(s))
	if err != nil || day.Year() < 1900 || day.Year() > 2100 {
		return ""
	}
	return rs.EncodeJSON(day.Format(time.DateOnly))
}

var (
	currencyForm = Expression(`(?i)^` + currencySign + `\s*|\s*` + currencySign + `$`)
	thousands    = Expression(`^-?[0-9]{1,3}(?:(?:,[0-9]{3})+(?:\.[0-9]+)?|(?:\.[0-9]{3})+,[0-9]+|(?:[ '’][0-9]{3})+(?:[.,][0-9]+)?)$`)
	decimalComma = Expression(`^-?[0-9]+,[0-9]{1,2}$`)
	plainAmount  = Expression(`^-?[0-9]+(?:\.[0-9]+)?$`)
	twoNumbers   = Expression(`^\s*([0-9]+(?:\.[0-9]+)?)\s*(?:-|–|\.{2,3}|to)\s*([0-9]+(?:\.[0-9]+)?)\s*$`)
)

// WithoutCurrency returns the amount in a text with the sign or code of a currency before or after it; ok is false for any other text.
func WithoutCurrency(raw string) (amount string, ok bool) {
	s, _ := Text(raw)
	amount = currencyForm().ReplaceAllString(strings.TrimSpace(s), "")
	return amount, amount != strings.TrimSpace(s) && numberOf(amount) != ""
}

// numberOf returns the number in a text, which may have separators of thousands or a decimal comma; "" for any other text.
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

// Numbers returns the two numbers, the lower first, in a text such as "50-60"; nil for any other text.
func Numbers(raw string) []string {
	s, _ := Text(raw)
	if found := twoNumbers().FindStringSubmatch(s); found != nil && !Reversed(found[1], found[2]) {
		return found[1:]
	}
	return nil
}

var countedForm = Expression(`^\s*([0-9][0-9.,]*)(?:\s+(\pL{4,})|([kK])\+?|\+)\s*$`)

// InField returns what a value means in a field of that name: a day in eight digits, or, if the field has numbers, the number of "5 stars";
// "" for neither.
func InField(field, raw string, isNumber bool) string {
	switch day := compactDay(raw); {
	case day != "" && IsTimeName(field):
		return day
	case !isNumber:
		return ""
	}
	return counted(raw)
}

// counted returns the number in a text that names what it counts, such as "5 stars", or is written as "1.2k" or "50+"; "" for any other
// text, and for a short word or one that may multiply the number, such as million, or minutes for a field in seconds.
func counted(raw string) string {
	s, _ := Text(raw)
	found := countedForm().FindStringSubmatch(s)
	if found == nil || multiples[Folded(found[2])] {
		return ""
	}
	if n, err := strconv.ParseFloat(numberOf(found[1]), 64); err == nil && found[3] != "" {
		return strconv.FormatFloat(n*1000, 'f', -1, 64)
	}
	return numberOf(found[1])
}

var multiples = lexicon.Of("multiple")

var truths = ByWord(map[string]string{"true": "true yes", "false": "false no"})

// Truth returns the boolean that a value means, in any spelling; "" for any other value.
func Truth(raw string) string {
	text, _ := rs.AsText(raw)
	text = strings.ToLower(strings.TrimSpace(text))
	return cmp.Or(truths[text], map[string]string{"1": "true", "0": "false"}[text])
}

// Value returns a value as a filter takes it, for a date, a boolean or an amount that is written in another way; "" if there is none.
func Value(raw string) string {
	s, isText := Text(raw)
	amount, hasCurrency := WithoutCurrency(raw)
	truth, date := truths[strings.ToLower(strings.TrimSpace(s))], dateOf(raw)
	switch {
	case isText && truth != "":
		return truth
	case date != "":
		return rs.EncodeJSON(date)
	case hasCurrency:
		return numberOf(amount)
	case isText && !plainAmount().MatchString(s):
		return numberOf(s)
	}
	return ""
}

// IsTime reports whether a value is a date or time as a filter takes it.
func IsTime(raw string) bool {
	s, _ := Text(raw)
	_, err := rs.ReadTime(s)
	return err == nil
}

// IsDate reports whether a value is a date or time in any spelling.
func IsDate(raw string) bool { return IsTime(raw) || dateOf(raw) != "" || Range(raw) != "" }

// IsPeriod reports whether two values are the first and the last day or time of a period.
func IsPeriod(values []string) bool {
	return len(values) == 2 && IsTime(values[0]) && IsTime(values[1]) && !Reversed(values[0], values[1])
}

var twoDates = Expression(`(?i)^\s*([0-9][^\s/]*?)(?:\s*(?:\.{2,3}|/)\s*|\s+(?:to|until|till|through|and|-|–|—)\s+)([0-9][^\s/]*)\s*$`)

// Range returns the range that a week, a month, a quarter, a year or two dates mean as the one value of a field; "" for anything else.
func Range(raw string) string {
	s, _ := Text(raw)
	if start := strings.TrimRight(s, "%*"); start != s { // all times that start so
		s = strings.TrimRight(start, "-")
	}
	if found := twoDates().FindStringSubmatch(s); found != nil {
		bounds := rs.Object{{Name: "gte", Value: rs.EncodeJSON(found[1])}, {Name: "lte", Value: rs.EncodeJSON(found[2])}}
		if IsPeriod([]string{bounds[0].Value, bounds[1].Value}) {
			return bounds.JSON()
		}
	}
	first, last, ok := Days(s, time.Time{})
	if !ok || first.Equal(last) {
		return ""
	}
	return rs.Object{
		{Name: "gte", Value: rs.EncodeJSON(first.Format(time.DateOnly))},
		{Name: "lt", Value: rs.EncodeJSON(last.AddDate(0, 0, 1).Format(time.DateOnly))},
	}.JSON()
}

// Bound returns a bound of a range as a filter takes it; value is "" if nothing changes. gt and lte of a month cover all its days.
func Bound(operator, raw string) (name, value string) {
	span := rs.AsObject(Range(raw))
	switch {
	case !span.Has("lt"):
		return operator, Value(raw)
	case operator == "gt":
		return "gte", span.Get("lt")
	case operator == "lte":
		return "lt", span.Get("lt")
	case operator == "gte" || operator == "lt":
		return operator, span.Get("gte")
	}
	return operator, "" // it is not a bound
}

// Reversed reports whether a range of two numbers, or of two dates or times, ends before it begins. A date is a day in some zone, so next
// to a time it may be off by one.
func Reversed(lower, upper string) bool {
	if rs.Kind(lower) == "number" && rs.Kind(upper) == "number" {
		a, errA := strconv.ParseFloat(lower, 64)
		b, errB := strconv.ParseFloat(upper, 64)
		return errA == nil && errB == nil && a > b
	}
	from, _ := Text(lower)
	until, _ := Text(upper)
	a, errA := rs.ReadTime(from)
	b, errB := rs.ReadTime(until)
	if (len(from) == len(time.DateOnly)) != (len(until) == len(time.DateOnly)) {
		b = b.AddDate(0, 0, 2)
	}
	return errA == nil && errB == nil && a.After(b)
}

// ReversedRange returns the operators of a condition whose range ends before it begins; ok is false for any other condition.
func ReversedRange(condition rs.Object) (lower, upper string, ok bool) {
	for _, lower := range []string{"gte", "gt"} {
		for _, upper := range []string{"lte", "lt"} {
			if condition.Has(lower) && condition.Has(upper) && Reversed(condition.Get(lower), condition.Get(upper)) {
				return lower, upper, true
			}
		}
	}
	return "", "", false
}

// IsWord reports whether a value is a text without digits, and not a time.
func IsWord(raw string) bool {
	s, ok := Text(raw)
	return ok && !strings.ContainsAny(s, "0123456789") && !IsDate(raw)
}
