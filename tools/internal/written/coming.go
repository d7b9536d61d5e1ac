package written

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// coming returns the first such time that begins after today; false if the words of the time name its year or are relative to today, or if
// a longer time than a day is now.
func (one period) coming(words []string, today time.Time) (period, bool) {
	hasUnit := slices.ContainsFunc(words, func(word string) bool { return units[word] != length{} })
	isRelative := func(word string) bool {
		_, isNear := nearDays[word]
		return isNear || word == "last" && !hasUnit || word == "this" || word == "next" || word == "ago" || fullYear().MatchString(word) ||
			isoDay().MatchString(word) || yearLast().MatchString(word) || nowMinus().MatchString(word)
	}
	isOfYear := func(word string) bool {
		return isMonth(word) || isSeason(word) || strings.ContainsAny(word, "0123456789")
	}
	step, recurs := units["week"], slices.ContainsFunc(words, isRecurringName) || slices.ContainsFunc(words, isSeason) ||
		len(words) == 2 && words[0] == "week" // week 50
	if slices.ContainsFunc(words, isOfYear) {
		step = units["year"]
	}
	isNow := !one.first.After(today) && !one.last.Before(today)
	if !recurs || slices.ContainsFunc(words, isRelative) || one.last.IsZero() ||
		isNow && (step != units["week"] || !one.first.Equal(one.last)) {
		return one, false
	}
	const most = 12 // years: 29 February is up to eight years away
	for later, year := one, today.Year(); year < today.Year()+most; year++ {
		if found, ok := readDays(append(slices.Clone(words), strconv.Itoa(year)), today); ok && step == units["year"] { // Easter moves
			later = found
		} else {
			later = period{step.from(later.first, 1), step.from(later.last, 1)}
		}
		if later.first.After(today) {
			return later, true
		}
	}
	return one, false
}

// isRecurringName reports whether a word is the name of a recurring time or a year, which may also be another word or a number.
func isRecurringName(word string) bool {
	return isWeekday(word) || isMonth(word) || partOf().MatchString(word) || fullYear().MatchString(word)
}

// isInSeason reports whether a word of a query is a season or a feast, given in English, that the words before introduce, as in the spring.
// With a capital after an English word it may be a name.
func isInSeason(fields []string, at int, english string) bool {
	introduces := func(word string) bool {
		return inSeason[word] || openWords[word] || boundWords[word] == "since" || boundWords[word] == "after"
	}
	before := at - 1
	for besideTimes[bareWord(fields, before)] && !introduces(bareWord(fields, before)) {
		before--
	}
	isName := strings.HasPrefix(fields[at], strings.ToUpper(english[:1])+english[1:]) && seasons[english] != 0 &&
		bareWord(fields, before) != "im"
	return isSeason(english) && introduces(bareWord(fields, before)) && !isName
}

var inSeason = lexicon.Of("before-season")

// isBareDay reports whether a word of a query is the whole name of a day of the week, given in English, that ends the query or, in another
// language, begins it, and is not a part of another name.
func isBareDay(fields []string, at int, english string) bool {
	const least = 5 // letters, as in lundi; a shorter one has other meanings
	word, isLast, isEnglish := bareWord(fields, at), at == len(fields)-1, bareWord(fields, at) == english
	return isWeekday(english) && len(word) >= least && len(fields) > 1 && (isLast || at == 0 && !isEnglish) &&
		!notDays[word] && !notDays[bareWord(fields, at-1)] && !notDays[bareWord(fields, at+1)]
}

// notDays are words that only look like days of the week, or that make another name of one.
var notDays = lexicon.Of("not-a-day")

// NewestYear returns the newest year in which some hits are of a month; 0 for none.
func NewestYear(hits []rs.Item, month time.Month) (year int) {
	for _, hit := range hits {
		authored := hit.Members.Text("authored_at") // perhaps without a zone
		if at, err := time.Parse(time.DateOnly, authored[:min(len(authored), len(time.DateOnly))]); err == nil && at.Month() == month {
			year = max(year, at.Year())
		}
	}
	return year
}

// beforeMorning are words after which the German and Dutch word for tomorrow is the morning.
var beforeMorning = lexicon.Of("before-morning")

// dayParts are the parts of a day. Next to a day they are left out, as records are searched by whole days.
var dayParts = lexicon.Of("day-part")

// withoutDayParts leaves out the part of a day after a day, as in tomorrow evening; this afternoon becomes today.
func withoutDayParts(fields []string) []string {
	for i := len(fields) - 1; i > 0; i-- {
		part, at := bareWord(fields, i), i-1
		if !dayParts[part] {
			continue
		}
		for besideTimes[withoutAccents.Replace(bareWord(fields, at))] || bareWord(fields, at) == "por" {
			at--
		}
		before := timeWords(bareWord(fields, at))
		switch {
		case len(before) != 1:
		case before[0] == "this" && at == i-1:
			fields = slices.Replace(fields, at, i+1, "today")
		case isWeekday(before[0]), before[0] == "tomorrow", before[0] == "yesterday", before[0] == "today":
			fields = slices.Delete(fields, at+1, i+1)
		}
	}
	return fields
}
