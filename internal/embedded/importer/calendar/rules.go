package calendar

import (
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// Limits of a rule: rrule-go prepares all times of a period, such as a year, before it gives the first one, and compares each of its days
// with each value of the rule.
const (
	maxValues   = 100 // of all its lists together
	maxTimes    = 100 // within a day
	maxInterval = 10_000
)

// isBounded reports whether rrule-go can read a rule with little memory, and without a fault. BYEASTER is not in RFC 5545.
func isBounded(rule *rrule.ROption) bool {
	inMonth := rule.Freq == rrule.MONTHLY || len(rule.Bymonth) > 0
	return values(rule) <= maxValues && times(rule) <= maxTimes && rule.Interval <= maxInterval && len(rule.Byeaster) == 0 &&
		!slices.ContainsFunc(rule.Byweekday, func(day rrule.Weekday) bool { return inMonth && (day.N() < -5 || day.N() > 5) })
}

func values(rule *rrule.ROption) int {
	return len(rule.Bysetpos) + len(rule.Bymonth) + len(rule.Bymonthday) + len(rule.Byyearday) + len(rule.Byweekno) + len(rule.Byweekday) +
		len(rule.Byhour) + len(rule.Byminute) + len(rule.Bysecond)
}

func times(rule *rrule.ROption) int {
	return max(1, len(rule.Byhour)) * max(1, len(rule.Byminute)) * max(1, len(rule.Bysecond))
}

// costOfYear estimates how many microseconds rrule-go takes for a year.
func costOfYear(rule *rrule.ROption) int {
	base := [...]int{rrule.YEARLY: 4, rrule.MONTHLY: 6, rrule.WEEKLY: 15, rrule.DAILY: 40}[rule.Freq]
	return base * (1 + (values(rule)+4*len(rule.Bysetpos))/8)
}

// cycle is the number of years after which the days of the calendar have the same dates and weekdays again.
const cycle = 400

// isSameEachYear reports whether a yearly rule holds on the same date every year. A rule that begins on 29 February does not.
func isSameEachYear(rule *rrule.ROption, begins time.Time) bool {
	return values(rule) == 0 && rule.Interval <= 1 && (begins.Month() != time.February || begins.Day() < 29)
}

// occurrences returns the times of a valid rule from a time on, in order. rrule-go follows a rule that never holds up to the year 9999. To
// shorten that, the rule is moved as many whole cycles later as leave room for the times up to a year, and its times are moved back.
func occurrences(of *rrule.ROption, begins time.Time, upTo int) rrule.Next {
	rule, moved := *of, max(0, rrule.MAXYEAR-upTo)/cycle*cycle
	rule.Dtstart = begins.AddDate(moved, 0, 0)
	rule.Until = time.Date(rrule.MAXYEAR+1, time.January, 1, 0, 0, 0, 0, time.UTC)
	made, err := rrule.NewRRule(rule)
	if err != nil {
		return func() (time.Time, bool) { return time.Time{}, false }
	}
	next := made.Iterator()
	return func() (time.Time, bool) {
		when, ok := next()
		return when.AddDate(-moved, 0, 0), ok
	}
}
