package written

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	isoDay   = Expression(`^([0-9]{4})[-/.]([0-9]{1,2})(?:[-/.]([0-9]{1,2}))?$`)
	yearLast = Expression(`^([0-9]{1,2})([-/.])([0-9]{1,2})[-/.]([0-9]{4})$`)
	// numbersOfDate matches a date in JSON as two numbers before a year.
	numbersOfDate = Expression(`"([0-9]{1,2})[-/]([0-9]{1,2})[-/]([0-9]{4})"`)

	partOf    = Expression(`^(?:([0-9]{4})-?)?([qhw])([0-9]{1,2})(?:-?([0-9]{4}))?$`)
	nowMinus  = Expression(`^(?:now|today)?-?p?([0-9]{1,4})([dwmy])(?:/[dwmy])?$`)
	fullYear  = Expression(`^(?:19|20)[0-9]{2}$`)
	monthDays = Expression(`^[0-9]{1,2}$`)
	unitOf    = map[string]string{"d": "day", "w": "week", "m": "month", "q": "quarter", "h": "half", "y": "year"}
	nearDays  = map[string]int{"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}
)

// Days returns the first and the last day of the time that a text names; false for any other text. With now, the time may be relative to
// today, such as "yesterday", "last month" and "-30d", or lack a year; then the last one is meant. Either day is zero if the time is open
// there: what began some time ago has no end, and what is before June has no beginning. A date whose day and month can be mistaken for each
// other is not read.
func Days(s string, now time.Time) (first, last time.Time, ok bool) {
	const longest = 100 // bytes
	if len(s) > longest {
		return first, last, false
	}
	if found, ok := readDays(timeWords(inWords(s)), now); ok {
		return found.first, found.last, true
	}
	if named, ok := NamedPeriod(s, now); ok && named.Rest == "" && !now.IsZero() { // after March, between March and May
		first, _ = time.Parse(time.DateOnly, named.Since)
		last, _ = time.Parse(time.DateOnly, named.Until)
		return first, last, true
	}
	return first, last, false
}

// readDays reads the time that words name. If now is zero, it reads only times with their year. last is zero if the time has no end. A day,
// a month or a part of a year without its year is the last before now.
func readDays(words []string, now time.Time) (period, bool) {
	if words = countedUnits(words); len(words) == 0 || len(words) > 7 {
		return period{}, false
	}
	if found, ok := partDays(words, now); ok {
		return found, true
	}
	if found, ok := headedDays(words, now); ok {
		return found, true
	}
	if at := slices.IndexFunc(words, fullYear().MatchString); at >= 0 {
		year, _ := strconv.Atoi(words[at])
		words = slices.Concat(words[:at], words[at+1:])
		if len(words) == 1 && !now.IsZero() && isSeason(words[0]) {
			return seasonOf(words[0], year), true
		}
		return readYear(words, year)
	}
	if found, ok := datedDays(words); ok || now.IsZero() {
		return found, ok
	}
	today := Today(now)
	if found, ok := relativeDays(words, today); ok {
		return found, true
	}
	this, ok := readYear(words, now.Year())
	if ok && this.first.After(today) {
		return readYear(words, now.Year()-1)
	}
	return this, ok
}

// headedDays reads a time whose first word tells the kind of the rest: Tuesday 3 March, the month of May, the week of 3 March.
func headedDays(words []string, now time.Time) (period, bool) {
	if last := len(words) - 1; isWeekday(words[last]) { // 3 March, Tuesday
		words = slices.Concat(words[last:], words[:last])
	}
	head, rest := words[0], words[1:]
	switch {
	case len(rest) == 0:
	case isWeekday(head):
		return weekdayDate(head, rest, now)
	case head == "month" && len(rest) == 1 && isMonth(rest[0]):
		return readDays(rest, now)
	case head == "week" || head == "weekend":
		if found, ok := readDays(rest, now); ok && found.first.Equal(found.last) {
			return calendar(head, found.first, 0)
		}
	}
	return period{}, false
}

