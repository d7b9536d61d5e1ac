package table

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// strays are the few cells of a column that differ from all others, such as "every Tuesday" among dates. The column is of the type of
// the others, and a field beside it holds the strays, so that nothing of them is lost.
type strays struct {
	cells   int  // that were looked at: none of a field of JSON
	days    int  // dates in a form that records do not have
	undated int  // texts that are dates in no form
	remarks int  // texts that are no numbers, and no codes either
	Strays  int  // cells that are strays, once the column is settled
	dated   bool // among dates, and not among numbers
}

// At least this many cells make a type, if at most this share of all are strays. After as many texts as that which are more than half of
// all so far, a column is one of texts.
const fewestTyped, mostStrays = 5, 0.15

// isRemark notes a text among numbers: words, or words and a number. A code such as 12a or XL is not one.
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

// word matches a word of letters alone; SW1A 1AA has no such word.
var word = item.Expression(`(?:^|\s)\pL{2,}[.,:]?(?:\s|$)`)

// Settle decides whether so many of the cells that hold something are alike that the others are strays. If not, one cell that is not a date
// makes a column of texts, as it always does in a column of ids, where isWhole is set, and in one that is not called as dates are.
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

// isStray reports a cell that is not what the column holds.
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
