package table

import (
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// A Column remembers which forms of a date and of a number all of its cells have.
type Column struct {
	dates      uint32 // a bit for each of cellDates
	dateless   bool   // none has been left
	numbers    numberForms
	numberless bool // none has been left
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
	if c.dates == 0 || len(text) < len("1/2/2006") || len(text) > 40 {
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

// Cell says how the cells become values. Of texts all cells are, of numbers some: which decides whether a form that is not JSON's is meant.
// Without such a form the field is of the kind given.
func (c *Column) Cell(kind string, present, texts, numbers int) Cell {
	cell := Cell{Kind: kind}
	switch {
	case texts == 0:
	case texts == present && c.dates != 0 && c.dates&(c.dates-1) == 0:
		for index, layout := range cellDates {
			if c.dates == 1<<index {
				cell = Cell{Kind: "timestamp", layout: layout}
			}
		}
	case texts+numbers == present && (c.numbers == pointNumbers || c.numbers == commaNumbers): // 1,234 alone may be either
		cell = Cell{Kind: "number", numbers: c.numbers}
	}
	return cell
}
