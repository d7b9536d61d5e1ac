package written

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
)

var (
	moreTimes   = lexicon.Of("more-times")
	withinTimes = lexicon.Of("complete-time") // after these a time is complete, unlike in: the 2 weeks before May

	timeNumber = Expression(`^(?:[0-9]{1,2}\D{0,2}|(?:19|20)[0-9]{2}(?:-.*)?|q[1-4])$`)
	negation   = Expression(`(?:^|\s)(` + lexicon.Pattern("excludes-as-written") + `|(?i:` + lexicon.Pattern("excludes") +
		`|(?:is|are|was|were|has|have|had|does|did)n['’]t))[,.]?\s+([^\s?!.,]+)`)
	negatesNothing = lexicon.Phrases("excludes-nothing")
	comparing      = Expression(`(?i)(?:^|\s)` + lexicon.Pattern("compare-stem"))
	hourOfDay      = Expression(`(?i)(?:^|\s)` + lexicon.Pattern("before-hour") + `\s+[0-9]{1,2}(?:[:.h][0-9]{2})?` +
		`(?:\s*(?:am|pm|h|uhr|uur|heures|horas|o'clock))?(?:[\s?!,]|\.?$)`)
)

// hourBound matches hours before, after or between which something is, as in before 9 in the morning.
var hourBound = Expression(func() string {
	const number = `[0-9]{1,2}(?:[:.h][0-9]{2})?`
	part, join := `\s*`+lexicon.Pattern("hour-part"), `\s*`+lexicon.Pattern("hour-join")+`\s*`
	hour := `(?:` + lexicon.Pattern("noon") + `|[0-9]{1,2}[:h][0-9]{2}|` + number + part + `)`
	return `(?i)(?:^|\s)(?:` + lexicon.Pattern("hour-bound") + `\s+(?:(?:` + hour + `|` + number + `)` + join + `)?` + hour + `|` +
		lexicon.Pattern("hours-bound") + `\s+` + number + `(?:` + join + number + `)?)(?:` + part + `)?(?:[\s?!.,]|$)`
}())

// WithoutHourBound returns a query without the hours before, after or between which something is; it is the same without such hours.
func WithoutHourBound(query string) string {
	if !strings.ContainsAny(query, "0123456789") && !AnyWord(query, func(word string) bool { return noons[word] }) {
		return query
	}
	return hourBound().ReplaceAllString(query, " ")
}

var noons = lexicon.Of("noon")

// A Named is the one time that a query names, or the period between two.
type Named struct {
	Since, Until string // the first and the last day; "" for no bound
	Rest         string // the query without the time
	Spans        bool   // the query names the first and the last part of a period
	Compared     string // the unit of its parts, such as month, if the query compares them; else ""

	// ComingSince and ComingUntil are the same days of the first such time that is not over and begins after today, of a time without its
	// year or week, such as December or Tuesday; both "" for any other.
	ComingSince, ComingUntil string

	Part     string // the word for a part of a year that is all of the time and may be in a title, as in the budget for Q4; "" for none
	Mismatch string // a sentence about a day of the week that is not that of its date; "" for none
	Unread   string // a sentence about what was not understood; then the other fields are zero
}

const (
	notUnderstood = "%q is not understood, so hits may be what is not meant: -word leaves out records with a word, but no filter leaves out a value."
	notRead       = "The time in q was not read as a whole. Send since and until, its first and last day (YYYY-MM-DD), and the other words as q; " +
		"of several times, one search for each."
)

// WithoutHour returns a query without the time of a day, as records are searched by whole days.
func WithoutHour(query string) string {
	if !strings.ContainsAny(query, "0123456789") {
		return query
	}
	return hourOfDay().ReplaceAllString(query, " ")
}

