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

func monthsFrom(year int, month time.Month, n int) days {
	return days{dayOf(year, month, 1), dayOf(year, month+time.Month(n), 0)}
}

var (
	isoMonth  = Expression(`^([0-9]{4})[-/.]([0-9]{1,2})(?:[-/.]([0-9]{1,2}))?$`)
	isoWeek   = Expression(`^([0-9]{4})-?w(0[1-9]|[1-4][0-9]|5[0-3])$`)
	partOf    = Expression(`^(?:([0-9]{4})-?)?([qh])([1-4])(?:-?([0-9]{4}))?$`)
	nowMinus  = Expression(`^(?:now)?-?([0-9]{1,4})([dwmy])$`)
	fullYear  = Expression(`^(?:19|20)[0-9]{2}$`)
	monthDays = Expression(`^[0-9]{1,2}$`)
	monthList = strings.Fields("january february march april may june july august september october november december")
	weekList  = strings.Fields("sunday monday tuesday wednesday thursday friday saturday")
	ordinals  = strings.Fields("first second third fourth")
)

// readDays reads the time that words name. now is zero where only those are read that name their year; last is zero where the time lasts.
// A day, a month or a part of a year without its year is the last before now.
func readDays(words []string, now time.Time) (days, bool) {
	if len(words) == 0 || len(words) > 7 {
		return days{}, false
	}
	if len(words) > 2 && slices.Contains(weekList, words[0]) { // Tuesday 3 March
		return readDays(words[1:], now)
	}
	if found, ok := partDays(words, now); ok {
		return found, true
	}
	year := 0
	rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		if year == 0 && fullYear().MatchString(word) {
			year, _ = strconv.Atoi(word)
			return true
		}
		return false
	})
	if year == 0 {
		if found, ok := singleDays(words); ok {
			return found, true
		}
		if now.IsZero() {
			return days{}, false
		}
		if found, ok := relativeDays(words, now); ok {
			return found, true
		}
		this, ok := readYear(rest, now.Year())
		if ok && this.first.After(now) {
			this, ok = readYear(rest, now.Year()-1)
		}
		return this, ok
	}
	return readYear(rest, year)
}

// singleDays reads a time that is one word.
func singleDays(words []string) (days, bool) {
	if len(words) != 1 {
		return days{}, false
	}
	if found := isoMonth().FindStringSubmatch(words[0]); found != nil {
		year, _ := strconv.Atoi(found[1])
		month, _ := strconv.Atoi(found[2])
		if found[3] == "" && month >= 1 && month <= 12 {
			return monthsFrom(year, time.Month(month), 1), true
		}
		return dayNumber(found[3], year, time.Month(month))
	}
	if found := isoWeek().FindStringSubmatch(words[0]); found != nil {
		year, _ := strconv.Atoi(found[1])
		number, _ := strconv.Atoi(found[2])
		return weekDays(year, number), true
	}
	found := partOf().FindStringSubmatch(words[0])
	if found == nil || found[1]+found[4] == "" {
		return days{}, false
	}
	year, _ := strconv.Atoi(found[1] + found[4])
	return readYear([]string{found[2] + found[3]}, year)
}

// weekDays are those of a week by its number.
func weekDays(year, number int) days {
	fourth := dayOf(year, time.January, 4) // is in the first week
	first := fourth.AddDate(0, 0, 7*(number-1)-(int(fourth.Weekday())+6)%7)
	return days{first, first.AddDate(0, 0, 6)}
}

// dayNumber is a day of a month; false where the month has none of that number.
func dayNumber(text string, year int, month time.Month) (days, bool) {
	n, err := strconv.Atoi(text)
	day := dayOf(year, month, n)
	return days{day, day}, err == nil && day.Day() == n && day.Month() == month && monthDays().MatchString(text)
}

// readYear reads what words name of a year.
func readYear(words []string, year int) (days, bool) {
	switch len(words) {
	case 0:
		return monthsFrom(year, time.January, 12), true
	case 1:
		if month := 1 + slices.Index(monthList, words[0]); month > 0 {
			return monthsFrom(year, time.Month(month), 1), true
		}
		if found := partOf().FindStringSubmatch(words[0]); found != nil && found[1]+found[4] == "" {
			n, _ := strconv.Atoi(found[3])
			if found[2] == "q" {
				return monthsFrom(year, time.Month(3*n-2), 3), true
			}
			return monthsFrom(year, time.Month(6*n-5), 6), n < 3
		}
	case 2:
		for i, word := range words {
			if month := 1 + slices.Index(monthList, word); month > 0 {
				return dayNumber(words[1-i], year, time.Month(month))
			}
		}
		if n, err := strconv.Atoi(words[1]); words[0] == "week" && err == nil && n > 0 && n < 54 {
			return weekDays(year, n), true
		}
	}
	return days{}, false
}

