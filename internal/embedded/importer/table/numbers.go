package table

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// numberForms are the ways in which people write numbers and JSON does not, one bit each.
type numberForms uint8

const (
	pointNumbers numberForms = 1 << iota // 1,234.56, 1'234.56 or, in India, 12,34,567.89
	commaNumbers                         // 1.234,56 or 1 234,56

	eitherNumbers = pointNumbers | commaNumbers
)

var (
	pointNumber = item.Expression(`^-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3}|[1-9]\d{0,2}(?:['’]\d{3})+)(?:\.\d+)?$`)
	commaNumber = item.Expression(`^-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?:[ \x{a0}\x{202f}]\d{3})+)(?:,\d+)?$`)
	groupMarks  = map[numberForms]*strings.Replacer{
		pointNumbers: strings.NewReplacer(",", "", "'", "", "’", ""),
		commaNumbers: strings.NewReplacer(".", "", " ", "", "\u00a0", "", "\u202f", "", ",", "."),
	}
)

var (
	// withUnit matches a number with a currency or a percent sign before or after it.
	withUnit = item.Expression(`^([-−+]?)[ \x{a0}]?(\PN{0,4}?)[ \x{a0}\x{202f}]?([-−+]?)([0-9][0-9.,'’ \x{a0}\x{202f}]*?)[ \x{a0}\x{202f}]` +
		`?(\PN{0,4}?)$`)
	isUnit = item.Expression(`^(?:[€$£¥₹₽₺₩₪₴₫฿₦₱₲₡₸₼%]|[A-Z]{1,2}\$|kr\.?|zł|Kč|Ft|лв|lei|Rs\.?|F?CFA|TL|S?Fr\.?|円|元)$`)
)

// triples matches at least three groups of three digits: the number of a phone or a company rather than an amount.
var triples = item.Expression(`^\d{3}(?:[ \x{a0}]\d{3}){2,}$`)

// split separates a number from its currency or percent sign. A cell without one stays as it is. A number in parentheses, with a minus
// after it or with the mark of a debit is negative. sided reports the mark of a credit or a debit.
func split(cell string) (number, unit string, sided bool) {
	if len(cell) > maxNumber || isBare(strings.TrimPrefix(cell, "-")) {
		return cell, "", false // most cells
	}
	for _, side := range [...]string{"cr", "dr", "cr.", "dr."} {
		if at := len(cell) - len(side); at > 0 && strings.EqualFold(cell[at:], side) {
			if number, unit, _ = split(strings.TrimSuffix(strings.TrimSuffix(cell[:at], "\u00a0"), " ")); isUnsigned(number) {
				return strings.Repeat("-", strings.Count(side, "d")) + number, unit, true
			}
		}
	}
	inner, below := strings.CutSuffix(cell, "-")
	if strings.HasPrefix(cell, "(") {
		inner, below = strings.CutSuffix(cell[1:], ")")
	}
	if rest, above := strings.CutSuffix(cell, "+"); above {
		if number, unit, _ = split(rest); isAmount(number) {
			return "+" + number, unit, false
		}
		return cell, "", false
	}
	if below {
		if number, unit, _ = split(inner); isUnsigned(number) {
			return "-" + number, unit, false
		}
		return cell, "", false
	}
	found := withUnit().FindStringSubmatch(cell)
	if found == nil || found[2] != "" && found[5] != "" || !IsCurrency(found[2]+found[5]) || found[1] != "" && found[3] != "" {
		return cell, "", false
	}
	sign := strings.ReplaceAll(found[1]+found[3], "−", "-")
	return sign + found[4], found[2] + found[5], false
}

// isUnsigned reports a text that begins with a digit.
func isUnsigned(number string) bool { return number != "" && number[0] >= '0' && number[0] <= '9' }

// isBare reports a text that begins and ends with a digit.
func isBare(number string) bool { return isUnsigned(number) && isUnsigned(number[len(number)-1:]) }

// decimals matches the end of a number that is not a phone number.
var decimals = item.Expression(`[.,]\d{1,2}$`)

// isAmount reports a number in any form, perhaps with a minus.
func isAmount(text string) bool {
	return text != "" && len(text) <= maxNumber && (pointNumber().MatchString(text) || commaNumber().MatchString(text))
}

func formsOfNumber(text string, some numberForms) (found numberForms) {
	isShort := len(text) <= maxNumber
	if isShort && some&pointNumbers != 0 && pointNumber().MatchString(text) {
		found |= pointNumbers
	}
	if isShort && some&commaNumbers != 0 && commaNumber().MatchString(text) {
		found |= commaNumbers
	}
	return found
}

