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

// A Column remembers what the values of one field were, and which forms of a date and of a number all of them have.
type Column struct {
	Name    string
	Present int            // how many values it has
	Kinds   map[string]int // how many of them look like one of each type
	Wide    bool           // a string has several lines, or more than longString characters
	Mixed   bool           // a list has something else than short strings

	dates    uint64 // a bit for each of dateForms that the days have
	dateless bool   // none has been left
	date     string // the first day, but for those that are alike
	isDate   bool   // it may hold dates: a table, or a field of JSON with such a name
	stamps   int    // how many are dates as records have them
	timed    bool   // a date has a time of the day
	zoned    bool   // one of those has a zone
	clocked  bool   // one of those is not at midnight
	early    bool   // a date is before 1980, and not when Unix begins to count
	epoch    bool   // one is then, which many a program writes for no time at all

	numbers    numberForms
	numberless bool        // none has been left
	marks      string      // of thousands or decimals: all that numbers have, while they may be of either form
	number     string      // the first with one of those
	triples    int         // how many have three digits three times
	small      bool        // a whole number below a thousand, but for 0
	large      bool        // one without a mark that is not
	units      bool        // a number has a currency or a percent sign
	percent    bool        // one of them is a percent sign
	pointed    bool        // a currency is of a country that writes 1,234 for a thousand
	sided      int         // how many numbers have a mark of a credit or a debit
	plus       bool        // one has a plus
	below      bool        // one is below zero
	assumed    numberForms // as other columns have them
	open       bool        // no column says what the dot means in 1.234, and semicolons separate the cells
	isAmount   bool        // the name is that of an amount, in JSON
	amounts    int         // strings that are numbers, where it is

	whole           int   // how many are whole numbers
	fractions       int   // how many are others, which may count seconds
	zeros           int   // how many are 0
	lowest, highest int64 // of all but those
	inexact         bool  // a whole number is above 2^53
	fractional      bool  // a number is not whole

	strays
	lasting
}

// longString is how many characters make a string without spaces a text.
const longString = 100

// amountName is of fields in which many programs write numbers as strings, so that none is rounded, and of measurements. Elsewhere a
// string of digits is a string, as the number of a house is.
var amountName = item.Expression(`(?i)amount|price|balance|cost|total|distance|(?:^|[._ ])(?:fee|tax|tip|sum|discount|value|probability)$`)

// NewColumn is one without values. In JSON only a field that is called so may hold dates.
func NewColumn(name string, isDate bool) Column {
	lasts := spanName().MatchString(name) || timeWord().MatchString(name)
	return Column{Name: name, Kinds: map[string]int{}, isDate: isDate, isAmount: amountName().MatchString(name), lasting: lasting{lasts: lasts}}
}

func (c *Column) count(kind string) {
	c.Kinds[kind]++
	c.Present++
}

// Count puts a valid JSON value on the tally.
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
			c.addWhole(text) // some write counts of time so
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

// CountCell puts a cell of a table on the tally as what it would be in JSON.
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

// countText notes a text that is no number, with what it is without spaces and marks around it.
func (c *Column) countText(text, plain string) {
	if c.lasts {
		c.addLasting(plain)
	}
	isStamp := item.IsTimestamp(plain)
	if !isStamp && c.isDate {
		c.addDay(plain)
	}
	isLong := len(text) > longString && utf8.RuneCountInString(text) > longString || strings.Contains(text, "\n")
	switch {
	case isStamp:
		c.stamps++
		c.noteTime(plain)
		c.count("timestamp")
	case isLong || strings.ContainsAny(text, " \t"):
		c.Wide = c.Wide || isLong
		c.count("text")
	default:
		c.count("string")
	}
}

// noteTime notes whether a date as records have it has a time of the day, and whether that has a zone.
func (c *Column) noteTime(stamp string) {
	day, begins := len(time.DateOnly), isEpoch(stamp)
	c.epoch, c.early = c.epoch || begins, c.early || stamp < "1980" && !begins
	if len(stamp) > day {
		c.timed, c.zoned = true, c.zoned || strings.ContainsAny(stamp[day:], "Z+-U")
		c.clocked = c.clocked || !begins && !strings.HasPrefix(stamp[day+1:], "00:00")
	}
}

// isEpoch reports the time at which Unix begins to count.
func isEpoch(stamp string) bool {
	if len(stamp) <= len(time.DateOnly) || !strings.HasPrefix(stamp, "1970-01-01") && !strings.HasPrefix(stamp, "1969-12-31") {
		return false
	}
	when, ok := model.ParseInstant(stamp)
	return ok && when.Unix() == 0
}

// addDay strikes the forms of a date that a day does not have. A text that is not a date in any form says nothing about the form of the
// others.
func (c *Column) addDay(text string) {
	if c.dateless {
		return
	}
	among := cmp.Or(c.dates, allForms)
	forms, written := formsOf(text, among)
	switch {
	case forms > 0:
		if c.dates == 0 || isAlike(c.date) {
			c.date = text
		}
		c.days++
		c.dates = forms
		c.noteTime(written)
	case among != allForms && isDate(text): // of another form
		c.dates, c.dateless = 0, true
	default:
		c.undated++
		c.dateless = c.undated >= fewestTyped && c.undated > c.days+c.stamps
	}
}

// isAlike reports a date that is the same whether its day or its month comes first.
func isAlike(date string) bool {
	parts := strings.FieldsFunc(date, func(one rune) bool { return strings.ContainsRune("/.-", one) })
	return len(parts) > 1 && strings.TrimLeft(parts[0], "0") == strings.TrimLeft(parts[1], "0")
}

// addWhole notes a whole number, which may count the time: ok is false if it is none of at most 64 bits.
func (c *Column) addWhole(text string) (ok bool) {
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

// isInexact reports that whole numbers of the column would be rounded, and are no times: they are rather ids.
func (c *Column) isInexact() bool { return c.inexact && !c.fractional }

// addNumber strikes the forms of a number that the cell does not have.
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
	if whole := strings.TrimPrefix(text, "-"); isWhole(whole) { // of both forms
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
