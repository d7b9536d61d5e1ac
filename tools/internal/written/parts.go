package written

import (
	"slices"
	"strings"
	"time"
)

var (
	ordinals = strings.Fields("first second third fourth")
	thirds   = strings.Fields("early mid late")

	// unevenParts are the lengths of the parts of a week, a month and a year, except for the last part, which has the rest.
	unevenParts = map[string]struct {
		length
		parts int
	}{
		"thirds week": {length{0, 2}, 3}, "thirds month": {length{0, 10}, 3}, "thirds year": {length{4, 0}, 3},
		"half month": {length{0, 15}, 2},
	}
)

// partDays reads a part of a longer period: mid March, the first week of June 2026, the second half of last year.
func partDays(words []string, now time.Time) (period, bool) {
	part, unit, of := words[0], "thirds", words[1:]
	nth := slices.Index(thirds, part)
	if nth < 0 && len(of) > 0 {
		nth, unit, of = slices.Index(ordinals, part), of[0], of[1:]
	}
	if len(of) == 0 || nth < 0 && part != "last" {
		return period{}, false
	}
	if _, isUnit := units[of[0]]; isUnit && len(of) == 1 && of[0] != "day" { // "end of the year" is of this year
		of = []string{"this", of[0]}
	}
	whole, ok := readDays(of, now)
	if !ok || whole.last.IsZero() {
		return period{}, false
	}
	each, toEnd := units[unit], false
	if uneven, ok := unevenParts[unit+" "+whole.unit()]; ok {
		each, toEnd = uneven.length, nth == uneven.parts-1
	}
	from := each.from(whole.first, nth)
	if part == "last" {
		from = each.from(whole.last.AddDate(0, 0, 1), -1)
	}
	until := each.from(from, 1).AddDate(0, 0, -1)
	if toEnd {
		until = whole.last
	}
	return period{from, until}, each != (length{}) && !from.Before(whole.first) && !until.After(whole.last)
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