// NamedPeriod returns the one time that a query names, or the period between two. It is false if the query names none, if it is not
// understood as a whole, or if a part of it is quoted. A time without its year is the last one before now.
func NamedPeriod(query string, now time.Time) (Named, bool) {
	if strings.ContainsAny(query, "\"“”„«»") {
		return Named{}, false
	}
	if negation := Negation(query); negation != "" {
		return Named{Unread: fmt.Sprintf(notUnderstood, negation)}, false
	}
	fields := withoutDayParts(strings.Fields(spelledOut(query)))
	times := namedTimes(fields, now)
	if len(times) == 0 {
		return Named{}, false
	}
	if unclear := dayOrYear(fields, times, now); unclear != "" {
		return Named{Unread: unclear}, false
	}
	found, spans := times[0], len(times) > 1
	for _, next := range times[1:] {
		found = joinedTime(fields, found, next, now)
	}
	if found.period == (period{}) {
		return Named{Unread: notRead}, false
	}
	words := countedUnits(timeWords(strings.Join(fields[found.from:found.to], " ")))
	if found.last.IsZero() && len(words) > 1 { // two weeks ago is a week
		found.period, _ = calendar(words[len(words)-2], found.first, 0)
	}
	mismatch := found.mismatch(words)
	coming, recurs := found.coming(words, Today(now))
	later := namedTime{coming, found.from, found.to}
	if later, found = later.bounded(fields, spans), found.bounded(fields, spans); !found.isWhole(fields) {
		return Named{Unread: notRead}, false
	}
	day := func(day time.Time) string { return strings.TrimPrefix(day.Format(time.DateOnly), "0001-01-01") } // "" for the zero time
	rest := strings.Join(slices.Concat(fields[:found.from], fields[found.to:]), " ")
	named := Named{Since: day(found.first), Until: day(found.last), Rest: strings.Trim(rest, " ?!.,"), Spans: spans, Mismatch: mismatch}
	if wordBefore := bareWord(fields, times[0].from-1); !spans && partOf().MatchString(words[0]) && len(words) == 1 &&
		boundWords[wordBefore] == "" && (!withinTimes[wordBefore] || wordBefore == "for") {
		named.Part = words[0]
	}
	if spans && (compareWords[joinOf(fields, times[0].to, times[1].from)] || comparing().MatchString(query)) {
		named.Compared = times[0].unit()
	}
	if recurs {
		named.ComingSince, named.ComingUntil = day(later.first), day(later.last)
		if later.first.IsZero() { // until Friday
			named.ComingSince = now.Format(time.DateOnly)
		}
	}
	return named, true
}

// NextOf returns the time from today on for a query for the next of something, and the query without that word; false for any other.
func NextOf(query string, now time.Time) (Named, bool) {
	isNext := func(word string) bool { return english(word) == "next" }
	fields := strings.Fields(query)
	for i := range fields {
		if !isNext(bareWord(fields, i)) || bareWord(fields, i+1) == "to" {
			continue
		}
		rest := strings.Trim(strings.Join(slices.Delete(fields, i, i+1), " "), " ?!.,")
		return Named{Since: now.Format(time.DateOnly), Rest: rest}, !strings.ContainsAny(query, "\"“”„«»")
	}
	return Named{}, false
}

// bounded adds the words before a time that introduce it, and applies them: the result is the time since, until, before or after it.
func (one namedTime) bounded(fields []string, spans bool) namedTime {
	if age, _ := agedTime(fields, one.from); age == "" && directlyBefore[bareWord(fields, one.from-1)] {
		one.from--
	}
	for named := one.period; one.from > 0; one.from-- {
		word := bareWord(fields, one.from-1)
		bound := boundWords[word]
		if age, from := agedTime(fields, one.from); age != "" {
			bound, one.from = age, from+1
		}
		switch {
		case bound == "since" && !spans:
			one.last = time.Time{}
		case bound == "until":
			one.first = time.Time{}
		case bound == "before":
			one.period = period{last: named.first.AddDate(0, 0, -1)}
		case bound == "after" && !named.last.IsZero():
			one.period = period{first: named.last.AddDate(0, 0, 1)}
		case introduceTimes[word], besideTimes[word], spanWords[word], spans && openWords[word]:
		default:
			return one
		}
	}
	return one
}

