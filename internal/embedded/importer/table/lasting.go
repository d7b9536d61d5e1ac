package table

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// putSeconds adds a field with the seconds to a cell of texts, if each value of the column is a duration. A column with the bare name of a
// time has durations if the dates of the table have times of day already, and no cell is a pair or from noon on.
func (c *Column) putSeconds(cell *Cell) {
	isSpan := spanName().MatchString(c.Name) || c.areTimed && c.pairs+c.late == 0 && bareName().MatchString(c.Name)
	if !isSpan || c.Present == 0 || c.seen != c.Present || c.spans != c.Present {
		return
	}
	ofHours := c.pairs == c.Present && hourName().MatchString(c.Name)
	cell.Beside = append(cell.Beside, Beside{Name: c.Name + "_seconds", Kind: "number", Append: func(to []byte, _ Cell, cell, _ string) []byte {
		took, ok := span(clean(cell), ofHours)
		if !ok {
			return append(to, "null"...)
		}
		return strconv.AppendFloat(to, took.Seconds(), 'f', -1, 64)
	}})
}

// pairTimes tells each column whether all dates of its table have a time of day. If not, a column of days learns which single other column
// has their times.
func pairTimes(columns []*Column) {
	isDated := func(c *Column) bool { return c.days+c.stamps > 0 }
	areTimed := slices.ContainsFunc(columns, isDated) && !slices.ContainsFunc(columns, func(c *Column) bool { return isDated(c) && !c.timed })
	for _, one := range columns {
		one.areTimed = areTimed
		if areTimed || !isDated(one) {
			continue
		}
		times := slices.DeleteFunc(slices.Clone(columns), func(c *Column) bool { return !c.lasts || !areBeside(one.Name, c.Name) })
		if len(times) == 1 {
			one.times = times[0]
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

// putMoment adds a field to a cell of days, for the moment that each day and its time of day in another column make, if all cells of that
// column are times of day.
func (c *Column) putMoment(cell *Cell) {
	times := c.times
	if cell.Kind != "date" || cell.hasStrays || times == nil || times.Present == 0 || times.clocks != times.Present ||
		times.seen != times.Present {
		return
	}
	moment := Beside{Name: c.Name + "_time", Kind: model.LocalTime, Clock: times.Name, Append: appendMoment}
	if times.zonedAt > 0 || c.zone != "" {
		moment.Kind = "timestamp"
	}
	cell.Beside = append(cell.Beside, moment)
}

// appendMoment appends the moment of a day and a time of day as JSON: the day alone if there is no time.
func appendMoment(to []byte, c Cell, day, clock string) []byte {
	written := c.timestamp(clean(day))
	if written == "" || IsMissing(written) {
		return append(to, "null"...)
	}
	if at, ok := writeDate(time.DateOnly, written, clockOf(clean(clock))); ok {
		written = at
	}
	return model.Quote(to, written)
}
