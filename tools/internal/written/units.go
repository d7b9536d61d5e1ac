package written

import (
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

var (
	// unitNames are names of fields with the unit of the numbers in other fields, in the form of [Snake]; the likeliest first.
	unitNames = []string{
		"currency", "unit", "currency_code", "currency_iso", "iso_currency", "iso_currency_code", "ccy",
		"währung", "waehrung", "devise", "moneda", "divisa", "valuta", "moeda", "waluta", "einheit", "unité", "unidad",
	}
	plainUnits    = lexicon.Of("unit") // not currencies
	currencyWords = lexicon.Of("currency")
	// whichCurrency are words that say, after a word for a currency, which of several it is.
	whichCurrency = lexicon.Of("which-currency")
	moneyWords    = lexicon.Of("money")
	// things are words in the names of fields that count something. Such a number has no currency.
	things        = lexicon.Of("things")
	inOneCurrency = Expression(`(?i)(?:^|[^a-z])` + currencyCodes + `_*$`)
)

// IsMoneyName reports whether a field of that name may have amounts of money.
func IsMoneyName(name string) bool { return hasWord(name, moneyWords) }

// IsMoneyForSure reports whether a field of that name has amounts of money. A total or a value may be of anything, such as steps.
func IsMoneyForSure(name string) bool { return hasWord(name, surelyMoney) }

var surelyMoney = func() map[string]bool {
	words := maps.Clone(moneyWords)
	for word := range lexicon.Of("of-anything") {
		delete(words, word)
	}
	return words
}()

// IsLevel reports whether a number is valid at one time, such as a balance or the reading of a meter: neither its sum nor its average
// means anything.
func IsLevel(name string) bool { return isLevel().MatchString(Snake(name)) }

var isLevel = Expression(lexicon.Pattern("level"))

// IsPartOfAmount reports whether a field counts things or has the price of one of them, and so is not the amount for all of them.
func IsPartOfAmount(name string) bool {
	return hasWord(name, things) && !IsMoneyName(name) || hasWord(name, perPiece) && IsMoneyName(name)
}

var perPiece = lexicon.Of("per-piece")

func hasWord(name string, words map[string]bool) bool {
	return slices.ContainsFunc(strings.Split(Snake(name), "_"), func(word string) bool { return words[word] })
}

// IsUnitName reports whether a name looks like that of a field with a unit.
func IsUnitName(name string) bool {
	name = "_" + Snake(name)
	return isCurrency(name) || slices.ContainsFunc(unitNames, func(unit string) bool { return strings.HasSuffix(name, "_"+unit) })
}

// isCurrency reports whether a name in the form of [Snake] is that of a currency, such as "original_currency".
func isCurrency(snake string) bool {
	words := strings.Split(strings.Trim(snake, "_"), "_")
	named := func(word string) bool {
		return currencyWords[word] || strings.HasSuffix(word, "währung") || strings.HasSuffix(word, "waehrung")
	}
	last := words[len(words)-1]
	return named(last) || len(words) > 1 && named(words[0]) && whichCurrency[last]
}

// UnitField returns the one of some fields that has the unit of another's numbers, such as their currency; "" if there is none, or if the
// numbers count things. A field that is named after the other comes first, then one with a usual name. The currency of something else, such
// as of an original amount, is taken if it is the only one and the name of the amount does not include a currency.
func UnitField(of string, fields []string) (field string) {
	if of == "count" || strings.HasSuffix(of, "_count") {
		return ""
	}
	best, several := lastUnitRank+1, false
	for _, name := range fields {
		rank := unitRank(name, of)
		if name == of || rank > best {
			continue
		}
		several = rank == best
		if !several || name < field { // names that differ in case alone
			field, best = name, rank
		}
	}
	if best == lastUnitRank && several {
		return ""
	}
	return field
}

// lastUnitRank is the rank of a field that probably has the unit of another number. It is taken only if it is the only one.
var lastUnitRank = 3 * len(unitNames)

// unitRank returns how unlikely it is that a field has the unit of another, 0 for the likeliest; above last, it does not have it.
func unitRank(name, of string) int {
	if at := strings.LastIndexByte(of, '.') + 1; at > 0 && strings.HasPrefix(name, of[:at]) { // of the same object
		if rank := slices.Index(unitNames, Snake(name[at:])); rank >= 0 {
			return rank
		}
	}
	name, says := Snake(name), Snake(of)
	own, isOwn := strings.CutPrefix(name, says+"_")
	rank := slices.Index(unitNames, own)
	shared := func(word string) bool { return !currencyWords[word] && strings.Contains("_"+says+"_", "_"+word+"_") }
	switch {
	case rank >= 0 && isOwn:
		return rank
	case hasWord(of, things) && !IsMoneyName(of) && !plainUnits[name]:
		return lastUnitRank + 1
	case rank >= 0:
		return 2*len(unitNames) + rank
	case isCurrency(name) && strings.HasSuffix(says, "_"+name),
		isCurrency(name) && IsMoneyName(of) && slices.ContainsFunc(strings.Split(name, "_"), shared):
		return len(unitNames)
	case isCurrency(name) && IsMoneyName(of) && !inOneCurrency().MatchString(of):
		return lastUnitRank
	}
	return lastUnitRank + 1
}
