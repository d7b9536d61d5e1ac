package table

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A Column remembers which forms of a date and of a number all of its cells have.
type Column struct {
	dates      uint64 // a bit for each of cellDates
	dateless   bool   // none has been left
	numbers    numberForms
	numberless bool // none has been left
	marked     bool // a number has marks of thousands or decimals
	units      bool // a number has a currency or a percent sign
	percent    bool // one of them is a percent sign

	whole           int   // how many cells are whole numbers
	lowest, highest int64 // of them
}

// A Look is what a cell is by itself.
type Look int

// What cells look like.
const (
	Text Look = iota
	Boolean
	Number // as JSON has it
	Timestamp
)

// Add puts a cell on the tally.
func (c *Column) Add(cell string) Look {
	plain := strings.TrimSpace(cell)
	if _, ok := asBoolean(plain); ok {
		return Boolean
	}
	c.addNumber(plain)
	switch {
	case isNumber(plain):
		c.addWhole(plain)
		return Number
	case item.IsTimestamp(plain):
		return Timestamp
	}
	c.addDate(plain)
	return Text
}

// addDate strikes the forms of a date that the cell does not have.
func (c *Column) addDate(text string) {
	if c.dates == 0 && !c.dateless {
		c.dates = 1<<len(cellDates) - 1
	}
	if c.dates == 0 || len(text) < len("1.2.26") || len(text) > 40 {
		c.dates, c.dateless = 0, true
		return
	}
	for index, layout := range cellDates {
		if c.dates&(1<<index) == 0 {
			continue
		}
		if _, err := time.Parse(layout, text); err != nil {
			c.dates &^= 1 << index
		}
	}
	c.dateless = c.dates == 0
}

// addWhole notes a whole number, which may count from 1970.
func (c *Column) addWhole(text string) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return
	}
	if c.whole++; c.whole == 1 {
		c.lowest, c.highest = number, number
	}
	c.lowest, c.highest = min(c.lowest, number), max(c.highest, number)
}

// timeName is a name of a column that holds times.
var timeName = regexp.MustCompile(`(?i)^(?:.*[_.-])?(?:time|timestamp|date|datetime|ts|epoch|at|created|updated|modified)(?:_?(?:ms|s|millis|seconds|utc))?$|(?:Time|Date|At|Timestamp)(?:Ms)?$`)

// Between these, whole numbers count seconds or milliseconds since 1970, if their column is called so: from 1980 to 2100.
const firstSecond, lastSecond = 315_532_800, 4_102_444_800

// Cell says how the cells of the column become values. Of texts all cells are, of numbers some: which decides whether a form that is not
// JSON's is meant. Without such a form the field is of the kind given.
func (c *Column) Cell(name, kind string, present, texts, numbers int) Cell {
	oneForm := c.numbers == pointNumbers || c.numbers == commaNumbers || c.numbers != 0 && !c.marked
	switch {
	case texts == 0 && present > 0 && c.whole == present && timeName.MatchString(name):
		switch {
		case c.lowest >= firstSecond && c.highest < lastSecond:
			return Cell{Kind: "timestamp", unix: time.Second}
		case c.lowest >= firstSecond*1000 && c.highest < lastSecond*1000:
			return Cell{Kind: "timestamp", unix: time.Millisecond}
		}
	case texts == 0:
	case texts == present && c.dates != 0 && c.dates&(c.dates-1) == 0:
		for index, layout := range cellDates {
			if c.dates == 1<<index {
				return Cell{Kind: "timestamp", layout: layout}
			}
		}
	case texts+numbers == present && oneForm: // 1,234 alone may be either
		cell := Cell{Kind: "number", numbers: c.numbers}
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