// weekdayDate reads a date beside the name of its weekday, which tells 03/06 from 06/03. A single word must be a date with its year.
func weekdayDate(weekday string, words []string, now time.Time) (period, bool) {
	if len(words) == 1 {
		isOther := func(day time.Time) bool { return weekList[day.Weekday()] != weekday }
		if days := slices.DeleteFunc(DaysOf(words[0]), isOther); len(days) == 1 {
			return period{days[0], days[0]}, true
		}
		now = time.Time{}
	}
	found, ok := readDays(words, now)
	return found, ok && found.first.Equal(found.last)
}

// datedDays reads a time that is one word, including its year.
func datedDays(words []string) (period, bool) {
	if len(words) != 1 {
		return period{}, false
	}
	if found := isoDay().FindStringSubmatch(words[0]); found != nil {
		year, _ := strconv.Atoi(found[1])
		month, _ := strconv.Atoi(found[2])
		if found[3] != "" {
			return dayNumber(found[3], year, time.Month(month))
		}
		return nthDays("month", month, year)
	}
	if days := DaysOf(words[0]); len(days) == 1 {
		return period{days[0], days[0]}, true
	}
	found := partOf().FindStringSubmatch(words[0])
	if found == nil || found[1]+found[4] == "" {
		return period{}, false
	}
	year, _ := strconv.Atoi(found[1] + found[4])
	return readYear([]string{found[2] + found[3]}, year)
}

// DaysOf returns the days that numbers such as 03/06/2026 may mean. With points, the second number is the month; else either may be.
func DaysOf(word string) (days []time.Time) {
	found := yearLast().FindStringSubmatch(word)
	if found == nil {
		return nil
	}
	year, _ := strconv.Atoi(found[4])
	for _, numbers := range [][2]string{{found[1], found[3]}, {found[3], found[1]}} {
		month, _ := strconv.Atoi(numbers[1])
		day, ok := dayNumber(numbers[0], year, time.Month(month))
		if ok && month > 0 && month <= 12 && !slices.Contains(days, day.first) && (len(days) == 0 || found[2] != ".") {
			days = append(days, day.first)
		}
	}
	return days
}

// InOneOrder returns JSON in which dates such as 3/6/2026 are days of one order, as another such as 30/6/2026 shows it. Without such a date,
// or with dates of both orders, it returns raw.
func InOneOrder(raw string) string {
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	dayFirst, monthFirst := false, false
	for _, found := range numbersOfDate().FindAllStringSubmatch(raw, -1) {
		dayFirst, monthFirst = dayFirst || number(found[1]) > 12, monthFirst || number(found[2]) > 12
	}
	if dayFirst == monthFirst {
		return raw
	}
	return numbersOfDate().ReplaceAllStringFunc(raw, func(date string) string {
		found := numbersOfDate().FindStringSubmatch(date)
		month, day := number(found[1]), number(found[2])
		if dayFirst {
			month, day = day, month
		}
		return fmt.Sprintf(`"%s-%02d-%02d"`, found[3], month, day)
	})
}

// nthDays returns the week, month, quarter or half with a number in a year.
func nthDays(unit string, n, year int) (period, bool) {
	most := map[string]int{"week": 53, "month": 12, "quarter": 4, "half": 2}[unit]
	found, _ := calendar(unit, dayOf(year, time.January, 4), n-1) // 4 January is in the first week
	return found, n > 0 && n <= most
}

// dayNumber returns a day of a month by its number; false if the month lacks it.
func dayNumber(text string, year int, month time.Month) (period, bool) {
	n, err := strconv.Atoi(text)
	day := dayOf(year, month, n)
	return period{day, day}, err == nil && day.Day() == n && day.Month() == month && monthDays().MatchString(text)
}

// readYear reads the part of a year that words name.
func readYear(words []string, year int) (period, bool) {
	at := slices.IndexFunc(words, isMonth)
	switch {
	case len(words) == 0, len(words) == 1 && words[0] == "year":
		return calendar("year", dayOf(year, time.January, 1), 0)
	case len(words) == 1 && at == 0:
		return nthDays("month", int(monthOf(words[0])), year)
	case len(words) == 2 && at >= 0:
		return dayNumber(words[1-at], year, monthOf(words[at]))
	case len(words) == 2 && words[0] == "week":
		n, _ := strconv.Atoi(words[1])
		return nthDays("week", n, year)
	}
	found := partOf().FindStringSubmatch(words[0])
	if len(words) > 1 || found == nil || found[1]+found[4] != "" {
		return period{}, false
	}
	n, _ := strconv.Atoi(found[3])
	return nthDays(unitOf[found[2]], n, year)
}