// IsCurrency reports the sign or the ISO 4217 code of a currency, or a percent sign.
func IsCurrency(unit string) bool {
	if len(unit) == 3 && strings.Trim(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		_, err := currency.ParseISO(unit)
		return err == nil
	}
	return isUnit().MatchString(unit)
}

// maxNumber is the longest number in these forms, in bytes.
const maxNumber = 40

// plain converts a number of this form to JSON.
func (f numberForms) plain(cell string) string {
	return groupMarks[f].Replace(strings.TrimPrefix(cell, "+"))
}

// pointedUnits are currencies of countries whose numbers have a decimal point.
var pointedUnits = []string{"£", "¥", "₩", "₹", "円", "元", "GBP", "JPY", "CNY", "KRW", "INR"}

// jsonNumber matches a number in the form of JSON. With an exponent it has one digit before the point: other texts are codes.
var jsonNumber = item.Expression(`^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\d(?:\.\d+)?[eE][+-]?\d+)$`)

// IsNumber reports a number in the form of JSON: without a plus, and without the leading zero of an article number or a postcode.
func IsNumber(text string) bool {
	whole, fraction, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if isWhole(whole) && pointed == (fraction != "") && isDigits(fraction) {
		return true // most numbers
	}
	return (strings.ContainsAny(text, "eE") || len(text) >= maxNumber) && isUnsigned(text[len(text)-1:]) &&
		jsonNumber().MatchString(text) && !item.Overflows([]byte(text))
}

// isDigits reports a text of digits only. An empty text is one.
func isDigits(text string) bool {
	return !strings.ContainsFunc(text, func(one rune) bool { return one < '0' || one > '9' })
}

// isWhole reports a whole number of fewer than maxNumber digits in the form of JSON. Most numbers are, and need no regular expression.
func isWhole(text string) bool {
	return text != "" && len(text) < maxNumber && isDigits(text) && (text[0] != '0' || text == "0")
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// bareFraction matches a number below one without its zero, such as .5, -,99, $.50 or (.25).
var bareFraction = item.Expression(`^[-−+(]?[$€£]?[-−+]?[.,]\d{1,32}\)?$`)

// zeroPlace returns the index at which a number below one lacks its zero, or -1.
func zeroPlace(cell string) int {
	const longestSigns = 6 // bytes of a minus and a currency
	mark := strings.IndexAny(cell[:min(len(cell), longestSigns+1)], ".,")
	if mark < 0 || mark > 0 && isUnsigned(cell[mark-1:]) || !bareFraction().MatchString(cell) {
		return -1
	}
	return mark
}

// clean returns a cell without spaces around it, with an ASCII minus, and with the zero of a number below one.
func clean(cell string) string {
	cell = strings.TrimSpace(cell)
	if last := len(cell) - 1; last > 1 && cell[0] == '\'' && cell[last] == '\'' { // a text for spreadsheets
		cell = cell[1:last]
	}
	if len(cell) > 2 && cell[:2] == "- " && cell[2] >= '0' && cell[2] <= '9' {
		cell = "-" + cell[2:]
	}
	if at := zeroPlace(cell); at >= 0 {
		cell = cell[:at] + "0" + cell[at:]
	}
	if cell == "" || cell[0] < utf8.RuneSelf && cell[len(cell)-1] < utf8.RuneSelf {
		return cell
	}
	for _, minus := range [...]string{"−", "–", "－"} {
		if rest, ok := strings.CutPrefix(cell, minus); ok && rest != "" {
			return "-" + strings.TrimLeft(rest, " \u00a0")
		}
		if rest, ok := strings.CutSuffix(cell, minus); ok && rest != "" {
			return rest + "-"
		}
	}
	return cell
}

// isMissing reports a cell that says that there is no value: it is null in a column of numbers or dates, and stays itself in one of texts.
func isMissing(cell string) bool {
	if cell = strings.TrimSpace(cell); len(cell) > len("0000-00-00 00:00:00") {
		return false
	}
	switch strings.ToLower(cell) {
	case "-", "--", "---", "–", "—", "n/a", "n.a.", "na", "#n/a", "none", "null", "nan", `\n`, "not available", "0000-00-00",
		"0000-00-00 00:00:00", "0/0/00":
		return true
	}
	return false
}

func asBoolean(text string) (truth, ok bool) {
	truth = strings.EqualFold(text, "true")
	return truth, truth || strings.EqualFold(text, "false")
}
