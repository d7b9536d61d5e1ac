package table

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// amounts describes the numbers of a column, as people write them.
type amounts struct {
	isNamed  bool        // a JSON field with the name of an amount
	strings  int         // strings of such a field that are numbers
	forms    numberForms // that fit all numbers
	rejected bool        // no form fits all numbers, or most cells are remarks: further cells are not counted

	marks    string // all marks of thousands or decimals, while the numbers can have either form
	example  string // the first number with such a mark
	hasSmall bool   // a whole number is below a thousand, and not 0
	hasLarge bool   // a whole number without a mark is at least a thousand

	hasUnit      bool // a number has a currency or a percent sign
	hasPercent   bool // one of them is a percent sign
	hasPointUnit bool // a currency is of a country with decimal points

	sided       int  // numbers with the mark of a credit or a debit
	phones      int  // numbers with at least three groups of three digits
	hasPlus     bool // a number has a plus, and no decimals
	hasNegative bool // a number is negative
}

// amountName matches names of amounts and measurements, for which many programs write numbers as strings, so that none is rounded. Any
// other string of digits stays a string, such as a house number.
var amountName = item.Expression(`(?i)amount|price|balance|cost|total|distance|` +
	`(?:betrag|preis|kosten|saldo|summe|geb(?:ü|ue)hr|brutto|netto|montant|importe|precio|prezzo|bedrag|prijs|kwota)$|` +
	`(?:^|[._ ])(?:fee|tax|tip|sum|discount|value|probability|wert|prix|solde|valor|valore|cena)$`)

// add removes the forms that do not fit a number.
func (a *amounts) add(text string) {
	if a.rejected {
		return
	}
	text, unit, sided := split(text)
	a.sided += count(sided)
	a.hasUnit, a.hasPercent = a.hasUnit || unit != "", a.hasPercent || unit == "%"
	a.hasPointUnit = a.hasPointUnit || slices.Contains(pointedUnits, unit)
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		a.hasPlus, text = a.hasPlus || !decimals().MatchString(rest), rest
	}
	a.hasNegative = a.hasNegative || strings.HasPrefix(text, "-")
	a.forms = cmp.Or(a.forms, eitherNumbers)
	if whole := strings.TrimPrefix(text, "-"); isWhole(whole) { // fits both forms
		a.hasLarge = a.hasLarge || len(whole) > 3
		a.hasSmall = a.hasSmall || len(whole) <= 3 && text != "0"
		return
	}
	a.forms = formsOfNumber(text, a.forms)
	a.rejected = a.forms == 0
	a.phones += count(a.forms == commaNumbers && triples().MatchString(text))
	if a.marks == "" {
		a.example = text
	}
	if mark := strings.Trim(text, "-"+digits); !strings.Contains(a.marks, mark) {
		a.marks += mark
	}
}

// marksThousands reports that a mark, which may also come before three decimals, is in each number of at least a thousand and in none
// below. Decimals would be in those too.
func (a *amounts) marksThousands(mark string) bool {
	return a.forms == eitherNumbers && a.marks == mark && a.hasSmall && !a.hasLarge
}

// form returns the form of all numbers, eitherNumbers if they have two readings, and 0 if no form fits all. elsewhere is the form in other
// columns of the table, if it is known.
func (a *amounts) form(elsewhere numberForms) numberForms {
	switch {
	case a.forms != eitherNumbers:
		return a.forms
	case a.marks == "" || a.hasPointUnit:
		return pointNumbers
	}
	return cmp.Or(elsewhere, eitherNumbers)
}

// fit reports numbers of one form that are not phone numbers. If only some have the mark of a credit or a debit, the side of the others is
// unknown.
func (a *amounts) fit(form numberForms, present int) bool {
	arePhones := a.phones == present || a.hasPlus && !a.hasNegative && !a.hasUnit
	return form != 0 && form != eitherNumbers && !arePhones && (a.sided == 0 || a.sided >= present)
}
