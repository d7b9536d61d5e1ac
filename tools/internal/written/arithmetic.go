package written

import (
	"cmp"
	"strings"
)

// Code computes with dates, as NOW() - INTERVAL '7 days', DATE_SUB(CURDATE(), INTERVAL 1 MONTH), DATEADD(day, -30, GETDATE()),
// date('now', '-1 month') and datetime.now() - timedelta(days=30) do. This is read as "7 days ago", and with a plus as "7 days ahead".
const (
	codeNow = `(?:\bcurrent_(?:date|timestamp)|\b(?:get|getutc|cur|sys)date|\bdatetime\.(?:utc)?now|\bdate\.(?:today|now)|\b(?:now|today))\b` +
		`(?:\s*\(\s*\))?`
	codeStep = `\s*[-+]\s*(?:interval\s*)?(?:'?\s*[0-9]+\s*[a-z]*\s*'?(?:::interval)?|timedelta\(\s*[a-z]+\s*=\s*[0-9]+\s*\))` +
		`(?:\s*(?:hour|day|week|month|quarter|year)s?\b)?`
	codeCall = `(?:date(?:time|_?sub|_?add)?|subdate|adddate|timestampadd)\s*\((?:[^()]|\([^()]*\))*?` + codeNow + `(?:[^()]|\([^()]*\))*\)`
	codeUnit = `(hour|day|week|month|quarter|year|[dwmqy]\b)`
)

var (
	codeTime   = Expression(`(?i)^\s*(?:` + codeNow + `(?:` + codeStep + `)?|` + codeCall + `)`)
	codeStepOf = Expression(`([0-9]+)\s*'?\s*` + codeUnit + `|` + codeUnit + `s?\s*[,=]\s*-?\s*([0-9]+)|[-+]\s*([0-9]+)\s*$`)
	ahead      = Expression(`^(?:in|dans|en|tra|em|over) ([0-9]+ \pL+)$|^([0-9]+ \pL+) (?:from now|later)$`)
	template   = Expression(`^(?:<([^<>]+)>|\{\{?([^{}]+)\}\}?|\$(\pL.*))$`) // {{30_days_ago}}
)

// Computed returns the time relative to now with which a text begins in the notation of code, as it is written; "" for none.
func Computed(text string) string { return codeTime().FindString(text) }

// inWords returns a time that code computes in words such as "7 days ago"; any other text only in the form that words have.
func inWords(s string) string {
	s = template().ReplaceAllString(strings.ToLower(strings.TrimSpace(s)), "$1$2$3")
	if s == "" || Computed(s) != s {
		return ahead().ReplaceAllString(strings.ReplaceAll(s, "_", " "), "$1$2 ahead")
	}
	steps := codeStepOf().FindAllStringSubmatch(s, -1)
	direction := map[bool]string{true: "ago", false: "ahead"}[strings.Contains(s, "-") || strings.Contains(s, "sub")]
	if len(steps) == 1 {
		unit := cmp.Or(steps[0][2]+steps[0][3], "day")
		return steps[0][1] + steps[0][4] + steps[0][5] + " " + cmp.Or(unitOf[unit], unit) + "s " + direction
	} else if strings.ContainsAny(s, "0123456789") {
		return s
	}
	return "today"
}
