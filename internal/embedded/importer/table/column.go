package table

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A Column collects what the values of one field look like, and which forms of a date and of a number fit all of them.
type Column struct {
	Name    string
	Present int            // number of values
	Kinds   map[string]int // number of values that look like each type
	Wide    bool           // a string has more than longString characters
	Mixed   bool           // a list has other elements than short strings

	dates    uint64 // the dateForms that fit all days, one bit each
	dateless bool   // no form fits all of them
	various  bool   // as they have several forms
	date     string // the first day, or the first whose day and month differ
	isDate   bool   // it can have dates: a column of a table, or a JSON field with such a name
	stamps   int    // number of dates in the form that records have
	timed    bool   // a date has a time of day
	zoned    bool   // such a time has a zone
	clocked  bool   // such a time is not midnight
	early    bool   // a date is before 1980, and not the Unix epoch
	epoch    bool   // a date is the Unix epoch, which many programs write for no time at all

	numbers    numberForms // that fit all numbers
	numberless bool        // no form fits all of them
	marks      string      // all marks of thousands or decimals, while the numbers can have either form
	number     string      // the first number with such a mark
	triples    int         // numbers with at least three groups of three digits
	small      bool        // a whole number is below a thousand, and not 0
	large      bool        // a whole number without a mark is at least a thousand
	units      bool        // a number has a currency or a percent sign
	percent    bool        // one of them is a percent sign
	pointed    bool        // a currency is of a country with decimal points
	sided      int         // numbers with the mark of a credit or a debit
	plus       bool        // a number has a plus, and no decimals
	below      bool        // a number is negative
	assumed    numberForms // the form in other columns
	open       bool        // no column shows what the dot in 1.234 means, and semicolons separate the cells
	isAmount   bool        // a JSON field with the name of an amount
	amounts    int         // strings that are numbers, in such a field

	whole           int   // whole numbers
	fractions       int   // other numbers, which may count seconds
	zeros           int   // numbers that are 0
	lowest, highest int64 // of the whole numbers and fractions except 0
	inexact         bool  // a whole number is beyond 2^53
	fractional      bool  // a number is not whole

	areTimed bool    // each date of the table has a time of day
	times    *Column // the column with the times of its days; nil: none

	universal bool   // its times without a zone are in UTC
	side      string // the column that says which of its amounts are debits; empty: none
	zone      string // the column with the zone of its times; empty: none

	identifier int // how surely its name is that of an identifier: 1 is surest, 0 means that it is none

	hints
	zones
	strays
	lasting
}

// longString is the most characters of a string without spaces; a longer one is a text.
const longString = 100

// amountName matches names of amounts and measurements, for which many programs write numbers as strings, so that none is rounded. Any
// other string of digits stays a string, such as a house number.
var amountName = item.Expression(`(?i)amount|price|balance|cost|total|distance|` +
	`(?:betrag|preis|kosten|saldo|summe|geb(?:ü|ue)hr|brutto|netto|montant|importe|precio|prezzo|bedrag|prijs|kwota)$|` +
	`(?:^|[._ ])(?:fee|tax|tip|sum|discount|value|probability|wert|prix|solde|valor|valore|cena)$`)

// NewColumn returns a column without values. isDate reports that a JSON field can have dates, as its name shows.
func NewColumn(name string, isDate bool) Column {
	lasts := spanName().MatchString(name) || timeWord().MatchString(name)
	return Column{Name: name, Kinds: map[string]int{}, isDate: isDate, isAmount: amountName().MatchString(name),
		lasting: lasting{lasts: lasts}, identifier: identifierName(name), zones: zones{isZone: zoneName().MatchString(name)}}
}

func (c *Column) count(kind string) {
	c.Kinds[kind]++
	c.Present++
}

