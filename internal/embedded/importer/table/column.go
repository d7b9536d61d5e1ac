package table

import (
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A Column remembers which forms of a date and of a number all of its cells have.
type Column struct {
	dates      uint64 // a bit for each of dateForms
	dateless   bool   // none has been left
	numbers    numberForms
	numberless bool   // none has been left
	marked     bool   // a number has marks of thousands or decimals
	marks      string // that stand before three digits at the end of a number, if nothing says which of both they are
	triples    int    // how many have three digits three times
	small      bool   // a whole number below a thousand, but for 0
	large      bool   // one without a mark that is not
	units      bool   // a number has a currency or a percent sign
	percent    bool   // one of them is a percent sign
	sided      int    // how many numbers have a mark of a credit or a debit

	stamps  int         // how many are dates as records have them
	pointed bool        // a currency is of a country that writes 1,234 for a thousand
	plus    bool        // one has a plus
	below   bool        // one is below zero
	assumed numberForms // as other columns have them
	open    bool        // no column says what the dot means in 1.234, and semicolons separate the cells

	whole           int   // how many cells are whole numbers
	fractions       int   // how many are others, which may count seconds
	zeros           int   // how many are 0
	lowest, highest int64 // of all but those
}

// A Look is what a cell is by itself.
type Look int

// What cells look like.
const (
	Text Look = iota
	Boolean
	Integer // of at most 64 bits
	Number  // as JSON has it
	Timestamp
)

// Add puts a cell on the tally.
func (c *Column) Add(cell string) Look {
	plain := clean(cell)
	if _, ok := asBoolean(plain); ok {
		return Boolean
	}
	c.addNumber(plain)
	isNumber := IsNumber(plain)
	switch {
	case isNumber && c.AddWhole(plain):
		return Integer
	case isNumber:
		c.AddFraction(plain)
		return Number
	case item.IsTimestamp(plain):
		c.stamps++
		return Timestamp
	}
	c.addDate(plain)
	return Text
}

// AddDate notes a text of a field that is called as dates are: ok is false if it is none.
func (c *Column) AddDate(text string) (ok bool) {
	c.addDate(text)
	return !c.dateless
}

// addDate strikes the forms of a date that the cell does not have.
func (c *Column) addDate(text string) {
	if c.dateless {
		return
	}
	if c.dates == 0 {
		c.dates = 1<<len(dateForms) - 1
	}
	if c.dateless = !isDate(text); c.dateless {
		c.dates = 0
		return
	}
	for index, form := range dateForms {
		if c.dates&(1<<index) == 0 {
			continue
		}
		if _, ok := writeDate(text, form); !ok {
			c.dates &^= 1 << index
		}
	}
	c.dateless = c.dates == 0
}

// dateForm is the one form that all cells have, if there is one. What looks like 1.2.26 is a date only if the column is called so.
func (c *Column) dateForm(name string) string {
	dates := c.dates
	if dates&dottedLong != 0 || !dateName().MatchString(name) {
		dates &^= dottedShort
	}
	if bits.OnesCount64(dates) != 1 {
		return ""
	}
	return dateForms[bits.TrailingZeros64(dates)]
}

// AddWhole notes a whole number, which may count the time: ok is false if it is none of at most 64 bits.
func (c *Column) AddWhole(text string) (ok bool) {
	if strings.ContainsAny(text, ".eE") {
		return false
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	c.whole++
	c.extend(number)
	return true
}

// AddFraction notes a number that is not whole, which may count seconds.
func (c *Column) AddFraction(text string) {
	whole, fraction, _ := strings.Cut(text, ".")
	if number, err := strconv.ParseInt(whole, 10, 64); err == nil && number >= firstSecond && number < lastSecond && strings.Trim(fraction, "0123456789") == "" {
		c.fractions++
		c.extend(number)
	}
}

func (c *Column) extend(number int64) {
	if number == 0 {
		c.zeros++
		return
	}
	if c.lowest == 0 && c.highest == 0 {
		c.lowest, c.highest = number, number
	}
	c.lowest, c.highest = min(c.lowest, number), max(c.highest, number)
}

// HasZero reports that a whole number is 0, which is no time.
func (c *Column) HasZero() bool { return c.zeros > 0 }

// timeName is a name of a column that holds times.
var timeName = item.Expression(`(?i:^(?:.*[_. -])?(?:time|timestamp|date|datetime|ts|epoch|at|created|updated|modified|added|visited|start|end|started|ended|posted|published|taken|played|watched|when|day|datum|fecha)(?:_?(?:ms|s|millis|seconds|utc|usec|us|micros|ns|nanos|unixtime))?$)` +
	`|(?:Time|Date|At|Timestamp|Modified)(?:Ms|Millis|Usec|Nanos)?$|(?:^|\.)date[A-Z]`)

// A clock is a way to count time: its unit, and for how many seconds it had counted in 1970.
type clock struct {
	unit   time.Duration
	before int64
}

// clocks are those of Unix, and that of Windows and Chrome, which begins in 1601.
var clocks = [...]clock{{time.Second, 0}, {time.Millisecond, 0}, {time.Microsecond, 0}, {time.Microsecond, 11_644_473_600}, {time.Nanosecond, 0}}

// ofApple is when Apple begins to count, in seconds since 1970. Apple counts fractions of seconds, or nanoseconds.
const ofApple = 978_307_200

// Whole numbers count time if their column is called so, and all of them are between these seconds since 1970: from 1980 to 2100.
const firstSecond, lastSecond = 315_532_800, 4_102_444_800

// So do those that are days, written in the form wholeDay.
const firstDay, lastDay, wholeDay = 1980_01_01, 2100_12_31, "20060102"

// clock is what the numbers were read from: one without a unit if that is unknown.
func (c *Column) clock() clock {
	for _, one := range clocks {
		second := int64(time.Second / one.unit)
		if c.lowest >= (firstSecond+one.before)*second && c.highest < (lastSecond+one.before)*second {
			if c.highest < ofApple*second && (one.unit == time.Nanosecond || c.fractions > 0) {
				one.before = -ofApple
			}
			return one
		}
	}
	return clock{}
}

// Cell says how the cells of the column become values. Of texts all cells are, of numbers some: which decides whether a form that is not
// JSON's is meant. Without such a form the field is of the kind given.
func (c *Column) Cell(name, kind string, present, texts, numbers int) Cell {
	forms := c.numbers
	if forms == pointNumbers|commaNumbers && c.marked && c.pointed {
		forms = pointNumbers
	} else if forms == pointNumbers|commaNumbers && c.marked && c.assumed != 0 {
		forms = c.assumed
	}
	oneForm := forms == pointNumbers || forms == commaNumbers || forms != 0 && !c.marked
	if c.triples > 0 && c.triples == present || c.plus && !c.below && !c.units || c.sided > 0 && c.sided < present { // phones; and without the mark, no one knows which side is meant
		oneForm = false
	}
	switch {
	case present > 0 && c.whole+c.fractions == present && c.clock().unit > 0 && timeName().MatchString(name):
		return Cell{Kind: "timestamp", clock: c.clock()}
	case present > 0 && c.whole == present && c.lowest >= firstDay && c.highest <= lastDay && timeName().MatchString(name):
		return Cell{Kind: "timestamp", form: wholeDay}
	case texts == 0 && kind == "number" && c.open && c.marked && forms == pointNumbers|commaNumbers: // a thousand, or one
		return Cell{Kind: "string"}
	case texts == 0 && kind == "number" && forms == commaNumbers: // 1.234 among columns with decimal commas
		return Cell{Kind: kind, numbers: forms}
	case texts == 0:
	case texts == present && c.dateForm(name) != "", texts+c.stamps == present && c.dateForm(name) == isoDay:
		return Cell{Kind: "timestamp", form: c.dateForm(name)}
	case texts+numbers == present && oneForm: // 1,234 alone may be either
		cell := Cell{Kind: "number", numbers: forms}
		if cell.numbers == pointNumbers|commaNumbers {
			cell.numbers = pointNumbers
		}
		switch {
		case c.percent:
			cell.UnitField = name + "_unit"
		case c.units:
			cell.UnitField = name + "_currency"
		}
		return cell
	}
	return Cell{Kind: kind}
}
