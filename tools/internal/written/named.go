package written

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Words before a time in a query that make a bound of it, those that open a period of two times, those that belong to a time, and those
// between two.
var (
	boundWords = ByWord(map[string]string{
		"since": "since seit ab depuis desde sinds", "until": "until till til through bis jusqu'à jusqu'au jusqu'en hasta fino tot até",
		"before": "before vor avant antes prima voor", "after": "after nach après después dopo depois",
	})
	openWords    = Set("between from zwischen von vom entre de du desde del da dal tra tussen van")
	betweenWords = Set("between zwischen entre tra tussen")
	spanWords    = Set("over within across throughout around about über während innerhalb pendant durant durante tijdens")
	joinWords    = Set("to until till through - – — bis à au a al hasta tot , and or und oder et ou y o e en")
	listWords    = Set(", and or und oder et ou y o e en") // of them, those between times that need not be a period
	moreTimes    = Set("later earlier onward onwards sooner up down since ago später früher danach davor plus adelante")
	withinTimes  = Set("in on at for during im am en em") // behind which a time is whole, unlike that of the 2 weeks before May

	timeNumber = Expression(`^(?:[0-9]{1,2}\D{0,2}|(?:19|20)[0-9]{2}(?:-.*)?|q[1-4])$`)
	negation   = Expression(`(?:^|\s)([nN]ot|pas|sans|sin|salvo|(?i:no|without|except|excluding|never|nicht|ohne|außer|keine?n?|sauf|excepto|` +
		`(?:is|are|was|were|has|have|had|does|did)n['’]t))[,.]?\s+([^\s?!.,]+)`)
	negatesNothing = strings.Split("not sure,not only,never mind,no idea,nicht nur,nicht vergessen,nicht finden,keine ahnung,sin in,sin of,sin and", ",")

	// Days of which only the last or the first has its month, and months of a period.
	monthLast = Expression(shared(`(?i)(^|\s)(?:THE\s+)?(DAY)JOIN(DAY(?:\s+(?:of|de))?\s+` +
		`(MONTH)\b\.?(?:,?\s+(?:(?:of|de)\s+)?([0-9]{4}))?)`))
	monthFirst = Expression(shared(`(?i)(^|\s)((MONTH)\.?\s+(?:THE\s+)?DAY)JOIN(DAY(?:[\s,]|$))`))
	monthSpan  = Expression(shared(`(?i)(^|\s)(MONTH)(?:\s*[-–—]\s*|\s+(?:to|through|bis)\s+)(MONTH(?:\s|$))`))
)

// shared is an expression of days and months by their names in any language.
func shared(pattern string) string {
	names := slices.Clone(monthList)
	for _, word := range slices.Sorted(maps.Keys(inEnglish)) {
		if slices.Contains(monthList, inEnglish[word]) {
			names = append(names, strings.NewReplacer("a", "[aä]", "e", "[eé]", "u", "[uû]").Replace(word))
		}
	}
	return strings.NewReplacer("THE", "(?:the|den|dem|le|el)", "DAY", `[0-9]{1,2}(?:st|nd|rd|th|er|\.)?`, "MONTH", strings.Join(names, "|"),
		"JOIN", `\s*(?:,\s*)?(,|[-–—]|\b(?:to|until|till|through|bis|au|al|and|or|und|oder|et|ou|y|o)\b)\s*(?:(?:the|den|dem|le|el)\s+)?`).Replace(pattern)
}

// spelledOut is a query in which each of several days has its month.
func spelledOut(query string) string {
	isDated := strings.ContainsAny(query, "0123456789")
	for n := 0; n < 8 && isDated && (monthLast().MatchString(query) || monthFirst().MatchString(query)); n++ {
		query = monthLast().ReplaceAllString(query, "$1$2 $5 $6 $3 $4")
		query = monthFirst().ReplaceAllString(query, "$1$2 $4 $3 $5")
	}
	if strings.ContainsAny(query, " -–—") && monthSpan().MatchString(query) { // as few queries do
		query = monthSpan().ReplaceAllString(query, "${1}from $2 to $3")
	}
	return query
}

// A Named is the one time that a query names, or the period between two.
type Named struct {
	Since, Until string // the first and the last day; "" for no such bound
	Rest         string // the query without it
	Spans        bool   // it is named by its first and its last part
	Unread       string // what of a query is not understood, in words: then there is nothing else
}

// A namedTime is a time that a query names, and where; without days it is not understood.
type namedTime struct {
	days
	from, to int
}

const (
	notUnderstood = "%q is not understood, so hits may be what is not meant: -word leaves out records with a word, but no filter leaves out a value."
	notRead       = "The time in q was not read as a whole. Send since and until, its first and last day (YYYY-MM-DD), and the other words as q; " +
		"of several times, one search for each."
)

