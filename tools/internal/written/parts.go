package written

import (
	"slices"
	"strconv"
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

// inUnits replaces what a number of units means: the last half year is six months.
var inUnits = strings.NewReplacer(
	" 1 half year ago ", " 6 month ago ", " half year ago ", " 6 month ago ", " mid year ago ", " 6 month ago ",
	" quarter year ago ", " 3 month ago ", " last half year ", " last 6 month ", " half year last ", " last 6 month ",
	" fortnight ", " 2 week ",
)

// countedUnits returns the words of a time, of several words, with a number of units for those that mean it.
func countedUnits(words []string) []string {
	if len(words) < 2 {
		return words
	}
	return strings.Fields(inUnits.Replace(" " + strings.Join(words, " ") + " "))
}

// partDays reads a part of a longer period: mid March, the first two weeks of June 2026, the second half of last year.
func partDays(words []string, now time.Time) (period, bool) {
	count := 1
	for at := range min(2, len(words)-2) { // the first three months, les trois premiers mois
		if beside := words[1-at]; monthDays().MatchString(words[at]) && (beside == "last" || slices.Contains(ordinals, beside)) {
			count, _ = strconv.Atoi(words[at])
			words = slices.Delete(slices.Clone(words), at, at+1)
			break
		}
	}
	part, unit, rest := words[0], "thirds", words[1:]
	nth := slices.Index(thirds, part)
	if nth < 0 && len(rest) > 0 {
		nth, unit, rest = slices.Index(ordinals, part), rest[0], rest[1:]
	}
	if unit == "mid" { // in Italian, that is half, too
		unit = "half"
	}
	if len(rest) == 0 || nth < 0 && part != "last" {
		return period{}, false
	}
	if _, isUnit := units[rest[0]]; isUnit && len(rest) == 1 && rest[0] != "day" { // "end of the year" is of this year
		rest = []string{"this", rest[0]}
	}
	divided, ok := readDays(rest, now)
	if !ok || divided.last.IsZero() {
		return period{}, false
	}
	partLength, toEnd := units[unit], false
	if uneven, ok := unevenParts[unit+" "+divided.unit()]; ok {
		partLength, toEnd = uneven.length, nth == uneven.parts-1
	}
	first := partLength.from(divided.first, nth*count)
	if part == "last" {
		first = partLength.from(divided.last.AddDate(0, 0, 1), -count)
	}
	last := partLength.from(first, count).AddDate(0, 0, -1)
	if toEnd {
		last = divided.last
	}
	return period{first, last}, partLength != (length{}) && !first.Before(divided.first) && !last.After(divided.last)
}
