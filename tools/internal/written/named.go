package written

import (
	"slices"
	"strings"
	"time"
)

// NamedPeriod returns the first and the last day of the one time that a query names, and the query without it; until is "" where it lasts.
// It is false for a query that names none, or several, or that is quoted in part. A time without its year is the last one before now.
func NamedPeriod(query string, now time.Time) (since, until, rest string, ok bool) {
	fields := strings.Fields(query)
	const longest = 7
	var named days
	from, to := -1, -1
	for i := 0; i < len(fields); i++ {
		for n := min(longest, len(fields)-i); n > 0; n-- {
			found, ok := namedDays(fields, i, i+n, now)
			if !ok {
				continue
			}
			if from >= 0 {
				return "", "", "", false
			}
			named, from, to = found, i, i+n
			i = to - 1
			break
		}
	}
	if from < 0 || strings.ContainsAny(query, "\"“”„«»") {
		return "", "", "", false
	}
	for from > 0 && (introducesTime(fields[from-1]) || besideTimes[strings.ToLower(fields[from-1])]) {
		from--
		if sinceWords[strings.ToLower(fields[from])] {
			named.last = time.Time{}
		}
	}
	if !named.last.IsZero() {
		until = named.last.Format(time.DateOnly)
	}
	rest = strings.Join(slices.Concat(fields[:from], fields[to:]), " ")
	return named.first.Format(time.DateOnly), until, strings.Trim(rest, " ?!.,"), true
}

var sinceWords = Set("since seit depuis desde sinds")

func introducesTime(word string) bool {
	word = strings.ToLower(word)
	return introduceTimes[word] || introduceTimesElsewhere[word]
}

// namedDays reads the time that the words of a query from one up to another name. One word alone names one where no other meaning is
// likely: a day from today, a date, or a month behind a word such as in.
func namedDays(fields []string, from, to int, now time.Time) (days, bool) {
	bare := func(i int) string { return strings.Trim(strings.ToLower(fields[i]), ".,;?!()") }
	first, last := bare(from), bare(to-1)
	if besideTimes[withoutAccents.Replace(first)] || besideTimes[withoutAccents.Replace(last)] {
		return days{}, false
	}
	words := timeWords(strings.Join(fields[from:to], " "))
	if len(words) == 0 {
		return days{}, false
	}
	if to-from == 1 {
		before := ""
		if from > 0 {
			before = bare(from - 1)
		}
		month := slices.Contains(monthList, words[0])
		introduced := introduceTimes[before] && strings.HasPrefix(words[0], first) || introduceTimesElsewhere[before]
		if isDay := nowWords[first] || isoMonth().MatchString(first) || isoWeek().MatchString(first); !isDay && !(month && introduced) {
			return days{}, false
		}
	}
	if from > 0 && monthDays().MatchString(timeNumber(bare(from-1))) && slices.Contains(monthList, words[0]) {
		return days{}, false // a day that the month has not
	}
	if words[len(words)-1] != "ago" && monthDays().MatchString(words[0]) && len(words) == 2 && !slices.Contains(monthList, words[1]) {
		return days{}, false // for 3 weeks
	}
	return readDays(words, now)
}

// nowWords are days by their distance from today that are no other word.
var nowWords = Set("today yesterday heute gestern aujourd'hui hoy ayer oggi ieri vandaag gisteren hoje ontem")

// timeNumber is a word without the ending of an ordinal number.
func timeNumber(word string) string {
	if found := ordinal().FindStringSubmatch(word); found != nil {
		return found[1]
	}
	return word
}
