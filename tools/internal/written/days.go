package written

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A days is a time from its first day to its last.
type days struct{ first, last time.Time }

func dayOf(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

var (
	isoDay    = Expression(`^([0-9]{4})[-/.]([0-9]{1,2})(?:[-/.]([0-9]{1,2}))?$`)
	dayFirst  = Expression(`^([0-9]{1,2})([-/.])([0-9]{1,2})([-/.])([0-9]{4})$`)
	partOf    = Expression(`^(?:([0-9]{4})-?)?([qhw])([0-9]{1,2})(?:-?([0-9]{4}))?$`)
	nowMinus  = Expression(`^(?:now)?-?([0-9]{1,4})([dwmy])$`)
	fullYear  = Expression(`^(?:19|20)[0-9]{2}$`)
	monthDays = Expression(`^[0-9]{1,2}$`)
	monthList = strings.Fields("january february march april may june july august september october november december")
	weekList  = strings.Fields("sunday monday tuesday wednesday thursday friday saturday")
	ordinals  = strings.Fields("first second third fourth")
	thirds    = strings.Fields("early mid late")

	units      = map[string]string{"d": "day", "w": "week", "m": "month", "q": "quarter", "h": "half", "y": "year"}
	unitDays   = map[string]int{"day": 1, "week": 7}
	unitMonths = map[string]int{"month": 1, "quarter": 3, "half": 6, "year": 12}
	steps      = map[string]int{"last": -1, "this": 0, "next": 1}
	nearDays   = map[string]int{"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1}
)

// Days returns the first and the last day of what a text names; false for any other text. With now, that may be by its distance from today,
// such as "yesterday", "last month" and "-30d", or without a year, of which the last is meant. Then either is zero where it has no such
// bound: what began some time ago lasts, and what is before June began some time. Days whose day and month can be mistaken for each other
// are none.
func Days(s string, now time.Time) (first, last time.Time, ok bool) {
	const longest = 100 // bytes
	if len(s) > longest {
		return first, last, false
	}
	if found, ok := readDays(timeWords(s), now); ok {
		return found.first, found.last, true
	}
	if since, until, rest, named := NamedPeriod(s, now); named && rest == "" && !now.IsZero() { // after March, between March and May
		first, _ = time.Parse(time.DateOnly, since)
		last, _ = time.Parse(time.DateOnly, until)
		return first, last, true
	}
	return first, last, false
}

// readDays reads the time that words name. now is zero where only those are read that name their year; last is zero where the time lasts.
// A day, a month or a part of a year without its year is the last before now.
func readDays(words []string, now time.Time) (days, bool) {
	switch {
	case len(words) == 0 || len(words) > 7:
		return days{}, false
	case len(words) > 2 && slices.Contains(weekList, words[0]): // Tuesday 3 March
		return readDays(words[1:], now)
	}
	if found, ok := partDays(words, now); ok {
		return found, true
	}
	if found, ok := seasonDays(words, dayOf(now.Date())); ok && !now.IsZero() {
		return found, true
	}
	if at := slices.IndexFunc(words, fullYear().MatchString); at >= 0 {
		year, _ := strconv.Atoi(words[at])
		return readYear(slices.Concat(words[:at], words[at+1:]), year)
	}
	if found, ok := datedDays(words); ok || now.IsZero() {
		return found, ok
	}
	if found, ok := relativeDays(words, dayOf(now.Date())); ok {
		return found, true
	}
	this, ok := readYear(words, now.Year())
	if ok && this.first.After(now) {
		return readYear(words, now.Year()-1)
	}
	return this, ok
}

// datedDays reads a time that is one word with its year.
func datedDays(words []string) (days, bool) {
	if len(words) != 1 {
		return days{}, false
	}
	if found := isoDay().FindStringSubmatch(words[0]); found != nil {
		year, _ := strconv.Atoi(found[1])
		month, _ := strconv.Atoi(found[2])
		if found[3] != "" {
			return dayNumber(found[3], year, time.Month(month))
		}
		return nthDays("month", month, year)
	}
	if found := dayFirst().FindStringSubmatch(words[0]); found != nil && found[2] == found[4] {
		day, _ := strconv.Atoi(found[1])
		month, _ := strconv.Atoi(found[3])
		year, _ := strconv.Atoi(found[5])
		switch mistaken := found[2] != "." && day <= 12 && month <= 12 && day != month; { // with dots, the day is first everywhere
		case mistaken:
			return days{}, false
		case found[2] != "." && month > 12:
			day, month = month, day
		}
		return dayNumber(strconv.Itoa(day), year, time.Month(month))
	}
	found := partOf().FindStringSubmatch(words[0])
	if found == nil || found[1]+found[4] == "" {
		return days{}, false
	}
	year, _ := strconv.Atoi(found[1] + found[4])
	return readYear([]string{found[2] + found[3]}, year)
}

// calendar is the day, week, weekend, month, quarter, half or year that a day is in, or that so many of them later.
func calendar(unit string, day time.Time, later int) (days, bool) {
	monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7+7*later)
	year, month, _ := day.Date()
	switch length := unitMonths[unit]; {
	case unit == "day":
		day = day.AddDate(0, 0, later)
		return days{day, day}, true
	case unit == "week":
		return days{monday, monday.AddDate(0, 0, 6)}, true
	case unit == "weekend":
		return days{monday.AddDate(0, 0, 5), monday.AddDate(0, 0, 6)}, true
	case length > 0:
		from := int(month) - (int(month)-1)%length + length*later
		return days{dayOf(year, time.Month(from), 1), dayOf(year, time.Month(from+length), 0)}, true
	}
	return days{}, false
}

// nthDays is the week, month, quarter or half of a number in a year.
func nthDays(unit string, n, year int) (days, bool) {
	most := map[string]int{"week": 53, "month": 12, "quarter": 4, "half": 2}[unit]
	found, _ := calendar(unit, dayOf(year, time.January, 4), n-1) // that day is in the first week
	return found, n > 0 && n <= most
}

// dayNumber is a day of a month; false where the month has none of that number.
func dayNumber(text string, year int, month time.Month) (days, bool) {
	n, err := strconv.Atoi(text)
	day := dayOf(year, month, n)
	return days{day, day}, err == nil && day.Day() == n && day.Month() == month && monthDays().MatchString(text)
}

// readYear reads what words name of a year.
func readYear(words []string, year int) (days, bool) {
	month := 1 + slices.IndexFunc(words, func(word string) bool { return slices.Contains(monthList, word) }) // its place
	named := func(word string) int { return 1 + slices.Index(monthList, word) }
	switch {
	case len(words) == 0:
		return calendar("year", dayOf(year, time.January, 1), 0)
	case len(words) == 1 && month > 0:
		return nthDays("month", named(words[0]), year)
	case len(words) == 2 && month > 0:
		return dayNumber(words[2-month], year, time.Month(named(words[month-1])))
	case len(words) == 2 && words[0] == "week":
		n, _ := strconv.Atoi(words[1])
		return nthDays("week", n, year)
	}
	found := partOf().FindStringSubmatch(words[0])
	if len(words) > 1 || found == nil || found[1]+found[4] != "" {
		return days{}, false
	}
	n, _ := strconv.Atoi(found[3])
	return nthDays(units[found[2]], n, year)
}

// partDays reads a part of a longer time: mid March, the first week of June 2026, the second half of last year.
func partDays(words []string, now time.Time) (days, bool) {
	part, unit, of := words[0], "", words[1:]
	nth, third := 1+slices.Index(ordinals, part), slices.Index(thirds, part)
	if (nth > 0 || part == "last") && len(of) > 1 {
		unit, of = of[0], of[1:]
	} else if third < 0 || len(of) == 0 {
		return days{}, false
	}
	if len(of) == 1 && (unitDays[of[0]] > 1 || unitMonths[of[0]] > 0) { // of the year
		of = []string{"this", of[0]}
	}
	whole, ok := readDays(of, now)
	if !ok || whole.last.IsZero() {
		return days{}, false
	}
	last := int(whole.last.Sub(whole.first).Hours()/24) + 1 // the number of its last day
	dates := func(from, until int) (days, bool) {
		return days{whole.first.AddDate(0, 0, from-1), whole.first.AddDate(0, 0, until-1)}, true
	}
	edge := last // of the first day or the last
	if nth == 1 {
		edge = 1
	}
	isMonth, isYear := last >= 28 && last <= 31 && whole.first.Day() == 1, last > 364 && whole.first.YearDay() == 1
	switch {
	case third >= 0 && last == 7:
		return dates([]int{1, 3, 5}[third], []int{2, 4, 7}[third])
	case third >= 0 && isMonth:
		return dates(10*third+1, []int{10, 20, last}[third])
	case third >= 0 && isYear:
		return days{whole.first.AddDate(0, 4*third, 0), whole.first.AddDate(0, 4*third+4, -1)}, true
	case unit == "day" && nth < 2 && whole.first.Day() == 1:
		return dates(edge, edge)
	case unit == "week" && isMonth && nth == 0:
		return dates(last-6, last)
	case unit == "week" && isMonth:
		return dates(7*nth-6, 7*nth)
	case unit == "half" && isMonth && (nth == 1 || nth == 2):
		return dates(15*nth-14, []int{15, last}[nth-1])
	case (unit == "half" || unit == "quarter") && isYear:
		return nthDays(unit, nth, whole.first.Year())
	}
	return days{}, false
}

// relativeDays reads a time by its distance from today.
func relativeDays(words []string, today time.Time) (days, bool) {
	if found := nowMinus().FindStringSubmatch(words[0]); len(words) == 1 && found != nil {
		words = []string{found[1], units[found[2]], "ago"}
	}
	if len(words) == 2 {
		_, behind := steps[words[1]]
		switch {
		case behind: // semaine dernière
			words = []string{words[1], words[0]}
		case words[1] == "ago": // a month ago
			words = []string{"1", words[0], "ago"}
		case monthDays().MatchString(words[0]): // 3 weeks
			words = []string{words[0], words[1], "ago"}
		}
	}
	if distance, ok := nearDays[strings.Join(words, " ")]; ok {
		return calendar("day", today, distance)
	}
	step, isStep := steps[words[0]]
	switch {
	case len(words) == 1 && slices.Contains(weekList, words[0]):
		return calendar("day", today, -(int(today.Weekday())-slices.Index(weekList, words[0])+7)%7)
	case len(words) == 2 && isStep && words[1] != "day" && words[1] != "half": // the last day of something
		return stepDays(words[1], step, today)
	case len(words) == 3 && words[2] == "ago":
		from, ok := unitsFrom(today, -1, words[0], words[1])
		return days{from, time.Time{}}, ok
	case len(words) == 3 && step < 0:
		from, ok := unitsFrom(today, -1, words[1], words[2])
		return days{from, today}, ok
	case len(words) == 3 && step > 0:
		until, ok := unitsFrom(today, 1, words[1], words[2])
		return days{today, until}, ok
	}
	return days{}, false
}

// unitsFrom is the day so many days, weeks, months or years after another, or before it.
func unitsFrom(day time.Time, sign int, number, unit string) (time.Time, bool) {
	n, err := strconv.Atoi(number)
	isUnit := unitMonths[unit]+unitDays[unit] > 0 && unit != "half"
	return day.AddDate(0, sign*n*unitMonths[unit], sign*n*unitDays[unit]), err == nil && n > 0 && isUnit
}

// stepDays is the week, weekend, month, quarter, year, month of a name or weekday before this one, this one or the next.
func stepDays(unit string, step int, today time.Time) (days, bool) {
	if month := 1 + slices.Index(monthList, unit); month > 0 {
		if this := int(today.Month()); step < 0 && month < this || step > 0 && month > this {
			step = 0
		}
		return nthDays("month", month, today.Year()+step)
	}
	weekday := slices.Index(weekList, unit)
	if weekday < 0 {
		return calendar(unit, today, step)
	}
	ahead := (weekday - int(today.Weekday()) + 7) % 7
	switch {
	case step < 0:
		ahead -= 7
	case step == 0:
		ahead = (weekday+6)%7 - (int(today.Weekday())+6)%7
	case ahead == 0:
		ahead = 7
	}
	return calendar("day", today, ahead)
}

// IsMonth reports whether a text is the name of a month, which may also be that of a person, of a day of the week or of a season.
func IsMonth(s string) bool {
	words := timeWords(s)
	return len(words) == 1 && (slices.Contains(monthList, words[0]) || slices.Contains(weekList, words[0]) || seasons[words[0]] != 0)
}
