package written

import (
	"cmp"
	"strconv"
	"strings"
)

// Code computes with dates, as NOW() - INTERVAL '7 days', DATE_SUB(CURDATE(), INTERVAL 1 MONTH), DATEADD(day, -30, GETDATE()),
// date('now', '-1 month') and datetime.now() - timedelta(days=30) do. This is read as "7 days ago", and with a plus as "7 days ahead".

const (
	codeNow = `(?:\bcurrent_(?:date|timestamp)|\b(?:get|getutc|cur|sys)date|\bdatetime\.(?:utc)?now|\bdate\.(?:today|now)|\b(?:now|today))\b` +
		`(?:\s*\(\s*\))?`
	codeStep = `\s*[-+]\s*(?:interval\s*)?(?:'?\s*[0-9]+\s*[a-z]*\s*'?(?:::interval)?|timedelta\(\s*[a-z]+\s*=\s*[0-9]+\s*\))` +
		`(?:\s*(?:hour|day|week|month|quarter|year)s?\b)?`
	codeCall = `(?:date_?(?:sub|add)|(?:sub|add)date|timestampadd|date|datetime)\s*\((?:[^()]|\([^()]*\))*\)`
	codeUnit = `(hour|day|week|month|quarter|year|[hdwmqy]\b)`
)

var (
	codeTime   = Expression(`(?i)^\s*(?:` + codeNow + `(?:` + codeStep + `)?|` + codeCall + `)`)
	template   = Expression(`^(?:<([^<>]+)>|\{\{?([^{}]+)\}\}?|\$(\pL.*))$`) // {{30_days_ago}}
	hasNow     = Expression(`(?i)` + codeNow)
	codeStepOf = Expression(`([0-9]+)\s*'?\s*` + codeUnit + `|` + codeUnit + `s?\s*[,=]\s*-?\s*([0-9]+)|[-+]\s*([0-9]+)\s*$`)
	ahead      = Expression(`^(?:in|dans|en|tra|em|over) ([0-9]+) (\pL+)$|^([0-9]+) (\pL+) (?:from now|later|ahead)$`)
	hours      = Expression(`^(?:last|past|previous) ([0-9]+) ?(?:hours|hrs|h)$|^([0-9]+) ?(?:hours|hrs|h) ago$`)
)

var toDate = ByWord(map[string]string{"this year": "ytd", "this quarter": "qtd", "this month": "mtd"})

// Computed returns the time relative to now with which a text begins in the notation of code, as it is written; "" for none.
func Computed(text string) string {
	if found := codeTime().FindString(text); hasNow().MatchString(found) {
		return found
	}
	return ""
}

// inWords returns a time that code computes, or is some hours or days from now, in words such as "7 days ago"; any other text unchanged.
func inWords(s string) string {
	lower := strings.ToLower(strings.TrimSpace(s))
	if found := template().FindStringSubmatch(lower); found != nil {
		lower = strings.TrimSpace(found[1] + found[2] + found[3])
	}
	if !strings.Contains(lower, "(") && !strings.Contains(lower, "current") {
		lower = strings.ReplaceAll(lower, "_", " ")
	}
	if found := ahead().FindStringSubmatch(lower); found != nil {
		return found[1] + found[3] + " " + found[2] + found[4] + " ahead"
	} else if toDate[lower] != "" {
		return toDate[lower]
	} else if found := hours().FindStringSubmatch(lower); found != nil {
		return away(found[1]+found[2], "hour", "ago")
	}
	if lower == "" || Computed(lower) != lower {
		return lower
	}
	steps := codeStepOf().FindAllStringSubmatch(lower, -1)
	switch {
	case len(steps) == 0 && !strings.ContainsAny(lower, "0123456789"):
		return "today"
	case len(steps) != 1:
		return s
	}
	step, direction := steps[0], "ahead"
	if strings.Contains(lower, "-") || strings.Contains(lower, "sub") {
		direction = "ago"
	}
	return away(step[1]+step[4]+step[5], cmp.Or(step[2]+step[3], "day"), direction)
}

// away returns the words for a time some units from now. Hours are rounded up to days.
func away(number, unit, direction string) string {
	if n, _ := strconv.Atoi(number); unit == "hour" || unit == "h" {
		number, unit = strconv.Itoa((n+23)/24), "day"
	}
	return number + " " + cmp.Or(unitOf[unit], unit) + "s " + direction
}