// relativeDays reads a time that is relative to today.
func relativeDays(words []string, today time.Time) (period, bool) {
	if found := nowMinus().FindStringSubmatch(words[0]); len(words) == 1 && found != nil {
		words = []string{found[1], unitOf[found[2]], "ago"}
	}
	isStep := func(word string) bool { return word == "last" || word == "this" || word == "next" }
	switch {
	case len(words) != 2:
	case words[1] == "ago": // a month ago
		words = []string{"1", words[0], "ago"}
	case monthDays().MatchString(words[0]): // 3 weeks
		words = []string{words[0], words[1], "ago"}
	case isStep(words[0]):
		return recurring(words[0], words[1], today)
	case isStep(words[1]): // semaine dernière
		return recurring(words[1], words[0], today)
	}
	if distance, ok := nearDays[strings.Join(words, " ")]; ok {
		return calendar("day", today, distance)
	}
	switch {
	case len(words) == 1:
		return recurring("", words[0], today)
	case len(words) != 3:
		return period{}, false
	case words[2] == "ago":
		from, ok := unitsFrom(today, -1, words[0], words[1])
		return period{first: from}, ok
	case words[2] == "ahead":
		day, ok := unitsFrom(today, 1, words[0], words[1])
		return period{day, day}, ok
	case words[0] == "last":
		from, ok := unitsFrom(today, -1, words[1], words[2])
		return period{from, today}, ok
	case words[0] == "next":
		until, ok := unitsFrom(today, 1, words[1], words[2])
		return period{today, until}, ok
	}
	return period{}, false
}

// unitsFrom returns the day a number of days, weeks, months or years after another, or before it if sign is -1.
func unitsFrom(day time.Time, sign int, number, unit string) (time.Time, bool) {
	n, err := strconv.Atoi(number)
	if unit == "hour" || unit == "hours" { // no bound is shorter than a day
		n, unit = (n+23)/24, "day"
	}
	length, isUnit := units[unit]
	return length.from(day, sign*n), err == nil && n > 0 && isUnit && unit != "half"
}

// recurring returns one occurrence of a month, a day of the week, a season or another unit: without a step the last that has begun, for
// "last" the last that is over, for "this" the current one, for "next" the first that has not begun. "This" season is the last that has
// begun, since the one of this year may be the next.
func recurring(step, name string, today time.Time) (period, bool) {
	var at func(i int) period
	month, weekday := monthOf(name), slices.Index(weekList, name)
	switch _, isUnit := calendar(name, today, 0); {
	case month > 0:
		at = func(i int) period { return period{dayOf(today.Year()+i, month, 1), dayOf(today.Year()+i, month+1, 0)} }
	case weekday >= 0:
		week, _ := calendar("week", today, 0)
		at = func(i int) period {
			found, _ := calendar("day", week.first, (weekday+6)%7+7*i)
			return found
		}
	case isSeason(name):
		at = func(i int) period { return seasonOf(name, today.Year()+i) }
		if step == "this" {
			step = ""
		}
	case isUnit && step != "" && name != "day" && name != "half": // "last day" is that of something
		at = func(i int) period {
			found, _ := calendar(name, today, i)
			return found
		}
	default:
		return period{}, false
	}
	i := 0
	switch step {
	case "this":
	case "next":
		for i = -1; !at(i).first.After(today); {
			i++
		}
	default:
		for i = 1; at(i).first.After(today) || step == "last" && !at(i).last.Before(today); {
			i--
		}
	}
	return at(i), true
}

// IsCalendarName reports whether a text is the name of a month, a day of the week or a season. It may also be that of a person.
func IsCalendarName(s string) bool {
	words := timeWords(s)
	return len(words) == 1 && (isMonth(words[0]) || isWeekday(words[0]) || seasons[words[0]] != 0)
}