// Negation returns the word by which a query excludes something; "" for none. Before a number, no is not such a word.
func Negation(query string) string {
	for _, found := range negation().FindAllStringSubmatch(query, -1) {
		not, next := strings.ToLower(found[1]), strings.ToLower(found[2])
		if !slices.Contains(negatesNothing, not+" "+next) && (not != "no" || !strings.ContainsAny(next, "0123456789")) {
			return found[1]
		}
	}
	return ""
}

// isWhole reports whether no word next to a time shows that it is only a part of what is meant: its end, days before it, or a choice of
// times. Short words of other languages than English, such as mon and mes, do not count, as they may have other meanings.
func (one namedTime) isWhole(fields []string) bool {
	isPart := func(word string) bool {
		word = withoutAccents.Replace(word[strings.LastIndexByte(word, '-')+1:]) // twenty-first
		return ofTimes()[word] && word > "9" || len(word) > 3 && inEnglish[word] > "9" && !alsoEnglish[word]
	}
	more := func(i int) bool {
		word := bareWord(fields, i)
		return isPart(word) || moreTimes[word] || boundWords[word] != "" || timeNumber().MatchString(word)
	}
	before, after, next := bareWord(fields, one.from-1), bareWord(fields, one.to), one.to+1
	for besideTimes[bareWord(fields, next)] {
		next++
	}
	switch {
	case before == "to", before == "by", monthDays().MatchString(before) && beforeMonths[bareWord(fields, one.from)],
		isPart(before) && !withinTimes[bareWord(fields, one.from)], isPart(after), moreTimes[after]:
		return false
	case joinWords[before] && more(one.from-2), joinWords[after] && more(next), strings.HasSuffix(fields[one.to-1], ",") && more(one.to):
		return false // there is another time
	}
	return true
}

// namedTimes returns the times that the words of a query name, each as long as possible.
func namedTimes(fields []string, now time.Time) (named []namedTime) {
	const longest = 7
	timeParts := make([][]string, len(fields)) // the words of a time in each field
	hasOther := make([]bool, len(fields))      // the field has other words
	for i, field := range fields {
		timeParts[i] = timeWords(field)
		hasOther[i] = slices.ContainsFunc(timeParts[i], func(word string) bool {
			return !ofTimes()[word] && word != "after" && !strings.ContainsAny(word, "0123456789")
		})
		word, before := bareWord(fields, i), bareWord(fields, i-1)
		counts := inEnglish[before] != "" && inEnglish[before] < "a" && len(timeParts[i]) == 0 && word != "of" // one from May
		if i > 0 && (counts || (introduceEnglish[word] || isMonth(word)) && alsoEnglish[before]) {
			hasOther[i-1] = true // "due in May" is not 2 May
		}
	}
	for i := 0; i < len(fields); i++ {
		last := i
		for last < min(i+longest, len(fields)) && !hasOther[last] {
			last++
		}
		joined := len(named) > 0 && joinOf(fields, named[len(named)-1].to, i) != ""
		for to := last; to > i; to-- {
			if found, ok := namedDays(fields, slices.Concat(timeParts[i:to]...), i, to, joined, now); ok {
				named = append(named, namedTime{found, i, to})
				i = to - 1
				break
			}
		}
	}
	return named
}

