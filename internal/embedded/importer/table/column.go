package table

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A Column remembers which forms of a date and of a number all of its cells have.
type Column struct {
	dates      uint64 // a bit for each of dateForms
	dateless   bool   // none has been left
	date       string // the first cell
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
	timed   bool        // a date has a time of the day
	zoned   bool        // one of those has a zone
	clocked bool        // one of those is not at midnight
	early   bool        // a date is before 1980, and not when Unix begins to count
	epoch   bool        // one is then, which many a program writes for no time at all
	pointed bool        // a currency is of a country that writes 1,234 for a thousand
	plus    bool        // one has a plus
	below   bool        // one is below zero
	assumed numberForms // as other columns have them
	open    bool        // no column says what the dot means in 1.234, and semicolons separate the cells

	whole           int   // how many cells are whole numbers
	fractions       int   // how many are others, which may count seconds
	zeros           int   // how many are 0
	lowest, highest int64 // of all but those
	inexact         bool  // a whole number is above 2^53
	fractional      bool  // a number is not whole

	strays
	lasting
}

// Add puts a cell on the tally. It returns the type of what the cell is by itself: a text if it is empty.
func (c *Column) Add(cell string) (kind string) {
	plain := clean(cell)
	if _, ok := asBoolean(plain); ok {
		return "boolean"
	}
	if c.cells++; !c.isRemark(plain) {
		c.addNumber(plain)
	}
	isNumber := IsNumber(plain)
	switch {
	case isNumber && c.AddWhole(plain):
		return "integer"
	case isNumber:
		c.AddFraction(plain)
		return "number"
	case item.IsTimestamp(plain):
		c.AddStamp(plain)
		return "timestamp"
	}
	c.AddDay(plain)
	return ""
}

// AddStamp notes a date as records have it.
func (c *Column) AddStamp(text string) {
	c.stamps++
	c.noteTime(text)
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

// Dates is a cell of timestamps as one of dates if none of the column has a time of the day, or of local times if none of those has a zone
// and the column's name says none: no time zone moves either.
func (c *Column) Dates(name string, cell Cell) Cell {
	cell.epoch = c.hasEpoch()
	switch {
	case cell.Kind != "timestamp":
	case !c.timed:
		cell.Kind = "date"
	case !c.zoned && !universalName().MatchString(name):
		cell.Kind = model.LocalTime
	case !c.zoned:
		cell.utc = true
	}
	return cell
}

// AddAmount notes a text of a field that is called as amounts are.
func (c *Column) AddAmount(text string) { c.addNumber(clean(text)) }

// AddDate strikes the forms of a date that a text does not have: ok is false if none is left.
func (c *Column) AddDate(text string) (ok bool) {
	if c.dateless {
		return false
	}
	if c.dates == 0 {
		c.dates, c.date = 1<<len(dateForms)-1, text
	}
	if !isDate(text) {
		c.dates, text = 0, ""
	}
	day, clock := splitDate(text)
	for index, form := range dateForms {
		if c.dates&(1<<index) == 0 {
			continue
		}
		if written, ok := writeDate(form, day, clock); ok {
			c.noteTime(written)
		} else {
			c.dates &^= 1 << index
		}
	}
	c.dateless = c.dates == 0
	return !c.dateless
}

// AddWhole notes a whole number, which may count the time: ok is false if it is none of at most 64 bits.
func (c *Column) AddWhole(text string) (ok bool) {
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

// AddFraction notes a number that is written as one that is not whole, which may count seconds or milliseconds.
func (c *Column) AddFraction(text string) {
	if number, err := strconv.ParseFloat(text, 64); err == nil && number >= firstSecond && number < lastSecond*1000 {
		c.fractions++
		c.extend(int64(number))
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

// IsInexact reports that whole numbers of the column would be rounded, and are no times: they are rather ids.
func (c *Column) IsInexact() bool { return c.inexact && !c.fractional }

// HasZero reports that a whole number or a time is 0, which is no time.
func (c *Column) HasZero() bool { return c.zeros > 0 || c.hasEpoch() }

// hasEpoch reports a column of times of which one is none: days of birth may be so early, and are at midnight.
func (c *Column) hasEpoch() bool { return c.epoch && c.clocked && !c.early }

// addNumber strikes the forms of a number that the cell does not have.
func (c *Column) addNumber(text string) {
	if c.numberless {
		return
	}
	text, unit, sided := split(text)
	if sided {
		c.sided++
	}
	if unit != "" {
		c.units, c.percent, c.pointed = true, c.percent || unit == "%", c.pointed || slices.Contains(pointedUnits, unit)
	}
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		c.plus, text = c.plus || !decimals().MatchString(rest), rest
	}
	c.below = c.below || strings.HasPrefix(text, "-")
	if c.numbers == 0 {
		c.numbers = pointNumbers | commaNumbers
	}
	if whole := strings.TrimPrefix(text, "-"); isWhole(whole) { // of both forms
		c.large = c.large || len(whole) > 3
		c.small = c.small || len(whole) <= 3 && text != "0"
		return
	}
	c.marked = c.marked || strings.ContainsAny(text, ".,' ’\u00a0\u202f")
	if c.numbers&pointNumbers != 0 && (len(text) > maxNumber || !pointNumber().MatchString(text)) {
		c.numbers &^= pointNumbers
	}
	if c.numbers&commaNumbers != 0 && (len(text) > maxNumber || !commaNumber().MatchString(text)) {
		c.numbers &^= commaNumbers
	}
	c.numberless = c.numbers == 0
	if c.numbers == commaNumbers && triples().MatchString(text) {
		c.triples++
	}
	for _, mark := range [...]string{".", ","} {
		if strings.Contains(text, mark) && !strings.Contains(c.marks, mark) {
			c.marks += mark
		}
	}
}

// isDay reports whether a text is a date, in records' form or in one of dateForms.
func isDay(text string) bool {
	if len(text) >= len(time.DateOnly) {
		if _, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)]); err == nil {
			return true
		}
	}
	var column Column
	return column.AddDate(text)
}
