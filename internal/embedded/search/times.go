package search

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// timeBonus is the score that a record gains if it is of the time in the query: about that of a word in one of some hundred records.
const timeBonus = 3

// A timeMatcher tells whether a record is of the time that a query names.
type timeMatcher struct {
	from, until time.Time  // zero: open
	month       time.Month // in any year; 0: any month
	days        [2]int     // the first and the last of month; zero: all
	weekday     int        // in any week; -1: any day

	unit    int    // index of the first unit of the query that names it
	written phrase // how a text names it; nil for a time relative to now
}

// Words of times. A word of steps selects a span relative to the current one; after a word of beforeTimes, a month or weekday is a time.
var (
	dayOfMonth  = regexp.MustCompile(`^([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$`)
	beforeTimes = []string{"in", "on", "last", "during", "this", "im", "am"}
	days        = map[string]int{"today": 0, "heute": 0, "yesterday": -1, "gestern": -1, "tomorrow": 1, "morgen": 1}
	steps       = map[string]int{
		"next": 1, "upcoming": 1, "nachste": 1, "nachsten": 1, "nachster": 1, "this": 0, "last": -1, "letzte": -1, "letzten": -1, "letzter": -1,
	}
	months = map[string]time.Month{
		"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
		"november": 11, "december": 12,
		"januar": 1, "februar": 2, "marz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
	}
	weekdays = map[string]time.Weekday{
		"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
		"sonntag": 0, "montag": 1, "dienstag": 2, "mittwoch": 3, "donnerstag": 4, "freitag": 5, "samstag": 6,
	}
)

// monthParts are the first and last days of parts of a month.
var monthParts = map[string][2]int{
	"early": {1, 10}, "beginning": {1, 10}, "start": {1, 10}, "anfang": {1, 10}, "first-week": {1, 7}, "first-half": {1, 15},
	"mid": {11, 20}, "middle": {11, 20}, "mitte": {11, 20},
	"late": {21, 31}, "end": {21, 31}, "ende": {21, 31}, "last-week": {24, 31}, "second-half": {16, 31},
}

// prefer finds the words of a query that name a time, makes them light, and returns the time. A month or weekday needs an introducing word
// before it ("in March", "last May", "on Tuesday") or a year after it: otherwise it may be a name.
func (q *parsedQuery) prefer(now time.Time) *timeMatcher {
	for i := range q.units {
		m, n := q.timeAt(i, now)
		if m == nil {
			continue
		}
		m.unit, m.written = i, q.inText(i, n)
		mark := "@"
		if _, isStep := steps[q.word(i)]; isStep || slices.Contains(beforeTimes, q.word(i-1)) {
			mark = "#"
		}
		for slices.Contains(beforeTimes, q.word(i-1)) {
			i, n = i-1, n+1
		}
		var words []string
		for k := range q.units {
			words = append(words, q.word(k))
		}
		if partOfTime().MatchString(strings.Join(slices.Replace(words, i, i+n, mark), " ")) {
			return nil
		}
		for _, u := range q.units[i : i+n] {
			u.light, u.time = true, true
		}
		return m
	}
	return nil
}

// partOfTime matches a query that does not mean its time as a whole: the time is negated, or only a part or one end of what is meant, as in
// "since March" and "last week of May". The time is @ in the text, or # after a word such as in. Before #, a number or a month belongs to
// something else: 50% in March.
var partOfTime = sync.OnceValue(func() *regexp.Regexp {
	parts := strings.Fields("than als since seit ab depuis desde by before after until till later earlier onwards ago between guten vor nach bis " +
		"zwischen avant apres antes despues hasta early mid end beginning half first second weeks? weekend anfang mitte ende wochen?")
	words := slices.Concat(parts, slices.Sorted(maps.Keys(months)), slices.Sorted(maps.Keys(weekdays)), slices.Sorted(maps.Keys(days)),
		slices.Sorted(maps.Keys(steps)), strings.Fields("days? months? years?"))
	pieces := strings.NewReplacer(
		"MONTH", "(?:"+strings.Join(slices.Sorted(maps.Keys(months)), "|")+")",
		"NOT", `(?:not|without|except|excluding|never|nicht|ohne|au(?:ss|ß)er|keine?n?|no \pL+|(?:is|are|was|were|has|have|had|does|did)n-t)`,
		"PART", "(?:to|"+strings.Join(parts, "|")+")",
		"TIME", `(?:\S+-)?(?:\d{1,2}(?:st|nd|rd|th)?|`+strings.Join(words, "|")+")",
		"JOIN", "(?:to|and|or|until|till|through|bis|und|oder|au?|al|et|ou|y|o)",
		"OF", "(?:of|the|from|vom|von|de[rnms]?|del|la|le|el)",
	)
	return regexp.MustCompile(pieces.Replace(`(?:^| )(?:NOT (?:.* )?|(?:PART|(?:TIME|\d{4}) JOIN) (?:OF )*)[@#]|(?:^| )TIME (?:OF )*@|` +
		`# (?:of|im|vom|von|de|del|du|di) MONTH|[@#] (?:TIME|up|JOIN (?:OF )?(?:TIME|up|\d{4}))(?: |$)`))
})

