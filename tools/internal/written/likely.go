package written

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
)

// MaxIDBytes is the most bytes of an id that is looked for.
const MaxIDBytes = 100

// leastBytes is the fewest bytes of an id or a number in a query: a shorter word means something else.
const leastBytes = 3

// LikelyID returns the one word of a query that may be the id of a record, such as A-0007 or #1042; "" for none or several.
func LikelyID(query string) string {
	return onlyWord(query, func(word string) string {
		word = strings.Trim(word, `"'#.,;:!?()`)
		isAmount := strings.Trim(word, "0123456789.,") == "" && strings.Contains(word, ",")
		if len(word) < leastBytes || len(word) > MaxIDBytes || isDateOrHour(word) || isAmount || strings.ContainsAny(word, "<>") {
			return ""
		}
		return word
	})
}

// LikelyNumber returns the one number in a query without its sign, as JSON; "" for none or several.
func LikelyNumber(query string) string {
	return onlyWord(query, func(word string) string {
		number := cmp.Or(Value(rs.EncodeJSON(word)), word)
		if whole, thousands, _ := strings.Cut(number, "."); len(thousands) == 3 && whole != "0" { // no amount has three decimals
			number = whole + thousands
		}
		number = strings.TrimLeft(number, "+-")
		if rs.Kind(number) != "number" || !json.Valid([]byte(number)) || len(number) < leastBytes || isDateOrHour(word) {
			return ""
		}
		return number
	})
}

// TwoDays explains a date in a query that may be either of two days, such as 03/06/2026; "" for none.
func TwoDays(query string) string {
	for word := range strings.FieldsSeq(query) {
		if ways := DaysOf(strings.Trim(word, ".,;?!()")); len(ways) > 1 {
			const says = "%s was read as words, as it may be either day: send since and until, both %s or both %s."
			return fmt.Sprintf(says, quote.Text(word), ways[0].Format(time.DateOnly), ways[1].Format(time.DateOnly))
		}
	}
	return ""
}

// onlyWord returns the meaning of the one word with a digit that has one; "" if none or several have.
func onlyWord(query string, meaning func(word string) string) (only string) {
	for word := range strings.FieldsSeq(query) {
		if !strings.ContainsFunc(word, unicode.IsDigit) {
			continue
		}
		meant := meaning(strings.Trim(word, `'.,;:!?()`))
		if only != "" && meant != "" {
			return ""
		}
		only = cmp.Or(only, meant)
	}
	return only
}

// dateLike matches a date of which it may be unclear which day it is.
var dateLike = Expression(`^[0-3]?[0-9][-/.][0-3]?[0-9][-/.](?:[0-9]{2}|[0-9]{4})$`)

// isDateOrHour reports whether a word is a date or a time of day.
func isDateOrHour(word string) bool {
	_, err := time.Parse("15:04", strings.Replace(word, ".", ":", 1))
	return err == nil || dateLike().MatchString(word) || IsDate(rs.EncodeJSON(word))
}

// NamesDays reports whether a text names a time that [Days] reads, relative to whatever day.
func NamesDays(s string) bool {
	_, _, is := Days(s, dayOf(2000, time.January, 1)) // that year has a 29 February
	return is
}

// NamesTime reports whether a word by itself is a time, such as April. A number is not: it may be anything else.
func NamesTime(word string) bool {
	return NamesDays(word) && len(word) > 3 && !strings.ContainsAny(word, "0123456789")
}
