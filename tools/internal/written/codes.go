package written

import (
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// codes maps signs and names of currencies and languages to their codes.
var codes = lexicon.Meanings("code")

const currencyCodes = `(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN)`
const currencySign = `(?:[£$€¥₹]|` + currencyCodes + `)`

// Code returns the code of a currency or a language for its sign or name; "" for any other word.
func Code(word string) string { return codes[strings.ToLower(strings.TrimSpace(word))] }

// idParts matches the numbers and the words of an id. The rest are separators.
var idParts = Expression(`[0-9]+|\pL+`)

// LikeID returns an id in the form of another: with its separators, with as many leading zeros, and, if the id has fewer parts, with the
// first parts of the other. It returns "" if the parts do not correspond, or if the id has that form already.
func LikeID(id, other string) string {
	parts, at := idParts().FindAllString(id, -1), idParts().FindAllStringIndex(other, -1)
	lacking := len(at) - len(parts)
	if len(parts) == 0 || lacking < 0 {
		return ""
	}
	var b strings.Builder
	last := 0
	for i, place := range at {
		part := other[place[0]:place[1]]
		b.WriteString(other[last:place[0]])
		last = place[1]
		if i >= lacking {
			own := parts[i-lacking]
			switch isNumber := unicode.IsDigit(rune(part[0])); {
			case isNumber != unicode.IsDigit(rune(own[0])):
				return ""
			case isNumber && part[0] == '0' && len(own) < len(part):
				own = strings.Repeat("0", len(part)-len(own)) + own
			case strings.EqualFold(own, part):
				own = part
			}
			part = own
		}
		b.WriteString(part)
	}
	if b.WriteString(other[last:]); b.String() == id {
		return ""
	}
	return b.String()
}

// states maps words in other languages for states of records and for the fields that have them, without their endings, to the English word.
var states = lexicon.Meanings("state")

// StateWord returns the English word for a word that says in which state a record is or names the field with it, such as cancelled for
// storniert; any other word in lower case.
func StateWord(word string) string {
	const least, ending = 5, 2 // bytes of what has an ending, and of that
	word = strings.ToLower(word)
	for end := len(word); end == len(word) || end >= max(least, len(word)-ending); end-- {
		if state := states[word[:end]]; state != "" {
			return state
		}
	}
	return word
}
