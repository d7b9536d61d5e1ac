package written

import (
	"strings"

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

// Superlative returns what the first superlative of a query compares and whether it asks for the most of it, with the words of that
// superlative in lower case. Without one it returns no words.
func Superlative(query string) (by Measure, most bool, words []string) {
	mayBegin := func(word string) bool { return comparatives[word] != "" || superlatives[word] != "" }
	if !AnyWord(query, mayBegin) {
		return "", false, nil
	}
	fields := strings.Fields(query)
	for i, word := range fields {
		fields[i] = bare(word)
	}
	for i, word := range fields {
		if compares := comparatives[word]; compares != "" && i+1 < len(fields) && adjectives[fields[i+1]] != "" {
			by, isMore := strings.CutPrefix(adjectives[fields[i+1]], "-")
			return Measure(by), isMore == (compares == "most"), fields[i : i+2]
		}
		ofAny := i > 0 && (word == "mais" || fields[i-1] == "le" && (word == "plus" || word == "moins")) // le plus de messages
		if ofAny && !strings.ContainsAny(strings.Join(fields[i+1:], " "), "0123456789") {
			return OtherMeasure, word != "moins", fields[i : i+1]
		}
		if by := superlatives[word]; by != "" {
			least, most := strings.CutPrefix(by, "-")
			return Measure(least), most, fields[i : i+1]
		}
	}
	return "", false, nil
}

// moreOrLess matches an amount with the words before it that make it a bound, and the sign or name of a currency.
// boundNumber matches any number after such words, with its unit.
var (
	moreOrLess = Expression(`(?i)(?:^|\s)(?:(` + lexicon.Pattern("more-than") + `)|` + lexicon.Pattern("less-than") + `)\s+` +
		`([£$€]?)([0-9]+(?:\.[0-9]{1,2})?)(?:\s*(` + currencySign + `)|\s+(\pL+))?(?:\s|[?!.]*$)`)
	boundNumber = Expression(`(?i)(?:^|\s)(?:` + lexicon.Pattern("more-than") + `|` + lexicon.Pattern("less-than") + `)\s+` +
		`[£$€]?[0-9][0-9.,]*(?:\s*` + currencySign + `|\s+\pL+)?`)
)

// WithoutBound returns a query without a number that is a bound, such as over 100: the number itself is not looked for.
func WithoutBound(query string) string {
	if !strings.ContainsAny(query, "0123456789") { // few queries
		return query
	}
	return boundNumber().ReplaceAllString(query, " ")
}

// MoreOrLess returns the number in a query that is a bound, such as over 100 pounds, and the operator of a filter for it; "" for none. of is
// what the number counts, such as items; "" for money. rest is the query without the bound.
func MoreOrLess(query string) (operator, number, of, rest string) {
	var at []int
	if strings.ContainsAny(query, "0123456789") { // few queries
		at = moreOrLess().FindStringSubmatchIndex(query)
	}
	if at == nil {
		return "", "", "", query
	}
	part := func(i int) string { return query[max(0, at[2*i]):max(0, at[2*i+1])] }
	end := at[1]
	switch isNamed := len(Code(part(5))) == len("EUR"); {
	case part(2)+part(4) == "" && !isNamed:
		if of = part(5); of == "" {
			return "", "", "", query
		}
	case !isNamed:
		end = max(at[7], at[9]) // another word may follow
	}
	operator = map[bool]string{true: "lt", false: "gt"}[part(1) == ""]
	return operator, part(3), of, strings.TrimSpace(query[:at[0]] + " " + query[end:])
}
