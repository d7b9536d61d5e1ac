package table

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
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

// putMoment adds a field to a cell of days, for the moment that each day and its time of day in another column make, if all cells of that
// column are times of day.
func (c *Column) putMoment(cell *Cell) {
	other := c.agreed.clocks
	if cell.Kind != "date" || cell.hasStrays || other == nil || !other.areAll(other.durations.clocks) {
		return
	}
	moment := Beside{Name: c.Name + "_time", Kind: model.LocalTime, Clock: other.Name, text: momentOf}
	if other.durations.clocksInZone > 0 || c.agreed.zone != "" {
		moment.Kind = "timestamp"
	}
	cell.Beside = append(cell.Beside, moment)
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

var (
	zoneName    = item.Expression(`(?i)zone|^tz|[._ ]tz$|fuseau|huso|fuso|(?:utc|gmt|time)_?offset`)
	shortOffset = item.Expression(`^(?:UTC|GMT)? ?([+-](?:0?\d|1[0-4]))(?::?([0-5]\d))?$`)
)

// inZone returns the moment at which clocks show a local time in a zone: one of IANA, an offset such as UTC+3, or an abbreviation.
func inZone(clock, zone string) (time.Time, error) {
	place, err := time.LoadLocation(cmp.Or(strings.TrimSpace(zone), "none"))
	if parts := shortOffset().FindStringSubmatch(cmp.Or(offsets[zone], zone)); parts != nil {
		east, _ := time.ParseDuration(parts[1] + "h0" + parts[2] + "m") // digits
		place, err = time.FixedZone("", int(east.Seconds())), nil
	}
	if err != nil {
		return time.Time{}, err
	}
	layout := "2006-01-02T15:04:05"
	return time.ParseInLocation(layout[:min(len(layout), len(clock))], clock, place)
}

// withZone adds the zone in another cell to the local time, as JSON, at the end of a record. Any other value stays.
func withZone(record []byte, from int, zone string) []byte {
	clock := strings.Trim(string(record[from:]), `"`)
	if moment, err := inZone(clock, zone); err == nil && len(clock) > len(time.DateOnly) {
		return model.Quote(record[:from], moment.Format(time.RFC3339Nano))
	}
	return record
}
