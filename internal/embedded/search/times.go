package search

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a time in a query adds to the score of the records of that time: as much as a word in one record of some hundred.
const timeBonus = 3

// beforeTimes are words that make a time of a month or weekday behind them.
var beforeTimes = []string{"in", "on", "last", "since", "during", "this", "im", "am"}

// A timeSpan is a time from one instant until before another; zero instants are open.
type timeSpan struct{ from, until time.Time }

// A timeMatcher tells whether a record is of the time that a query names.
type timeMatcher struct {
	span    timeSpan
	month   time.Month // of any year; 0: whatever month
	weekday int        // of any week; -1: whatever day
}

var isoDate = regexp.MustCompile(`^(\d{4})-(\d{2})(?:-(\d{2}))?$`)

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
	"november": 11, "december": 12,
	"januar": 1, "februar": 2, "marz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
}

var weekdays = map[string]time.Weekday{
	"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
	"sonntag": 0, "montag": 1, "dienstag": 2, "mittwoch": 3, "donnerstag": 4, "freitag": 5, "samstag": 6,
}

// prefer finds the words of a query that name a time, makes them light, and returns the time. A month or weekday needs a word
// before it that says so ("in March", "last May", "on Tuesday") or a year after it: as names they are words.
func (q *query) prefer(now time.Time) *timeMatcher {
	for i := range q.units {
		if q.units[i].quoted {
			continue
		}
		if m, n := q.timeAt(i, now); m != nil {
			if slices.Contains(beforeTimes, q.word(i-1)) {
				i, n = i-1, n+1
			}
			for k := i; k < i+n; k++ {
				q.units[k].light, q.units[k].time = true, true
			}
			return m
		}
	}
	return nil
}

// word returns the folded word at a place of the query, "" for a quoted phrase and beyond the ends.
func (q *query) word(i int) string {
	if i < 0 || i >= len(q.units) || q.units[i].quoted {
		return ""
	}
	return strings.Join(q.units[i].phrase, "-")
}

// timeAt reads the time that begins at a word, and how many words name it.
func (q *query) timeAt(i int, now time.Time) (*timeMatcher, int) {
	word, before, after := q.word(i), q.word(i-1), q.word(i+1)
	if parts := isoDate.FindStringSubmatch(word); parts != nil {
		return isoSpan(parts), 1
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch word {
	case "today", "heute":
		return between(today, today.AddDate(0, 0, 1)), 1
	case "yesterday", "gestern":
		return between(today.AddDate(0, 0, -1), today), 1
	case "tomorrow", "morgen":
		return between(today.AddDate(0, 0, 1), today.AddDate(0, 0, 2)), 1
	case "next", "upcoming", "nachste", "nachsten", "nachster":
		if after == "week" || after == "month" || after == "year" {
			return calendarSpan(after, 1, today), 2
		}
		return &timeMatcher{span: timeSpan{from: now}, weekday: -1}, 1
	case "last", "this", "letzte", "letzten", "letzter":
		step := -1
		if word == "this" {
			step = 0
		}
		if m := calendarSpan(after, step, today); m != nil {
			return m, 2
		}
	}
	introduced := slices.Contains(beforeTimes, before)
	if month, ok := months[word]; ok {
		if year, err := strconv.Atoi(after); err == nil && year > 1900 && year < 2200 {
			first := time.Date(year, month, 1, 0, 0, 0, 0, now.Location())
			return between(first, first.AddDate(0, 1, 0)), 2
		}
		if before == "last" {
			first := time.Date(now.Year(), month, 1, 0, 0, 0, 0, now.Location())
			if !first.Before(time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())) {
				first = first.AddDate(-1, 0, 0)
			}
			return between(first, first.AddDate(0, 1, 0)), 1
		}
		if introduced {
			return &timeMatcher{month: month, weekday: -1}, 1
		}
	}
	if day, ok := weekdays[word]; ok && introduced {
		return &timeMatcher{weekday: int(day)}, 1
	}
	if year, err := strconv.Atoi(word); err == nil && year > 1900 && year < 2200 && introduced {
		first := time.Date(year, 1, 1, 0, 0, 0, 0, now.Location())
		return between(first, first.AddDate(1, 0, 0)), 1
	}
	return nil, 0
}

func between(from, until time.Time) *timeMatcher {
	return &timeMatcher{span: timeSpan{from, until}, weekday: -1}
}

// isoSpan reads 2026-06 and 2026-06-14.
func isoSpan(parts []string) *timeMatcher {
	year, _ := strconv.Atoi(parts[1])
	month, _ := strconv.Atoi(parts[2])
	if month < 1 || month > 12 {
		return nil
	}
	first := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	if parts[3] == "" {
		return between(first, first.AddDate(0, 1, 0))
	}
	day, _ := strconv.Atoi(parts[3])
	first = first.AddDate(0, 0, day-1)
	return between(first, first.AddDate(0, 0, 1))
}

// calendarSpan is the week, month or year that lies so many of them from today's.
func calendarSpan(unit string, step int, today time.Time) *timeMatcher {
	switch unit {
	case "week", "woche":
		monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7+7*step)
		return between(monday, monday.AddDate(0, 0, 7))
	case "month", "monat":
		first := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, today.Location()).AddDate(0, step, 0)
		return between(first, first.AddDate(0, 1, 0))
	case "year", "jahr":
		first := time.Date(today.Year()+step, 1, 1, 0, 0, 0, 0, today.Location())
		return between(first, first.AddDate(1, 0, 0))
	}
	return nil
}

// matches reports whether an instant, in microseconds since 1970, is of the time.
func (m *timeMatcher) matches(micro int64) bool {
	at := time.UnixMicro(micro).UTC()
	return (m.span.from.IsZero() || !at.Before(m.span.from)) && (m.span.until.IsZero() || at.Before(m.span.until)) &&
		(m.month == 0 || at.Month() == m.month) && (m.weekday < 0 || int(at.Weekday()) == m.weekday)
}

// String says the time in words, for the report of a search.
func (m *timeMatcher) String() string {
	switch {
	case m.month != 0:
		return m.month.String()
	case m.weekday >= 0:
		return time.Weekday(m.weekday).String()
	case m.span.until.IsZero():
		return "from " + m.span.from.UTC().Format(time.DateOnly)
	}
	return m.span.from.UTC().Format(time.DateOnly) + " until before " + m.span.until.UTC().Format(time.DateOnly)
}

// preferTime raises the records of the time that the query names.
func (s *searcher) preferTime(m *timeMatcher) {
	if m == nil {
		return
	}
	s.result.Time = m.String()
	for _, version := range s.found {
		if event := s.documents.event[version]; event != NoTime && m.matches(event) {
			s.score[version] += timeBonus
		}
	}
}