// namedDays reads the time that the words of a query in [from, to) name. A single word names one only if no other meaning is likely: a
// day relative to today, a date, or the name of a time that is introduced, or joined to another time before it.
func namedDays(fields, words []string, from, to int, joined bool, now time.Time) (period, bool) {
	firstWord, wordBefore := bareWord(fields, from), bareWord(fields, from-1)
	if len(words) == 0 || besideTimes[withoutAccents.Replace(firstWord)] || besideTimes[withoutAccents.Replace(bareWord(fields, to-1))] {
		return period{}, false
	}
	isNumber := func(word string) bool { return monthDays().MatchString(ordinal().ReplaceAllString(word, "$1")) }
	_, isUnit := units[words[0]]
	isShort := isWeekday(words[0]) && firstWord != words[0] && strings.HasPrefix(words[0], firstWord)
	age, _ := agedTime(fields, from)
	switch isOneWord := to-from == 1 && (age == "" || !isRecurringName(words[0])); {
	case isMonth(words[0]) && isNumber(wordBefore), // 31 June
		isOneWord && (boundWords[wordBefore] == "before" || boundWords[wordBefore] == "until") && isSeason(words[0]): // its year is unclear
		return period{}, true
	case isOneWord && !isTimeAlone(firstWord, words, wordBefore, joined, from == 0) && !isInSeason(fields, from, words[0]) &&
		!isBareDay(fields, from, words[0]):
		return period{}, false
	case len(words) == 2 && isShort && !strings.ContainsAny(words[1], "0123456789"), // mon prochain vol
		len(words) == 2 && isNumber(words[0]) && !isMonth(words[1]): // for 3 weeks
		return period{}, false
	}
	found, ok := readDays(words, now)
	if ok && isUnit && isNumber(wordBefore) { // 2 weeks from 14 November
		return period{}, true
	}
	return found, ok
}

// isTimeAlone reports whether one word, given as written and in English, names a time by itself.
func isTimeAlone(word string, english []string, before string, joined, isFirst bool) bool {
	_, dated := datedDays(english)
	isNow := nowWords[word] || nowWords[english[0]] && (joined || strings.HasPrefix(word, english[0])) || // until now, today's
		word == "morgen" && !beforeMorning[before]
	dayMonth := len(english) == 2 && pointed().MatchString(word+".")
	if dated || dayMonth || isNow && before != "la" { // la mañana is the morning
		return true
	}
	if last := english[len(english)-1]; len(english) > 1 && (isMonth(last) || isSeason(last)) { // mid-August
		return slices.Contains(thirds, english[0])
	}
	return isRecurringName(english[0]) && (joined || isIntroduced(word, english[0], before, isFirst))
}

// isIntroduced reports whether the word before the name of a time, which is given as written and in English, shows that it is a time. After
// an English word the name must be English, too.
func isIntroduced(word, english, before string, isFirst bool) bool {
	introduces := introduceTimes[before] || openWords[before] || boundWords[before] != ""
	switch {
	case isWeekday(english):
		introduces = introduceDays[before]
	case partOf().MatchString(english) && (isFirst || before == "for"):
		return true
	}
	const clear = 5 // letters of the name of a month that is no other word, as in maart
	isClear := slices.Contains(monthList, english) && len(word) >= clear
	return introduces && (!introduceEnglish[before] || strings.HasPrefix(english, word) || isClear)
}

// introduceDays are words after which the name of a day of the week is a day.
var introduceDays = lexicon.Of("introduces-day")

// directlyBefore are words that introduce a time if they are next to it, but not with an article between.
var directlyBefore = lexicon.Of("directly-before-time")

// nowWords are days relative to today that have no other meaning.
var nowWords = lexicon.Of("today")

// dayOrYear explains the first of the times that a query names if each is a month with a number that may be its day or its year, such as
// Nov 25; "" for any other times.
func dayOrYear(fields []string, named []namedTime, now time.Time) (explained string) {
	const years = 10 // that a number is likelier to mean
	for _, one := range named {
		month, number := monthOf(english(bareWord(fields, one.from))), bareWord(fields, one.to-1)
		n, _ := strconv.Atoi(number)
		whole, _ := nthDays("month", int(month), 2000+n)
		mayBeYear := monthDays().MatchString(number) && whole.first.Year() <= now.Year() && whole.first.Year() > now.Year()-years
		if one.to-one.from != 2 || month == 0 || !mayBeYear || beforeDate[bareWord(fields, one.from-1)] {
			return ""
		}
		const says = "%s was not read as a time, as it may be a day or a month: send since and until, both %s or %s and %s."
		text, day := fields[one.from]+" "+number, func(day time.Time) string { return day.Format(time.DateOnly) }
		explained = cmp.Or(explained, fmt.Sprintf(says, quote.Text(text), day(one.first), day(whole.first), day(whole.last)))
	}
	return explained
}

var beforeDate = lexicon.Of("before-date")
