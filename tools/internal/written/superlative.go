package written

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// A Measure is what a superlative compares records by. Search does not rank by any.
type Measure string

// Measures. OtherMeasure is for a superlative that does not say which number is meant, such as most.
const (
	AnyMeasure   Measure = "number"
	Money        Measure = "money"
	Length       Measure = "length"
	OtherMeasure Measure = "other"
)

// superlatives maps words for the one record with the most or the least of something to what they compare; a minus is for the most.
var superlatives = lexicon.Meanings("superlative")

// comparatives are the words before an adjective that make it a superlative: most or least; and adjectives what these compare, with a minus
// for more of it.
var (
	comparatives = lexicon.Meanings("comparative")
	adjectives   = lexicon.Meanings("adjective")
)

// A Superlative is what a query compares records by.
type Superlative struct {
	By    Measure
	Most  bool     // of it, not the least
	Words []string // of the superlative, in lower case; nil for none
}

// SuperlativeOf returns the first superlative of a query.
func SuperlativeOf(query string) Superlative {
	mayBegin := func(word string) bool { return comparatives[word] != "" || superlatives[word] != "" }
	if !AnyWord(query, mayBegin) {
		return Superlative{}
	}
	fields := strings.Fields(query)
	for i, word := range fields {
		fields[i] = bare(word)
	}
	for i, word := range fields {
		if compares := comparatives[word]; compares != "" && i+1 < len(fields) && adjectives[fields[i+1]] != "" {
			by, isMore := strings.CutPrefix(adjectives[fields[i+1]], "-")
			return Superlative{Measure(by), isMore == (compares == "most"), fields[i : i+2]}
		}
		ofAny := i > 0 && (word == "mais" || fields[i-1] == "le" && (word == "plus" || word == "moins")) // le plus de messages
		if ofAny && !strings.ContainsAny(strings.Join(fields[i+1:], " "), "0123456789") {
			return Superlative{OtherMeasure, word != "moins", fields[i : i+1]}
		}
		if by := superlatives[word]; by != "" {
			least, most := strings.CutPrefix(by, "-")
			return Superlative{Measure(least), most, fields[i : i+1]}
		}
	}
	return Superlative{}
}

// anyNumber matches a number in digits or as a word.
var anyNumber = `(?:[0-9]+(?:\.[0-9]{1,2})?|` + lexicon.Pattern("number") + `)`

// An amount is a number with the sign of its currency before or after it, or with a word, such as pounds or items.
var (
	amountStart = `([£$€]?)(` + anyNumber + `)`
	amountEnd   = `(?:\s*(` + currencySign + `)|\s+(\pL+))?`
)

// These match amounts with the words that make them bounds. boundNumber matches any number after such words, with its unit.
var (
	betweenAmounts = Expression(`(?i)(?:^|\s)` + lexicon.Pattern("between") + `\s+` + amountStart + `(?:\s*` + currencySign + `|\s+\pL+)?\s*` +
		lexicon.Pattern("between-and") + `\s*` + amountStart + amountEnd + `(?:\s|[?!.,]*$)`)
	beforeAmount = Expression(`(?i)(?:^|\s)(?:(` + lexicon.Pattern("more-than") + `)|(` + lexicon.Pattern("less-than") + `)|(` +
		lexicon.Pattern("at-least") + `)|` + lexicon.Pattern("at-most") + `)\s+` + amountStart + amountEnd + `(?:\s|[?!.,]*$)`)
	behindAmount = Expression(`(?i)(?:^|\s)` + amountStart + amountEnd + `\s+(?:(` + lexicon.Pattern("or-more") + `)|` +
		lexicon.Pattern("or-less") + `)(?:\s|[?!.,]*$)`)
	boundNumber = Expression(`(?i)(?:^|\s)(?:` + lexicon.Pattern("more-than") + `|` + lexicon.Pattern("less-than") + `|` +
		lexicon.Pattern("at-least") + `|` + lexicon.Pattern("at-most") + `)\s+[£$€]?(?:[0-9][0-9.,]*|` + lexicon.Pattern("number") + `\b)` +
		`(?:\s*` + currencySign + `|\s+\pL+)?`)
)

func hasNumber(query string) bool {
	return strings.ContainsAny(query, "0123456789") || AnyWord(query, IsNumberWord)
}

// IsNumberWord reports whether a word in lower case is one for a number, such as five.
func IsNumberWord(word string) bool { return numbers[word] != "" }

// digits returns a number, which may be a word, in digits.
func digits(number string) string { return cmp.Or(numbers[strings.ToLower(number)], number) }

// Count returns the number of things that a word means; 0 for any other word.
func Count(word string) int {
	const most = 100
	if n, err := strconv.Atoi(digits(word)); err == nil && n > 0 && n <= most {
		return n
	}
	return 0
}

// WithoutBound returns a query without a number that is a bound, such as over 100: the number itself is not looked for.
func WithoutBound(query string) string {
	if !hasNumber(query) { // few queries have
		return query
	}
	return boundNumber().ReplaceAllString(query, " ")
}

// An Amount is a number in a query that is a bound, such as over 100 pounds, or two of them.
type Amount struct {
	Bounds   rs.Object // the operators of a filter with the numbers; none if the query has no amount
	Currency string    // its code; "" if the query names none
	Of       string    // the word behind the number, such as items, which may be what it counts
	Rest     string    // the query without the amount, but with that word
}

// AmountOf returns the first bound in a query.
func AmountOf(query string) Amount {
	if !hasNumber(query) { // few queries have
		return Amount{Rest: query}
	}
	for i, form := range []*regexp.Regexp{betweenAmounts(), beforeAmount(), behindAmount()} {
		at := form.FindStringSubmatchIndex(query)
		if at == nil {
			continue
		}
		part := func(i int) string { return query[max(0, at[2*i]):max(0, at[2*i+1])] }
		var bounds rs.Object
		var sign, before, behind, word string
		var wordAt int
		switch bound := func(operator string, i int) {
			bounds = append(bounds, rs.Member{Name: operator, Value: digits(part(i))})
		}; i {
		case 0:
			bound("gte", 2)
			bound("lte", 4)
			before, sign, behind, word, wordAt = part(1), part(3), part(5), part(6), 6
		case 1:
			operator := "lte"
			for group, of := range map[int]string{1: "gt", 2: "lt", 3: "gte"} {
				if part(group) != "" {
					operator = of
				}
			}
			bound(operator, 5)
			sign, behind, word, wordAt = part(4), part(6), part(7), 7
		default:
			operator := "lte"
			if part(5) != "" {
				operator = "gte"
			}
			bound(operator, 2)
			sign, behind, word, wordAt = part(1), part(3), part(4), 4
		}
		code, end := cmp.Or(Code(cmp.Or(sign, before, behind, word)), strings.ToUpper(behind)), at[1]
		if len(code) == len("EUR") {
			word = ""
		} else if code = ""; word != "" { // another word may follow
			end = at[2*wordAt]
		}
		return Amount{bounds, code, word, strings.TrimSpace(query[:at[0]] + " " + query[end:])}
	}
	return Amount{Rest: query}
}
