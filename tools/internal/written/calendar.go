package written

import (
	"slices"
	"strings"
	"time"
)

// A period is a time from its first day to its last.
type period struct{ first, last time.Time }

func dayOf(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Today returns the day that it is at now in the zone of now, in the form that days have here: midnight in UTC.
func Today(now time.Time) time.Time { return dayOf(now.Date()) }

// A length is how long a period is.
type length struct{ months, days int }

// from returns the day n lengths after another, or before it for a negative n.
func (l length) from(day time.Time, n int) time.Time { return day.AddDate(0, n*l.months, n*l.days) }

var (
	monthList = strings.Fields("january february march april may june july august september october november december")
	weekList  = strings.Fields("sunday monday tuesday wednesday thursday friday saturday")
)

// units are the lengths of the units of time.
var units = map[string]length{
	"day": {0, 1}, "week": {0, 7}, "month": {1, 0}, "quarter": {3, 0}, "half": {6, 0}, "year": {12, 0},
}

// monthOf returns the month that an English word names; 0 for none.
func monthOf(word string) time.Month { return time.Month(1 + slices.Index(monthList, word)) }

func isMonth(word string) bool { return monthOf(word) > 0 }

func isWeekday(word string) bool { return slices.Contains(weekList, word) }

// calendar returns the day, week, weekend, month, quarter, half or year that a day is in, or the one that many units later.
func calendar(unit string, day time.Time, later int) (period, bool) {
	year, month, _ := day.Date()
	length, known := units[unit]
	switch {
	case unit == "weekend":
		week, _ := calendar("week", day, later)
		return period{week.first.AddDate(0, 0, 5), week.last}, true
	case unit == "week":
		day = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case length.months > 0:
		day = dayOf(year, month-(month-1)%time.Month(length.months), 1)
	}
	first := length.from(day, later)
	return period{first, length.from(first, 1).AddDate(0, 0, -1)}, known
}

// unit returns the unit of a period: "week" for any seven days, "day", "month", "quarter" or "year"; "" for none of these.
func (d period) unit() string {
	for _, unit := range []string{"day", "month", "quarter", "year"} {
		if one, _ := calendar(unit, d.first, 0); d == one {
			return unit
		}
	}
	if d.first.AddDate(0, 0, 6).Equal(d.last) {
		return "week"
	}
	return ""
}

// seasons maps the seasons of the northern hemisphere to their first month. Each has three months.
var seasons = map[string]time.Month{"spring": time.March, "summer": time.June, "autumn": time.September, "winter": time.December}

// isSeason reports whether a word is a season or a feast. Which one is meant is uncertain, so it is read only where it may be proposed.
func isSeason(word string) bool { return seasons[word] != 0 || word == "easter" || word == "christmas" }

func seasonOf(name string, year int) period {
	switch name {
	case "easter":
		sunday := easterSunday(year)
		return period{sunday.AddDate(0, 0, -2), sunday.AddDate(0, 0, 1)}
	case "christmas":
		return period{dayOf(year, time.December, 24), dayOf(year, time.December, 26)}
	}
	return period{dayOf(year, seasons[name], 1), dayOf(year, seasons[name]+3, 0)}
}

// easterSunday returns the Easter Sunday of the Western churches, by the rule of Gauss as Butcher wrote it.
func easterSunday(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	month, day := (h+l-7*m+114)/31, (h+l-7*m+114)%31+1
	return dayOf(year, time.Month(month), day)
}
