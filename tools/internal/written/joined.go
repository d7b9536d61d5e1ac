package written

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// Words between two times, and before both.
var (
	betweenWords = lexicon.Of("between")
	joinWords    = lexicon.Of("join")
	listWords    = lexicon.Of("join-list")     // the joinWords between times that need not be a period
	compareWords = lexicon.Of("join-compared") // the second time may be the earlier one
)

// A namedTime is a time that a query names, and its place in the words. A zero period means that it was not understood.
type namedTime struct {
	period
	from, to int
}

// joinOf returns the word or the comma that joins the time before to with the time that starts at from, such as than in "in March than in
// April"; "" for none.
func joinOf(fields []string, to, from int) (join string) {
	if from == to && strings.HasSuffix(fields[to-1], ",") {
		return ","
	}
	for _, word := range fields[to:from] {
		switch word = strings.ToLower(word); {
		case join == "" && joinWords[word]:
			join = word
		case !besideTimes[word] || join != "" && !compareWords[join]:
			return ""
		}
	}
	return join
}

// joinedTime returns the period from the first of two times to the second; for times in a list, only if no day is between them. Without a
// period it returns no days. The first time is in the year of the second if it names no year.
func joinedTime(fields []string, begin, end namedTime, now time.Time) namedTime {
	join, from, to := joinOf(fields, begin.to, end.from), begin.from, end.to
	if compareWords[join] && begin.first.After(end.last) && !end.last.IsZero() { // more in May than in April
		begin, end = end, begin
	}
	reversed := begin.first.After(end.last) && begin.first.AddDate(0, -1, 0).Before(end.last) // and not of another year
	if join == "" || begin.last.IsZero() || end.last.IsZero() || reversed {
		return namedTime{}
	}
	at := from - 1
	for besideTimes[bareWord(fields, at)] { // entre o Natal
		at--
	}
	isList := listWords[join] && !betweenWords[bareWord(fields, at)]
	if begin.first.After(end.last) || begin.first.Year() < end.first.Year() {
		words := append(timeWords(strings.Join(fields[begin.from:begin.to], " ")), strconv.Itoa(end.first.Year()))
		if found, ok := readDays(words, now); ok {
			begin.period = found
		}
		if begin.first.After(end.last) {
			begin.first = begin.first.AddDate(-1, 0, 0)
		}
	}
	isApart := begin.last.AddDate(0, 0, 1).Before(end.first) || !begin.last.Before(end.first)
	if isList && isApart {
		return namedTime{}
	}
	return namedTime{period{begin.first, end.last}, from, to}
}

var (
	// ages are words for what is before or after a time, without accents. Those of ageLinks are between them; those of comparedLinks only
	// after a word such as plus: messages récents de mai are of May.
	ages          = lexicon.Meanings("age")
	ageLinks      = lexicon.Of("age-link")
	comparedLinks = lexicon.Of("age-link-compared")
)

// agedTime returns the bound, before or after, that words such as older than, which end before the word at from, make of a time, and the
// place of the first of them; "" if there are no such words.
func agedTime(fields []string, from int) (bound string, first int) {
	first = from - 1
	for ageLinks[bareWord(fields, first)] || comparedLinks[bareWord(fields, first)] {
		first--
	}
	compares := comparatives[bareWord(fields, first-1)] != "" || bareWord(fields, first-1) == "more"
	if first == from-1 || !compares && !ageLinks[bareWord(fields, first+1)] {
		return "", 0
	}
	if bound = ages[withoutAccents.Replace(bareWord(fields, first))]; compares {
		first--
	}
	return bound, first
}
