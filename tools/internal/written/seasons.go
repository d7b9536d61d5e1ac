package written

import (
	"slices"
	"time"
)

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

// Season returns the season that a text names, in English, and its first month; "" for none.
func Season(s string) (name string, month time.Month) {
	words := timeWords(s)
	if at := slices.IndexFunc(words, func(word string) bool { return seasons[word] != 0 }); at >= 0 && len(words) <= 2 {
		name = words[at]
	}
	return name, seasons[name]
}
