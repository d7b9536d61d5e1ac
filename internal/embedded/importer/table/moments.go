package table

import (
	"slices"
	"strings"
	"time"
)

// pairTimes tells each column whether all dates of its table have a time of day. If not, a column of days learns which single other column
// has their times.
func pairTimes(columns []*Column) {
	isDated := func(c *Column) bool { return c.dates.all() > 0 }
	isDay := func(c *Column) bool { return isDated(c) && !c.dates.hasClock }
	allHaveClocks := slices.ContainsFunc(columns, isDated) && !slices.ContainsFunc(columns, isDay)
	for _, one := range columns {
		one.agreed.allHaveClocks = allHaveClocks
		if allHaveClocks || !isDated(one) {
			continue
		}
		clocks := slices.DeleteFunc(slices.Clone(columns), func(c *Column) bool { return !c.durations.isNamed || !areBeside(one.Name, c.Name) })
		if len(clocks) == 1 {
			one.agreed.clocks = clocks[0]
		}
	}
}

// areBeside reports that the names of a column of days and of one of times of day belong together: Date and Time, Start Date and Start
// Time.
func areBeside(days, times string) bool {
	rest := func(name string, word string) string {
		return strings.ToLower(strings.Trim(strings.Replace(name, word, "", 1), "_.- "))
	}
	day, clock := dayWord().FindString(days), timeWord().FindString(times)
	return day != "" && clock != "" && rest(days, day) == rest(times, clock)
}

// momentOf returns the moment of a day and a time of day: the day alone if there is no time, and "" if there is no day.
func momentOf(c Cell, day, clock string) string {
	written := c.timestamp(clean(day))
	if isMissing(written) {
		return ""
	}
	if at, ok := writeDate(time.DateOnly, written, clockOf(clean(clock))); ok {
		return at
	}
	return written
}