// timeAt returns the time that begins at a word, nil for none, and how many words name it.
func (q *parsedQuery) timeAt(i int, now time.Time) (*timeMatcher, int) {
	if m, n := q.dateAt(i); m != nil {
		return m, n
	}
	if m, n := q.partAt(i); m != nil {
		return m, n
	}
	if m, n := q.relativeAt(i, now); m != nil {
		return m, n
	}
	return q.introducedAt(i, now)
}

// dateAt reads 2026-03-20, 2026-03 and 20 March 2026.
func (q *parsedQuery) dateAt(i int) (*timeMatcher, int) {
	if day, err := time.Parse(time.DateOnly, q.word(i)); err == nil {
		return dayFrom(day, 0), 1
	}
	if month, err := time.Parse("2006-01", q.word(i)); err == nil {
		return span(month.Year(), month.Month(), 1, 0, 1, 0), 1
	}
	if m := q.dayAt(i); m != nil {
		return m, 3
	}
	return nil, 0
}

// partAt reads "late March", "mid-May 2026" and "the last week of June".
func (q *parsedQuery) partAt(i int) (*timeMatcher, int) {
	part, name, isJoined := strings.Cut(q.word(i), "-")
	n := 1
	if !isJoined {
		if after := q.word(i + 1); after == "week" || after == "half" {
			part, n = part+"-"+after, 2
		}
		if of := q.word(i + n); of == "of" {
			n++
		}
		name = q.word(i + n)
		n++
	}
	month, within := months[name], monthParts[part]
	if month == 0 || within[0] == 0 {
		return nil, 0
	}
	year, ok := yearOf(q.word(i + n))
	if !ok {
		return &timeMatcher{month: month, days: within, weekday: -1}, n
	}
	m := span(year, month, 1, 0, 1, 0)
	if until := m.from.AddDate(0, 0, within[1]); until.Before(m.until) {
		m.until = until
	}
	m.from = m.from.AddDate(0, 0, within[0]-1)
	return m, n + 1
}

// relativeAt reads "yesterday", "next month", "last Friday" and "next".
func (q *parsedQuery) relativeAt(i int, now time.Time) (*timeMatcher, int) {
	after := q.word(i + 1)
	if step, ok := days[q.word(i)]; ok {
		return dayFrom(now, step), 1
	}
	step, ok := steps[q.word(i)]
	if !ok {
		return nil, 0
	}
	if m := calendarSpan(after, step, now); m != nil {
		return m, 2
	}
	if weekday, ok := weekdays[after]; ok && step < 0 {
		return dayFrom(now, int(weekday-now.Weekday()+7)%7-7), 2
	}
	if step > 0 && after != "to" { // next to
		return &timeMatcher{from: now, weekday: -1}, 1
	}
	return nil, 0
}

