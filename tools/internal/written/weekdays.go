package written

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// Words by which a day of the week is meant in every week: anywhere in a query, or directly before the day; and other words that may be
// before it.
var (
	habits     = lexicon.Of("habit")
	everyDay   = lexicon.Of("every-day")
	beforeDays = lexicon.Of("before-weekday")
)

// WithoutWeekdays returns a query without the days of the week that are meant in every week and so are no dates, as in every Monday, on
// Sundays, and a recurring event on Tuesday. Nothing filters by the day of the week.
func WithoutWeekdays(query string) string {
	if !AnyWord(query, func(word string) bool { is, _ := weekday(word); return is }) || strings.ContainsAny(query, "\"“”„«»") {
		return query
	}
	usual := AnyWord(query, func(word string) bool { return habits[word] })
	fields := strings.Fields(query)
	for i := len(fields) - 1; i >= 0; i-- {
		is, plural := weekday(bareWord(fields, i))
		before, next := bareWord(fields, i-1), bareWord(fields, i+1)
		isDate := strings.ContainsAny(next, "0123456789") || slices.Contains([]string{"last", "this", "next"}, english(before))
		if !is || !plural && !everyDay[before] && (!usual || isDate) {
			continue
		}
		from, to := i, i+1
		for beforeDays[bareWord(fields, from-1)] || everyDay[bareWord(fields, from-1)] {
			from--
		}
		if dayParts[strings.TrimSuffix(next, "s")] {
			to++
		}
		fields = slices.Delete(fields, from, to)
	}
	return strings.Trim(strings.Join(fields, " "), " ?!.,")
}

// weekday reports whether a word is the whole name of a day of the week, and whether it is in the plural or means every week, as montags.
func weekday(word string) (is, plural bool) {
	const least = 5 // letters, as in lundi; a shorter one has other meanings
	if len(word) < least || word == "sexta" {
		return false, false
	}
	names := func(word string) bool { return isWeekday(english(word)) }
	is = names(word)
	plural = !is && (names(strings.TrimSuffix(word, "s")) || names(strings.TrimSuffix(word, "en")))
	return is || plural, plural
}

// mismatch says that a day is not the day of the week which one of its words names; "" for any other time.
func (d period) mismatch(words []string) string {
	isNumbered := func(word string) bool { return strings.ContainsAny(word, "0123456789") }
	at := slices.IndexFunc(words, isWeekday)
	if at < 0 || !d.first.Equal(d.last) || !slices.ContainsFunc(words, isNumbered) || weekList[d.first.Weekday()] == words[at] {
		return ""
	}
	named := time.Weekday(slices.Index(weekList, words[at]))
	return fmt.Sprintf("%s is a %s, not a %s.", d.first.Format(time.DateOnly), d.first.Weekday(), named)
}