// NamedPeriod returns the one time that a query names, or the period between two. It is false for a query that names none, or one that is
// not understood as a whole, or that is quoted in part. A time without its year is the last one before now.
func NamedPeriod(query string, now time.Time) (Named, bool) {
	if strings.ContainsAny(query, "\"“”„«»") {
		return Named{}, false
	}
	if not := negationIn(query); not != "" {
		return Named{Unread: fmt.Sprintf(notUnderstood, not)}, false
	}
	fields := strings.Fields(spelledOut(query))
	named := namedTimes(fields, now)
	if len(named) == 0 {
		return Named{}, false
	}
	one, spans := named[0], len(named) > 1
	for _, next := range named[1:] {
		one = joinedTime(fields, one, next, now)
	}
	if one.days == (days{}) {
		return Named{Unread: notRead}, false
	}
	if words := timeWords(strings.Join(fields[one.from:one.to], " ")); one.last.IsZero() && len(words) > 1 { // two weeks ago is a week
		one.days, _ = calendar(words[len(words)-2], one.first, 0)
	}
	if one = one.bounded(fields, spans); !one.isWhole(fields) {
		return Named{Unread: notRead}, false
	}
	day := func(day time.Time) string { return strings.TrimPrefix(day.Format(time.DateOnly), "0001-01-01") } // "" for the zero time
	rest := strings.Join(slices.Concat(fields[:one.from], fields[one.to:]), " ")
	return Named{Since: day(one.first), Until: day(one.last), Rest: strings.Trim(rest, " ?!.,"), Spans: spans}, true
}

// bounded is a time with the words before it that introduce it, and what it is then: the time since it, until it, before or after it.
func (one namedTime) bounded(fields []string, spans bool) namedTime {
	for named := one.days; one.from > 0; one.from-- {
		word := bareWord(fields, one.from-1)
		switch bound := boundWords[word]; {
		case bound == "since" && !spans:
			one.last = time.Time{}
		case bound == "until":
			one.first = time.Time{}
		case bound == "before":
			one.days = days{last: named.first.AddDate(0, 0, -1)}
		case bound == "after" && !named.last.IsZero():
			one.days = days{first: named.last.AddDate(0, 0, 1)}
		case introduceTimes[word], introduceTimesElsewhere[word], besideTimes[word], spanWords[word], spans && openWords[word]:
		default:
			return one
		}
	}
	return one
}

// negationIn is the word by which a query says what is not meant; "" for none. A number may be behind no.
func negationIn(query string) string {
	for _, found := range negation().FindAllStringSubmatch(query, -1) {
		not, next := strings.ToLower(found[1]), strings.ToLower(found[2])
		if !slices.Contains(negatesNothing, not+" "+next) && (not != "no" || !strings.ContainsAny(next, "0123456789")) {
			return found[1]
		}
	}
	return ""
}

// bareWord is a word of a query in small letters without signs around it; "" beyond its ends.
func bareWord(fields []string, i int) string {
	if i < 0 || i >= len(fields) {
		return ""
	}
	return strings.Trim(strings.ToLower(fields[i]), ".,;?!()")
}

// isWhole reports whether no word beside a time says that it is a part of what is meant: the end of it, days before it, it or another. Short
// words of other languages than English, such as mon and mes, are other words too.
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
	case before == "to", before == "by", isPart(before) && !withinTimes[bareWord(fields, one.from)], isPart(after), moreTimes[after]:
		return false
	case joinWords[before] && more(one.from-2), joinWords[after] && more(next), strings.HasSuffix(fields[one.to-1], ",") && more(one.to):
		return false // another
	}
	return true
}

