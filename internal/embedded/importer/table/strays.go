package table

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// strays describes the few cells of a column that differ from all others, such as "every Tuesday" among dates. The column has the type of
// the others, and a further field has the strays, so that none is lost.
type strays struct {
	remarks    int  // texts that are neither numbers nor codes
	limits     int  // those of them that say that there is no exact number, such as <0.6
	count      int  // strays, once the column is settled
	amongDates bool // the strays are among dates, not among numbers
}

// A type needs at least fewestTyped cells, and at most the share mostStrays of all values can be strays. A column is one of texts after
// fewestTyped texts, if these are more than half of all so far.
const fewestTyped, mostStrays = 5, 0.15

// addRemark notes and reports a text among numbers: words, or words and a number. A code such as 12a or XL is not one.
func (c *Column) addRemark(text string) bool {
	isShort := len(text) <= len("XL") && strings.ToLower(text) != strings.ToUpper(text)
	if !c.amounts.rejected && limit().MatchString(text) {
		c.strays.remarks, c.strays.limits = c.strays.remarks+1, c.strays.limits+1
		return true
	}
	if c.amounts.rejected || isShort || strings.ContainsAny(text, digits) && !word().MatchString(text) {
		return false
	}
	if number, _, _ := split(text); isAmount(number) {
		return false
	}
	c.strays.remarks++
	others := c.strays.remarks - c.strays.limits
	c.amounts.rejected = others >= fewestTyped && 2*others > c.cells
	return !c.amounts.rejected
}

// limit matches a measured value outside of what can be measured, with its unit, and the words for it.
var limit = item.Expression(`^(?:[<>≤≥~≈]=?[ \x{a0}]?\d[\d.,]*(?:[ \x{a0}]?\PN{0,8})?|` +
	`(?i)n\. ?[abdn]\.|nd|neg\.|n[eé]gati[vf][eoa]?|[<>] ?(?:lod|loq))$`)

// word matches a word of letters only; SW1A 1AA has none.
var word = item.Expression(`(?:^|\s)\pL{2,}[.,:]?(?:\s|$)`)

// areFew reports a number of values that can be strays.
func (c *Column) areFew(some int) bool {
	return some > 0 && c.Present-some >= fewestTyped && float64(some) <= mostStrays*float64(c.Present)
}

// areMeasured reports numbers, and at most as many texts, of which one says that a value is outside of what can be measured.
func (c *Column) areMeasured() bool {
	return c.strays.limits > 0 && 2*c.strays.remarks <= c.Present && c.Present-c.strays.remarks > 1
}

// HasStrays reports a settled column of which a few values differ from all others.
func (c *Column) HasStrays() bool { return c.strays.count > 0 }

// Settle decides whether enough values are alike for the others to be strays. If not, one cell that is not a date makes a column of texts;
// it always does in a column of ids (isWhole) and in one without the name of a date.
func (c *Column) Settle(isWhole bool) {
	isWhole = isWhole || !c.dates.canBe || c.Kinds["array"]+c.Kinds["object"] > 0
	hasOneForm := c.dates.others == 0 || c.dates.stamps == 0 || c.dates.forms == isoBit
	switch others := c.Present - c.dates.all(); {
	case isWhole:
	case !c.dates.rejected && c.areFew(others) && hasOneForm:
		c.strays.count, c.strays.amongDates = others, true
	case !c.amounts.rejected && c.cells == c.Present && c.dates.all() == 0 && (c.areFew(c.strays.remarks) || c.areMeasured()):
		c.strays.count = c.strays.remarks
	}
	if !c.strays.amongDates && c.dates.texts > 0 {
		c.dates.forms = 0
	}
	if c.strays.remarks > 0 && (c.strays.count == 0 || c.strays.amongDates) {
		c.amounts.forms = 0
	}
}
