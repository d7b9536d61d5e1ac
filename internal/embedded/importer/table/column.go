package table

import (
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A Column collects what the values of one field look like. What it knows of each kind of value is in a struct, in the file of that name.
type Column struct {
	Name    string
	Present int            // number of values
	Kinds   map[string]int // number of values that look like each type
	Wide    bool           // a string has more than longString characters
	Mixed   bool           // a list has other elements than short strings

	cells     int  // number of values that are cells of a table; 0 for a JSON field
	hasWords  bool // a cell has no digit
	dates     dates
	amounts   amounts
	counted   counted
	durations durations
	strays    strays
	hints     hints
	agreed    agreed
}

// longString is the most characters of a string without spaces; a longer one is a text.
const longString = 100

// NewColumn returns a column without values. canBeDates reports that a JSON field can have dates, as its name shows.
func NewColumn(name string, canBeDates bool) Column {
	return Column{
		Name: name, Kinds: map[string]int{},
		dates:     dates{canBe: canBeDates},
		amounts:   amounts{isNamed: amountName().MatchString(name)},
		counted:   counted{identifierRank: identifierRank(name)},
		durations: durations{isNamed: spanName().MatchString(name) || timeWord().MatchString(name)},
		hints:     hints{isZone: zoneName().MatchString(name)},
	}
}

// areAll reports that a number of values is that of all, and that there are some.
func (c *Column) areAll(some int) bool { return some > 0 && some == c.Present }

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
		if isDigits(text) {
			c.counted.add(text) // some programs write counts of time as strings
		}
		if c.amounts.isNamed {
			c.amounts.add(clean(text))
			c.amounts.strings += count(IsNumber(text))
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
	if isMissing(text) {
		return
	}
	c.dates.canBe = true // whatever its name is
	plain := clean(text)
	if day, ok := bookedDay(plain); ok {
		c.dates.booked++
		text, plain = day, day
	}
	if _, ok := asBoolean(plain); ok {
		c.count("boolean")
		return
	}
	c.hints.add(plain)
	c.hasWords = c.hasWords || !strings.ContainsAny(plain, digits)
	if c.cells++; !c.addRemark(plain) {
		c.amounts.add(plain)
	}
	if IsNumber(plain) {
		c.countNumber(plain)
	} else {
		c.countText(text, plain)
	}
}

func (c *Column) countNumber(text string) {
	if c.counted.add(text) {
		c.count("integer")
	} else {
		c.counted.addFraction(text)
		c.count("number")
	}
}

// countText counts a text that is not a number; plain is the text without spaces and marks around it.
func (c *Column) countText(text, plain string) {
	c.durations.add(plain)
	isStamp := c.dates.add(plain)
	isLong := len(text) > longString && utf8.RuneCountInString(text) > longString
	switch {
	case isStamp:
		c.count("timestamp")
	case isLong || strings.ContainsAny(text, " \t\n"):
		c.Wide = c.Wide || isLong
		c.count("text")
	default:
		c.count("string")
	}
}

// addRemark notes and reports a text among numbers: words, or words and a number. A code such as 12a or XL is not one.
func (c *Column) addRemark(text string) bool {
	isShort := len(text) <= len("XL") && strings.ToLower(text) != strings.ToUpper(text)
	if !c.amounts.rejected && limit().MatchString(text) {
		c.strays.remarks, c.strays.limits = c.strays.remarks+1, c.strays.limits+1
		return true
	}
	if c.amounts.rejected || isShort || strings.ContainsAny(text, digits) && !anyWord().MatchString(text) {
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

// agreed is what the other columns of its table say about a column.
type agreed struct {
	numberForm    numberForms // the form of their numbers; 0: it is not known
	isOpen        bool        // none shows what the dot in 1.234 means, and semicolons separate the cells
	allHaveClocks bool        // each date of the table has a time of day
	clocks        *Column     // the column with the times of its days; nil: none
	inUTC         bool        // its times without a zone are in UTC
	zone          string      // the column with the zone of its times; empty: none
	side          string      // the column that says which of its amounts are debits; empty: none
}