// Count counts a valid JSON value.
func (c *Column) Count(value []byte) {
	switch value[0] {
	case 'n':
	case 't', 'f':
		c.count("boolean")
	case '[':
		c.count("array")
		c.Mixed = c.Mixed || !item.IsWords(value, longString)
	case '{':
		c.count("object")
	case '"':
		text := model.Unquote(value)
		if IsDigits(text) {
			c.addWhole(text) // some programs write counts of time as strings
		}
		if c.isAmount {
			c.addNumber(clean(text))
			c.amounts += count(IsNumber(text))
		}
		c.countText(text, text)
	default:
		c.countNumber(string(value))
	}
}

// CountCell counts a cell of a table, a JSON string, as what it would be in JSON.
func (c *Column) CountCell(value []byte) {
	if value[0] != '"' {
		c.Count(value)
		return
	}
	text := model.Unquote(value)
	if IsMissing(text) {
		return
	}
	c.isDate = true // whatever its name is
	plain := clean(text)
	if _, ok := asBoolean(plain); ok {
		c.count("boolean")
		return
	}
	c.addHint(plain)
	c.addZone(plain)
	c.words = c.words || !strings.ContainsAny(plain, digits)
	if c.cells++; !c.isRemark(plain) {
		c.addNumber(plain)
	}
	if IsNumber(plain) {
		c.countNumber(plain)
	} else {
		c.countText(text, plain)
	}
}

func (c *Column) countNumber(text string) {
	if c.addWhole(text) {
		c.count("integer")
		return
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil && number >= firstSecond && number < lastSecond*1000 {
		c.fractions++
		c.extend(int64(number))
	}
	c.count("number")
}

// countText counts a text that is not a number; plain is the text without spaces and marks around it.
func (c *Column) countText(text, plain string) {
	if c.lasts {
		c.addLasting(plain)
	}
	isStamp := item.IsTimestamp(plain)
	if !isStamp && c.isDate {
		c.addDay(plain)
	}
	isLong := len(text) > longString && utf8.RuneCountInString(text) > longString
	switch {
	case isStamp:
		c.stamps++
		c.noteTime(plain)
		c.count("timestamp")
	case isLong || strings.ContainsAny(text, " \t\n"):
		c.Wide = c.Wide || isLong
		c.count("text")
	default:
		c.count("string")
	}
}

// noteTime notes whether a date, in the form that records have, has a time of day, and whether that has a zone.
func (c *Column) noteTime(stamp string) {
	day, begins := len(time.DateOnly), isEpoch(stamp)
	c.epoch, c.early = c.epoch || begins, c.early || stamp < "1980" && !begins
	if len(stamp) > day {
		c.timed, c.zoned = true, c.zoned || strings.ContainsAny(stamp[day:], "Z+-U")
		c.clocked = c.clocked || !begins && !strings.HasPrefix(stamp[day+1:], "00:00")
	}
}

// addDay removes the forms of a date that do not fit a day. A text that is a date in no form does not restrict the forms of the others.
func (c *Column) addDay(text string) {
	if c.dateless {
		return
	}
	among := cmp.Or(c.dates, allForms)
	forms, written := formsOf(text, among)
	switch {
	case forms > 0:
		if c.dates == 0 || isSameSwapped(c.date) {
			c.date = text
		}
		c.days++
		c.dates = forms
		c.noteTime(written)
	case among != allForms && isDate(text): // in another form
		c.dates, c.dateless, c.various = 0, true, true
	default:
		c.undated++
		c.dateless = c.undated >= fewestTyped && c.undated > c.days+c.stamps
	}
}

// isSameSwapped reports a date whose day and month are the same number.
func isSameSwapped(date string) bool {
	parts := strings.FieldsFunc(date, func(one rune) bool { return strings.ContainsRune("/.-", one) })
	return len(parts) > 1 && strings.TrimLeft(parts[0], "0") == strings.TrimLeft(parts[1], "0")
}

// addWhole notes a whole number, which may count time: ok is false for any other number, and beyond 64 bits.
func (c *Column) addWhole(text string) (ok bool) {
	if c.identifier > 0 {
		text = strings.TrimSuffix(text, ".0") // as programs write that compute with fractions
	}
	if strings.ContainsAny(text, ".eE") {
		c.fractional = true
		return false
	}
	c.inexact = c.inexact || item.IsInexact(text)
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	c.whole++
	c.extend(number)
	return true
}

func (c *Column) extend(number int64) {
	switch {
	case number == 0:
		c.zeros++
	case c.lowest == 0 && c.highest == 0:
		c.lowest, c.highest = number, number
	default:
		c.lowest, c.highest = min(c.lowest, number), max(c.highest, number)
	}
}

// isExact reports whole numbers that are ids rather than amounts: most programs would round them, or their name says so.
func (c *Column) isExact() bool {
	return c.inexact && !c.fractional || c.whole == c.Present-c.Strays && c.IsIdentifier()
}

// addNumber removes the forms of a number that do not fit a cell.
func (c *Column) addNumber(text string) {
	if c.numberless {
		return
	}
	text, unit, sided := split(text)
	c.sided += count(sided)
	c.units, c.percent, c.pointed = c.units || unit != "", c.percent || unit == "%", c.pointed || slices.Contains(pointedUnits, unit)
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		c.plus, text = c.plus || !decimals().MatchString(rest), rest
	}
	c.below = c.below || strings.HasPrefix(text, "-")
	c.numbers = cmp.Or(c.numbers, eitherNumbers)
	if whole := strings.TrimPrefix(text, "-"); isWhole(whole) { // fits both forms
		c.large = c.large || len(whole) > 3
		c.small = c.small || len(whole) <= 3 && text != "0"
		return
	}
	c.numbers = formsOfNumber(text, c.numbers)
	c.numberless = c.numbers == 0
	c.triples += count(c.numbers == commaNumbers && triples().MatchString(text))
	if c.marks == "" {
		c.number = text
	}
	if mark := strings.Trim(text, "-"+digits); !strings.Contains(c.marks, mark) {
		c.marks += mark
	}
}

