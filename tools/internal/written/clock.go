package written

import "slices"

var (
	hourOfDay   = Expression(`^[0-9]{1,2}(?:[:.h][0-9]{2})?(?:am|pm|h|uhr)?$`)
	beforeClock = Set("at um om à às las alle ore")
	afterClock  = Set("pm uhr uur h heures horas o'clock")
)

// withoutClock leaves out the time of a day, as in at 10, as records are searched by whole days.
func withoutClock(fields []string) []string {
	for i := len(fields) - 1; i > 0; i-- {
		from, to, before := i-1, i+1, bareWord(fields, i-1)
		if next := timeWords(bareWord(fields, to)); !beforeClock[before] || !hourOfDay().MatchString(bareWord(fields, i)) ||
			len(next) > 0 && slices.Contains(monthList, next[0]) {
			continue
		}
		if word := bareWord(fields, to); afterClock[word] || word == "am" && before == "at" {
			to++
		}
		if before == "las" && bareWord(fields, from-1) == "a" {
			from--
		}
		fields = slices.Delete(fields, from, to)
		i = min(i, len(fields))
	}
	return fields
}