// partDays reads a part of a longer time: mid March, the first week of June 2026, the second half of last year.
func partDays(words []string, now time.Time) (days, bool) {
	part, unit, of := words[0], "", words[1:]
	nth := 1 + slices.Index(ordinals, part)
	if nth > 0 || part == "last" {
		if len(words) < 3 {
			return days{}, false
		}
		unit, of = words[1], words[2:]
	} else if part != "early" && part != "mid" && part != "late" || len(of) == 0 {
		return days{}, false
	}
	if len(of) == 1 && slices.Contains([]string{"week", "month", "quarter", "year"}, of[0]) { // of the year
		of = []string{"this", of[0]}
	}
	whole, ok := readDays(of, now)
	if week := whole.first.AddDate(0, 0, 6); ok && week.Equal(whole.last) && unit == "" {
		from := map[string]int{"early": 0, "mid": 2, "late": 4}[part]
		until := map[string]int{"early": 1, "mid": 3, "late": 6}[part]
		return days{whole.first.AddDate(0, 0, from), whole.first.AddDate(0, 0, until)}, true
	}
	if !ok || whole.last.IsZero() || whole.first.Day() != 1 {
		return days{}, false
	}
	year, month, _ := whole.first.Date()
	length := 12*(whole.last.Year()-year) + int(whole.last.Month()-month) + 1 // in months
	dates := func(first, last int) (days, bool) {
		return days{dayOf(year, month, first), dayOf(year, month, last)}, length == 1
	}
	end := whole.last.Day()
	switch {
	case unit == "" && length == 1:
		return dates(map[string]int{"early": 1, "mid": 11, "late": 21}[part], map[string]int{"early": 10, "mid": 20, "late": end}[part])
	case unit == "" && length == 12:
		return monthsFrom(year, map[string]time.Month{"early": 1, "mid": 5, "late": 9}[part], 4), true
	case unit == "day" && nth == 1:
		return days{whole.first, whole.first}, true
	case unit == "day" && nth == 0:
		return days{whole.last, whole.last}, true
	case unit == "week" && nth == 0:
		return dates(end-6, end)
	case unit == "week":
		return dates(7*nth-6, 7*nth)
	case unit == "half" && length == 1 && nth == 1:
		return dates(1, 15)
	case unit == "half" && length == 1 && nth == 2:
		return dates(16, end)
	case unit == "half" && length == 12 && (nth == 1 || nth == 2):
		return readYear([]string{"h" + strconv.Itoa(nth)}, year)
	case unit == "quarter" && length == 12 && nth > 0:
		return readYear([]string{"q" + strconv.Itoa(nth)}, year)
	}
	return days{}, false
}

