package written

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Words before a time in a query that make a bound of it, those that open a period of two times, those that belong to a time, and those
// between two.
var (
	boundWords = ByWord(map[string]string{
		"since": "since seit depuis desde sinds", "until": "until till til through bis jusqu'à jusqu'au jusqu'en hasta fino tot até",
		"before": "before vor avant antes prima voor", "after": "after nach après después dopo depois",
	})
	openWords = Set("between from zwischen von vom entre de du desde del da dal tra tussen van")
	spanWords = Set("over within across throughout around about über während innerhalb pendant durant durante tijdens")
	joinWords = Set("and to until till through - – — bis und et à au y a al hasta e en tot")
)

// A namedTime is a time that a query names, and where.
type namedTime struct {
	days
	from, to int
}

// NamedPeriod returns the first and the last day of the one time that a query names, or of the period between two, and the query without
// it; since or until is "" where it has no such bound. It is false for a query that names none, or several, or that is quoted in part. A
// time without its year is the last one before now.
func NamedPeriod(query string, now time.Time) (since, until, rest string, ok bool) {
	fields := strings.Fields(query)
	named := namedTimes(fields, now)
	if len(named) == 0 || len(named) > 2 || strings.ContainsAny(query, "\"“”„«»") {
		return "", "", "", false
	}
	one := named[0]
	if len(named) == 2 {
		if one, ok = joinedTime(fields, named, now); !ok {
			return "", "", "", false
		}
	}
	first, last := one.first, one.last
	if unit := one.ago(fields); unit != "" { // two weeks ago is a week
		around, _ := calendar(unit, first, 0)
		first, last = around.first, around.last
		one.days = around
	}
	for said := true; said && one.from > 0; {
		word := strings.ToLower(fields[one.from-1])
		switch bound := boundWords[word]; {
		case bound == "since" && len(named) == 1:
			last = time.Time{}
		case bound == "until":
			first = time.Time{}
		case bound == "before":
			first, last = time.Time{}, one.first.AddDate(0, 0, -1)
		case bound == "after" && !one.last.IsZero():
			first, last = one.last.AddDate(0, 0, 1), time.Time{}
		default:
			said = introduceTimes[word] || introduceTimesElsewhere[word] || besideTimes[word] || spanWords[word] || len(named) > 1 && openWords[word]
		}
		if said {
			one.from--
		}
	}
	bound := func(day time.Time) string {
		if day.IsZero() {
			return ""
		}
		return day.Format(time.DateOnly)
	}
	rest = strings.Join(slices.Concat(fields[:one.from], fields[one.to:]), " ")
	return bound(first), bound(last), strings.Trim(rest, " ?!.,"), true
}

// ago is the unit of a time that is so many units before now; "" for any other.
func (one namedTime) ago(fields []string) string {
	words := timeWords(strings.Join(fields[one.from:one.to], " "))
	if last := len(words) - 1; last > 0 && one.last.IsZero() && words[last] == "ago" {
		return words[last-1]
	}
	return ""
}

// namedTimes are the times that the words of a query name, each as long as it can be.
func namedTimes(fields []string, now time.Time) (named []namedTime) {
	const longest = 7
	read := make([][]string, len(fields)) // the words of a time
	other := make([]bool, len(fields))    // it has other words
	for i, field := range fields {
		read[i] = timeWords(field)
		other[i] = slices.ContainsFunc(read[i], func(word string) bool { return !ofTimes()[word] && !strings.ContainsAny(word, "0123456789") })
		word := strings.Trim(strings.ToLower(field), ".,;?!()")
		if i > 0 && (introduceTimes[word] || slices.Contains(monthList, word)) && alsoEnglish[strings.ToLower(fields[i-1])] {
			other[i-1] = true // what is due in May is not the second of it
		}
	}
	for i := 0; i < len(fields); i++ {
		last := i
		for last < min(i+longest, len(fields)) && !other[last] {
			last++
		}
		joined := len(named) > 0 && i == named[len(named)-1].to+1 && joinWords[strings.ToLower(fields[i-1])]
		for to := last; to > i; to-- {
			if found, ok := namedDays(fields, slices.Concat(read[i:to]...), i, to, joined, now); ok {
				named = append(named, namedTime{found, i, to})
				i = to - 1
				break
			}
		}
	}
	return named
}

// joinedTime is the period from the first of two times to the second. The first is of the year of the second where it names none.
func joinedTime(fields []string, named []namedTime, now time.Time) (namedTime, bool) {
	one, other := named[0], named[1]
	word := strings.ToLower(fields[one.to])
	opened := one.from > 0 && openWords[strings.ToLower(fields[one.from-1])]
	if other.from != one.to+1 || !joinWords[word] || other.last.IsZero() || word == "and" && !opened { // this and that
		return namedTime{}, false
	}
	if one.first.After(other.last) || one.first.Year() < other.first.Year() {
		words := append(timeWords(strings.Join(fields[one.from:one.to], " ")), strconv.Itoa(other.first.Year()))
		if found, ok := readDays(words, now); ok {
			one.days = found
		}
		if one.first.After(other.last) {
			one.first = one.first.AddDate(-1, 0, 0)
		}
	}
	return namedTime{days{one.first, other.last}, one.from, other.to}, true
}

// namedDays reads the time that the words of a query from one up to another name. One word alone names one where no other meaning is
// likely: a day from today, a date, or a month, a day of the week, a quarter or a year behind a word such as in, or behind another time and
// a word that joins them.
func namedDays(fields, words []string, from, to int, joined bool, now time.Time) (days, bool) {
	bare := func(i int) string {
		if i < 0 {
			return ""
		}
		return strings.Trim(strings.ToLower(fields[i]), ".,;?!()")
	}
	first, before := bare(from), bare(from-1)
	if len(words) == 0 || besideTimes[withoutAccents.Replace(first)] || besideTimes[withoutAccents.Replace(bare(to-1))] {
		return days{}, false
	}
	month := slices.Contains(monthList, words[0])
	number := func(word string) bool { return monthDays().MatchString(ordinal().ReplaceAllString(word, "$1")) }
	_, dated := datedDays(words)
	if to-from == 1 && !nowWords[first] && !dated {
		english := strings.HasPrefix(words[0], first) // is its name
		bounds := openWords[before] || boundWords[before] != "" && boundWords[before] != "since"
		introduced := introduceTimesElsewhere[before] || introduceTimes[before] && english || bounds && !introduceTimes[before]
		switch {
		case slices.Contains(weekList, words[0]):
			introduced = introduceDays[before] && (english || !introduceTimes[before])
		case partOf().MatchString(words[0]):
			introduced = introduced || from == 0 || before == "for"
		case !month && !fullYear().MatchString(words[0]):
			return days{}, false
		}
		if !joined && !introduced {
			return days{}, false
		}
	}
	notOfMonth := month && number(before)                                                   // a day that it has not
	howLong := len(words) == 2 && number(words[0]) && !slices.Contains(monthList, words[1]) // for 3 weeks
	if notOfMonth || howLong {
		return days{}, false
	}
	return readDays(words, now)
}

// introduceDays are words behind which the name of a day of the week is a day.
var introduceDays = Set("on since until till before after last this am seit op le el")

// nowWords are days by their distance from today that are no other word.
var nowWords = Set("today yesterday tomorrow heute gestern aujourd'hui hoy ayer oggi ieri vandaag gisteren hoje ontem vorgestern anteayer")
