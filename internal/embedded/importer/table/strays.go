package table

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// strays counts the few cells of a column that differ from all others, such as "every Tuesday" among dates. The column has the type of the
// others, and a further field has the strays, so that none is lost.
type strays struct {
	cells   int  // number of cells; 0 for a JSON field
	days    int  // dates in a form that records do not have
	undated int  // texts that are dates in no form
	remarks int  // texts that are neither numbers nor codes
	Strays  int  // strays, once the column is settled
	dated   bool // the strays are among dates, not among numbers
}

// A type needs at least fewestTyped cells, and at most the share mostStrays of all values can be strays. A column is one of texts after
// fewestTyped texts, if these are more than half of all so far.
const fewestTyped, mostStrays = 5, 0.15

// isRemark notes and reports a text among numbers: words, or words and a number. A code such as 12a or XL is not one.
func (c *Column) isRemark(text string) bool {
	isShort := len(text) <= len("XL") && strings.ToLower(text) != strings.ToUpper(text)
	if c.numberless || isShort || strings.ContainsAny(text, digits) && !word().MatchString(text) {
		return false
	}
	if number, _, _ := split(text); isAmount(number) {
		return false
	}
	c.remarks++
	c.numberless = c.remarks >= fewestTyped && 2*c.remarks > c.cells
	return !c.numberless
}

// word matches a word of letters only; SW1A 1AA has none.
var word = item.Expression(`(?:^|\s)\pL{2,}[.,:]?(?:\s|$)`)

// Settle decides whether enough values are alike for the others to be strays. If not, one cell that is not a date makes a column of texts;
// it always does in a column of ids (isWhole) and in one without the name of a date.
func (c *Column) Settle(isWhole bool) {
	isWhole = isWhole || !c.isDate || c.Kinds["array"]+c.Kinds["object"] > 0
	isFew := func(count int) bool {
		return !isWhole && count > 0 && c.Present-count >= fewestTyped && float64(count) <= mostStrays*float64(c.Present)
	}
	switch others := c.Present - c.days - c.stamps; {
	case !c.dateless && isFew(others) && (c.days == 0 || c.stamps == 0 || c.dates == isoBit):
		c.Strays, c.dated = others, true
	case !c.numberless && c.cells == c.Present && c.days+c.stamps == 0 && isFew(c.remarks):
		c.Strays = c.remarks
	}
	if !c.dated && c.undated > 0 {
		c.dates = 0
	}
	if c.remarks > 0 && (c.Strays == 0 || c.dated) {
		c.numbers = 0
	}
}

// isStray reports a cell that does not have the type of the column.
func (c Cell) isStray(plain string) bool {
	if !c.hasStrays {
		return false
	}
	number, _, _ := split(plain)
	if c.Kind == "integer" || c.Kind == "number" || c.clock.unit > 0 || c.form == wholeDay {
		return !IsNumber(plain) && (c.numbers == 0 || !isAmount(strings.TrimPrefix(number, "+")))
	}
	day, clock := splitDate(plain)
	_, isWritten := writeDate(c.form, day, clock)
	return !item.IsTimestamp(plain) && (c.form == "" || !isWritten)
}
