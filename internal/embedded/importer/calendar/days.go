package calendar

import "time"

// key returns the same text for equal times in different zones.
func key(t calendarTime) string {
	if t.isPlaced() {
		t.when = t.when.UTC()
	}
	return t.String()
}

// addDay adds a day of a series to names, as EXDATE or RECURRENCE-ID give it.
func addDay(names map[string]bool, of string, t calendarTime) {
	names[of+key(t)] = true
	if t.isPlaced() { // for whole days
		names[of+t.when.Format(clockLayout)] = true
	}
}

// isNamed reports that names have a day of a series: by its time, by its time without a zone, or by its date. Programs also name whole days
// by their midnight, in any zone.
func isNamed(names map[string]bool, of string, day calendarTime, clock time.Time) bool {
	return names[of+key(day)] || names[of+calendarTime{when: clock, local: true}.String()] || names[of+clock.Format(time.DateOnly)] ||
		day.day && names[of+clock.Format(clockLayout)]
}