// introducedAt reads a month, weekday or year after a word of beforeTimes, and a month before its year.
func (q *parsedQuery) introducedAt(i int, now time.Time) (*timeMatcher, int) {
	before := q.word(i - 1)
	month, isMonth := months[q.word(i)]
	weekday, isWeekday := weekdays[q.word(i)]
	year, isYear := yearOf(q.word(i))
	of, hasYear := yearOf(q.word(i + 1))
	switch {
	case isMonth && hasYear:
		return span(of, month, 1, 0, 1, 0), 2
	case !slices.Contains(beforeTimes, before):
		return nil, 0
	case isMonth && before == "last" && month >= now.Month():
		return span(now.Year()-1, month, 1, 0, 1, 0), 1
	case isMonth && (before == "last" || before == "this"):
		return span(now.Year(), month, 1, 0, 1, 0), 1
	case isMonth:
		return &timeMatcher{month: month, weekday: -1}, 1
	case isWeekday && strings.Trim(q.word(i+1), "0123456789") == q.word(i+1): // not that of a date
		return &timeMatcher{weekday: int(weekday)}, 1
	case isYear:
		return span(year, 1, 1, 1, 0, 0), 1
	}
	return nil, 0
}

// dayAt reads the day that begins at a word, with its month and year; nil for none.
func (q *parsedQuery) dayAt(i int) *timeMatcher {
	day, month := q.word(i), q.word(i+1)
	if _, ok := months[day]; ok {
		day, month = month, day
	}
	found := dayOfMonth.FindStringSubmatch(day)
	year, ok := yearOf(q.word(i + 2))
	if found == nil || !ok || months[month] == 0 {
		return nil
	}
	n, _ := strconv.Atoi(found[1])
	if m := span(year, months[month], n, 0, 0, 1); m.from.Day() == n {
		return m
	}
	return nil
}

// inText returns how a text names the time that words of the query name: in the same words. It is nil for a time relative to today, which
// is another time in a text, and for the word may, which is a verb there.
func (q *parsedQuery) inText(at, n int) phrase {
	var own phrase
	for _, u := range q.units[at : at+n] {
		own = append(own, u.phrase...)
	}
	_, isNearby := days[own[0]]
	_, isStep := steps[own[0]]
	if isNearby || isStep || len(own) == 1 && own[0] == "may" {
		return nil
	}
	return own
}

func yearOf(word string) (year int, ok bool) {
	year, err := strconv.Atoi(word)
	return year, err == nil && year > 1900 && year < 2200
}

// span returns the time that begins on a day and lasts so many years, months and days.
func span(year int, month time.Month, day, years, months, days int) *timeMatcher {
	from := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return &timeMatcher{from: from, until: from.AddDate(years, months, days), weekday: -1}
}

// dayFrom returns the day that is so many days after that of now.
func dayFrom(now time.Time, days int) *timeMatcher {
	return span(now.Year(), now.Month(), now.Day()+days, 0, 0, 1)
}

// calendarSpan returns the week, month or year that is step units after that of now, nil for another unit.
func calendarSpan(unit string, step int, now time.Time) *timeMatcher {
	switch unit {
	case "week", "woche":
		return span(now.Year(), now.Month(), now.Day()-(int(now.Weekday())+6)%7+7*step, 0, 0, 7)
	case "month", "monat":
		return span(now.Year(), now.Month()+time.Month(step), 1, 0, 1, 0)
	case "year", "jahr":
		return span(now.Year()+step, 1, 1, 1, 0, 0)
	}
	return nil
}

// matches reports whether an instant, in microseconds since 1970, is in the time.
func (m *timeMatcher) matches(micro int64) bool {
	at := time.UnixMicro(micro).UTC()
	return (m.from.IsZero() || !at.Before(m.from)) && (m.until.IsZero() || at.Before(m.until)) &&
		(m.month == 0 || at.Month() == m.month) && (m.days[0] == 0 || m.days[0] <= at.Day() && at.Day() <= m.days[1]) &&
		(m.weekday < 0 || int(at.Weekday()) == m.weekday)
}

// String describes the time, for the report of a search.
func (m *timeMatcher) String() string {
	switch {
	case m.days[0] != 0:
		return fmt.Sprintf("any %s, %d to %d", m.month, m.days[0], m.days[1])
	case m.month != 0:
		return "any " + m.month.String()
	case m.weekday >= 0:
		return "any " + time.Weekday(m.weekday).String()
	case m.until.Equal(m.from.AddDate(0, 0, 1)):
		return m.from.Format(time.DateOnly)
	case m.until.IsZero():
		return "from " + m.from.Format(time.DateOnly)
	}
	return m.from.Format(time.DateOnly) + " until before " + m.until.Format(time.DateOnly)
}