// relativeDays reads a time by its distance from today.
func relativeDays(words []string, now time.Time) (days, bool) {
	today := dayOf(now.Year(), now.Month(), now.Day())
	if len(words) == 2 && slices.Contains([]string{"last", "this", "next"}, words[1]) { // semaine dernière
		words = []string{words[1], words[0]}
	}
	if len(words) == 2 && words[1] == "ago" { // a month ago
		words = []string{"1", words[0], "ago"}
	}
	step := map[string]int{"last": -1, "this": 0, "next": 1}[words[0]]
	switch text := strings.Join(words, " "); {
	case text == "today":
		return days{today, today}, true
	case text == "yesterday":
		return days{today.AddDate(0, 0, -1), today.AddDate(0, 0, -1)}, true
	case text == "day before yesterday":
		return days{today.AddDate(0, 0, -2), today.AddDate(0, 0, -2)}, true
	case text == "tomorrow":
		return days{today.AddDate(0, 0, 1), today.AddDate(0, 0, 1)}, true
	case len(words) == 1:
		if found := nowMinus().FindStringSubmatch(text); found != nil {
			unit := map[string]string{"d": "day", "w": "week", "m": "month", "y": "year"}[found[2]]
			return relativeDays([]string{found[1], unit, "ago"}, now)
		}
		if day := slices.Index(weekList, text); day >= 0 {
			day := today.AddDate(0, 0, -(int(today.Weekday())-day+7)%7)
			return days{day, day}, true
		}
		return days{}, false
	case len(words) == 3 && words[2] != "ago" || len(words) == 2 && monthDays().MatchString(words[0]):
		n, err := strconv.Atoi(words[len(words)-2])
		if len(words) == 2 && err == nil { // 3 weeks
			return days{unitsFrom(today, -n, words[1]), time.Time{}}, n > 0 && unitsFrom(today, n, words[1]) != today
		}
		from := unitsFrom(today, step*n, words[2])
		if err != nil || n <= 0 || from.Equal(today) {
			return days{}, false
		}
		return days{slices.MinFunc([]time.Time{today, from}, time.Time.Compare), slices.MaxFunc([]time.Time{today, from}, time.Time.Compare)}, true
	case len(words) == 3:
		n, err := strconv.Atoi(words[0])
		from := unitsFrom(today, -n, words[1])
		return days{from, time.Time{}}, err == nil && !from.Equal(today)
	case len(words) != 2 || words[0] != "last" && words[0] != "this" && words[0] != "next":
		return days{}, false
	}
	return stepDays(words[1], step, today)
}

// unitsFrom is the day so many units from another; the same for what is no unit.
func unitsFrom(day time.Time, n int, unit string) time.Time {
	switch unit {
	case "day":
		return day.AddDate(0, 0, n)
	case "week":
		return day.AddDate(0, 0, 7*n)
	case "month":
		return day.AddDate(0, n, 0)
	case "year":
		return day.AddDate(n, 0, 0)
	}
	return day
}

// stepDays is the week, weekend, month, quarter, year, month of a name or weekday before this one, this one or the next.
func stepDays(unit string, step int, today time.Time) (days, bool) {
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7+7*step)
	year, month, _ := today.Date()
	switch unit {
	case "week":
		return days{monday, monday.AddDate(0, 0, 6)}, true
	case "weekend", "wochenende":
		return days{monday.AddDate(0, 0, 5), monday.AddDate(0, 0, 6)}, true
	case "month":
		return monthsFrom(year, month+time.Month(step), 1), true
	case "quarter":
		return monthsFrom(year, month-(month-1)%3+time.Month(3*step), 3), true
	case "year":
		return monthsFrom(year+step, time.January, 12), true
	}
	if named := time.Month(1 + slices.Index(monthList, unit)); named > 0 {
		if step < 0 && named < month || step > 0 && named > month {
			step = 0
		}
		return monthsFrom(year+step, named, 1), true
	}
	named := slices.Index(weekList, unit)
	if named < 0 {
		return days{}, false
	}
	day := today.AddDate(0, 0, (named-int(today.Weekday())+7)%7)
	switch {
	case step < 0:
		day = day.AddDate(0, 0, -7)
	case step == 0:
		day = monday.AddDate(0, 0, (named+6)%7)
	case day.Equal(today):
		day = day.AddDate(0, 0, 7)
	}
	return days{day, day}, true
}

// Relative returns the first and the last day of what a text names, also by its distance from today, such as "yesterday", "last month" and
// "-30d", or without a year, of which the last is meant; false for any other text. Either is zero where it has no such bound: what began
// some time ago lasts, and what is before June began some time.
func Relative(s string, now time.Time) (first, last time.Time, ok bool) {
	const longest = 100 // bytes
	if len(s) > longest || IsTime(`"`+s+`"`) {
		return first, last, false
	}
	found, ok := readDays(timeWords(s), now)
	if since, until, rest, named := NamedPeriod(s, now); !ok && named && rest == "" { // after March, between March and May
		found.first, _ = time.Parse(time.DateOnly, since)
		found.last, _ = time.Parse(time.DateOnly, until)
		return found.first, found.last, true
	}
	return found.first, found.last, ok
}

// IsMonth reports whether a text is the name of a month, which may also be that of a person.
func IsMonth(s string) bool {
	words := timeWords(s)
	return len(words) == 1 && (slices.Contains(monthList, words[0]) || slices.Contains(weekList, words[0]))
}