// strays counts the few cells of a column that differ from all others, such as "every Tuesday" among dates. The column has the type of the
// others, and a further field has the strays, so that none is lost.
type strays struct {
	cells   int  // number of cells; 0 for a JSON field
	days    int  // dates in a form that records do not have
	undated int  // texts that are dates in no form
	remarks int  // texts that are neither numbers nor codes
	limits  int  // those of them that say that there is no exact number, such as <0.6
	Strays  int  // strays, once the column is settled
	dated   bool // the strays are among dates, not among numbers
	words   bool // a cell has no digit
}

// A type needs at least fewestTyped cells, and at most the share mostStrays of all values can be strays. A column is one of texts after
// fewestTyped texts, if these are more than half of all so far.
const fewestTyped, mostStrays = 5, 0.15

// isRemark notes and reports a text among numbers: words, or words and a number. A code such as 12a or XL is not one.
func (c *Column) isRemark(text string) bool {
	isShort := len(text) <= len("XL") && strings.ToLower(text) != strings.ToUpper(text)
	if !c.numberless && limit().MatchString(text) {
		c.remarks, c.limits = c.remarks+1, c.limits+1
		return true
	}
	if c.numberless || isShort || strings.ContainsAny(text, digits) && !word().MatchString(text) {
		return false
	}
	if number, _, _ := split(text); isAmount(number) {
		return false
	}
	c.remarks++
	c.numberless = c.remarks-c.limits >= fewestTyped && 2*(c.remarks-c.limits) > c.cells
	return !c.numberless
}

// limit matches a measured value outside of what can be measured, with its unit, and the words for it.
var limit = item.Expression(`^(?:[<>≤≥~≈]=?[ \x{a0}]?\d[\d.,]*(?:[ \x{a0}]?\PN{0,8})?|` +
	`(?i)n\. ?[abdn]\.|nd|neg\.|n[eé]gati[vf][eoa]?|[<>] ?(?:lod|loq))$`)

// word matches a word of letters only; SW1A 1AA has none.
var word = item.Expression(`(?:^|\s)\pL{2,}[.,:]?(?:\s|$)`)
