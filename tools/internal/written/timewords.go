package written

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// inEnglish maps words for times in German, French, Spanish, Italian, Portuguese and Dutch, and short ones, to the English word. They have
// no accents.
var inEnglish = func() map[string]string {
	words := lexicon.Meanings("time")
	maps.Copy(words, numbers)
	return words
}()

// numbers maps words for numbers, such as five, to their digits.
var numbers = lexicon.Meanings("number")

// besideTimes are words without a meaning next to the words of a time.
var besideTimes = lexicon.Of("beside-time")

// introduceTimes are words after which the name of a month is a time, and introduceEnglish those before English names.
var (
	introduceTimes   = lexicon.Of("introduces-time")
	introduceEnglish = lexicon.ByLanguage("introduces-time")[0]
)

// Words before a time in a query: that make it a bound, that open a period of two times, or that belong to it.
var (
	boundWords = lexicon.Meanings("bound")
	openWords  = lexicon.Of("opens-period")
	spanWords  = lexicon.Of("spans-time")
)

// alsoEnglish are words for times in other languages that mean something else before an English word.
var alsoEnglish = lexicon.Of("also-english")

// ofTimes returns the English words for times.
var ofTimes = sync.OnceValue(func() map[string]bool {
	words := Set("before")
	for _, word := range inEnglish {
		words[word] = true
	}
	return words
})

// pointed is a day and a month by their numbers, as in 15.11.
var pointed = Expression(`^([0-9]{1,2})\.([0-9]{1,2})\.$`)

var (
	hyphened  = Expression(`^[a-z]+(?:-[a-z]+)+(?:-(?:19|20)[0-9]{2})?$`)
	shortYear = Expression(`^'[0-4][0-9]$`)
)

var ordinal = Expression(`^([0-9]{1,2})(?:st|nd|rd|th|er|e|º|ª|\.)$`)

// english returns the English word for a word of a time in lower case, or that word.
func english(word string) string {
	if len(word) > utf8.RuneCountInString(word) { // Replace allocates for any word
		word = withoutAccents.Replace(word)
	}
	return cmp.Or(inEnglish[word], word)
}

// bareWord returns a word of a query in lower case without signs around it; "" if i is out of range.
func bareWord(fields []string, i int) string {
	if i < 0 || i >= len(fields) {
		return ""
	}
	return bare(fields[i])
}

func bare(word string) string { return strings.Trim(strings.ToLower(word), ".,;?!()¿¡") }

// AnyWord reports whether a word of a query is one of some. It allocates nothing for a query in lower case.
func AnyWord(query string, is func(word string) bool) bool {
	for word := range strings.FieldsSeq(query) {
		if is(bare(word)) {
			return true
		}
	}
	return false
}

// timeWords returns the words of a time in English, without those that have no meaning.
func timeWords(s string) (words []string) {
	for field := range strings.FieldsSeq(strings.ToLower(s)) {
		field = strings.Trim(withoutAccents.Replace(field), ",;?!()")
		if of, ok := strings.CutSuffix(field, "'s"); ok && !isMonth(of) { // May's may be a person's
			field = of
		}
		if found := pointed().FindStringSubmatch(field); found != nil {
			if n, _ := strconv.Atoi(found[2]); n > 0 && n <= len(monthList) {
				words = append(words, found[1], monthList[n-1])
				continue
			}
		}
		if found := ordinal().FindStringSubmatch(field); found != nil {
			field = found[1]
		}
		if hyphened().MatchString(field) { // mid-March, end-of-March
			words = append(words, timeWords(strings.ReplaceAll(field, "-", " "))...)
			continue
		}
		if shortYear().MatchString(field) {
			field = "20" + field[1:]
		}
		if _, rest, ok := strings.Cut(field, "'"); ok && len(field) > len(rest)+1 && inEnglish[field] == "" { // l'an
			field = rest
		}
		if field = english(strings.TrimSuffix(field, ".")); field != "" && !besideTimes[field] {
			words = append(words, field)
		}
	}
	return words
}

// adverbs maps adverbs to the granularity that they mean; beforeSpans are the words after which a unit of time is one.
var (
	adverbs     = lexicon.Meanings("granularity")
	beforeSpans = lexicon.Of("per")
)

// Granularity returns the granularity of the numbers that a query asks for by time, such as per month, and its words for that in lower
// case; "" and none if it asks for no such numbers.
func Granularity(query string) (granularity string, words []string) {
	fields := strings.Fields(query)
	for i := range fields {
		before, word := bareWord(fields, i-1), bareWord(fields, i)
		switch {
		case adverbs[word] != "":
			return adverbs[word], []string{word}
		case beforeSpans[before] && Unit(word) != "":
			return Unit(word), []string{before, word}
		}
	}
	return "", nil
}

// Unit returns the English name of a unit of time by which numbers can be grouped, such as month for Monat; "" for any other word.
func Unit(word string) string {
	if unit := english(strings.ToLower(word)); units[unit] != (length{}) && unit != "half" {
		return unit
	}
	return ""
}

// Season returns the season that a text names, in English, and its first month; "" for none.
func Season(s string) (name string, month time.Month) {
	words := timeWords(s)
	if at := slices.IndexFunc(words, func(word string) bool { return seasons[word] != 0 }); at >= 0 && len(words) <= 2 {
		name = words[at]
	}
	return name, seasons[name]
}