// namedTimes are the times that the words of a query name, each as long as it can be.
func namedTimes(fields []string, now time.Time) (named []namedTime) {
	const longest = 7
	read := make([][]string, len(fields)) // the words of a time
	other := make([]bool, len(fields))    // it has other words
	for i, field := range fields {
		read[i] = timeWords(field)
		other[i] = slices.ContainsFunc(read[i], func(word string) bool {
			return !ofTimes()[word] && word != "after" && !strings.ContainsAny(word, "0123456789")
		})
		word, before := bareWord(fields, i), bareWord(fields, i-1)
		counts := inEnglish[before] != "" && inEnglish[before] < "a" && len(read[i]) == 0 && word != "of" // the one from May
		if i > 0 && (counts || (introduceTimes[word] || slices.Contains(monthList, word)) && alsoEnglish[before]) {
			other[i-1] = true // what is due in May is not the second of it
		}
	}
	for i := 0; i < len(fields); i++ {
		last := i
		for last < min(i+longest, len(fields)) && !other[last] {
			last++
		}
		joined := len(named) > 0 && areJoined(fields, named[len(named)-1].to, i)
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

// areJoined reports whether a word or a comma joins the time up to a place with that from another on.
func areJoined(fields []string, to, from int) bool {
	return from == to+1 && joinWords[strings.ToLower(fields[to])] || from == to && strings.HasSuffix(fields[to-1], ",")
}

// joinedTime is the period from the first of two times to the second, of those in a list if no day is between them; without days if
// that is no period. The first is of the year of the second if it has no year of its own.
func joinedTime(fields []string, one, other namedTime, now time.Time) namedTime {
	reversed := one.first.After(other.last) && one.first.AddDate(0, -1, 0).Before(other.last) // and not of another year
	if !areJoined(fields, one.to, other.from) || one.last.IsZero() || other.last.IsZero() || reversed {
		return namedTime{}
	}
	isList := (other.from == one.to || listWords[strings.ToLower(fields[one.to])]) && !betweenWords[bareWord(fields, one.from-1)]
	if one.first.After(other.last) || one.first.Year() < other.first.Year() {
		words := append(timeWords(strings.Join(fields[one.from:one.to], " ")), strconv.Itoa(other.first.Year()))
		if found, ok := readDays(words, now); ok {
			one.days = found
		}
		if one.first.After(other.last) {
			one.first = one.first.AddDate(-1, 0, 0)
		}
	}
	isApart := one.last.AddDate(0, 0, 1).Before(other.first) || !one.last.Before(other.first)
	if isList && isApart {
		return namedTime{}
	}
	return namedTime{days{one.first, other.last}, one.from, other.to}
}

// namedDays reads the time that the words of a query from one up to another name. One word alone names one where no other meaning is
// likely: a day from today, a date, or a name of a time that is introduced, or behind another time and a word that joins them.
func namedDays(fields, words []string, from, to int, joined bool, now time.Time) (days, bool) {
	first, before := bareWord(fields, from), bareWord(fields, from-1)
	if len(words) == 0 || besideTimes[withoutAccents.Replace(first)] || besideTimes[withoutAccents.Replace(bareWord(fields, to-1))] {
		return days{}, false
	}
	isNumber := func(word string) bool { return monthDays().MatchString(ordinal().ReplaceAllString(word, "$1")) }
	_, isUnit := units[words[0]]
	isShort := slices.Contains(weekList, words[0]) && first != words[0] && strings.HasPrefix(words[0], first)
	switch alone := to-from == 1; {
	case slices.Contains(monthList, words[0]) && isNumber(before), // 31 June
		alone && boundWords[before] != "" && isSeason(words[0]): // of which year?
		return days{}, true
	case alone && !isTimeAlone(first, words, before, joined, from == 0):
		return days{}, false
	case len(words) == 2 && (isShort || isNumber(words[0]) && !slices.Contains(monthList, words[1])): // mon prochain vol, for 3 weeks
		return days{}, false
	}
	found, ok := readDays(words, now)
	if ok && isUnit && isNumber(before) { // 2 weeks from 14 November
		return days{}, true
	}
	return found, ok
}

// isTimeAlone reports whether one word, with what it is in English, names a time by itself.
func isTimeAlone(word string, english []string, before string, joined, isFirst bool) bool {
	_, dated := datedDays(english)
	isNow := nowWords[word] || nowWords[english[0]] && strings.HasPrefix(word, english[0]) // today's
	if dated || isNow && before != "la" {                                                  // la mañana is the morning
		return true
	}
	return isTimeName(english[0]) && (joined || isIntroduced(word, english[0], before, isFirst))
}

// isTimeName reports whether a word is the name of a time that comes again or of a year, which may also be another word or a number.
func isTimeName(word string) bool {
	return slices.Contains(weekList, word) || slices.Contains(monthList, word) || partOf().MatchString(word) || fullYear().MatchString(word)
}

// isIntroduced reports whether the word before a name of a time, given as it is written and in English, says that it is one. Behind an
// English word that is English, too.
func isIntroduced(word, english, before string, isFirst bool) bool {
	introduces := introduceTimes[before] || introduceTimesElsewhere[before] || openWords[before] || boundWords[before] != ""
	switch {
	case slices.Contains(weekList, english):
		introduces = introduceDays[before]
	case partOf().MatchString(english) && (isFirst || before == "for"):
		return true
	}
	return introduces && (!introduceTimes[before] || strings.HasPrefix(english, word))
}

// introduceDays are words behind which the name of a day of the week is a day.
var introduceDays = Set("on between from since until till before after last this next am seit ab op le el depuis desde zwischen von entre")

// nowWords are days by their distance from today that are no other word.
var nowWords = Set("today yesterday tomorrow heute gestern aujourd'hui hoy ayer oggi ieri vandaag gisteren hoje ontem vorgestern anteayer demain " +
	"übermorgen uebermorgen overmorgen dopodomani mañana domani amanhã")
