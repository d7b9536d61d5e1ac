package table

import (
	"regexp"
	"strings"
)

// numberForms are the ways in which people write numbers that JSON does not: a bit for each.
type numberForms uint8

const (
	pointNumbers numberForms = 1 << iota // 1,234.56 or 1'234.56
	commaNumbers                         // 1.234,56 or 1 234,56
)

var (
	pointNumber = regexp.MustCompile(`^-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:['’]\d{3})+)(?:\.\d+)?$`)
	commaNumber = regexp.MustCompile(`^-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?:[ \x{a0}\x{202f}]\d{3})+)(?:,\d+)?$`)
	groupMarks  = map[numberForms]*strings.Replacer{
		pointNumbers: strings.NewReplacer(",", "", "'", "", "’", ""),
		commaNumbers: strings.NewReplacer(".", "", " ", "", "\u00a0", "", "\u202f", "", ",", "."),
	}
)

// maxNumber is how long a number may be in these forms.
const maxNumber = 40

// plain writes a cell of the form as JSON.
func (f numberForms) plain(cell string) string { return groupMarks[f].Replace(cell) }

// addNumber strikes the forms of a number that the cell does not have.
func (c *Column) addNumber(text string) {
	if c.numberless {
		return
	}
	if c.numbers == 0 {
		c.numbers = pointNumbers | commaNumbers
	}
	if len(text) < 10 && (text == "0" || strings.Trim(text, "0123456789") == "" && text != "" && text[0] != '0') { // a number in either form: most are
		return
	}
	if len(text) > maxNumber || text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		c.numbers, c.numberless = 0, true
		return
	}
	if c.numbers&pointNumbers != 0 && !pointNumber.MatchString(text) {
		c.numbers &^= pointNumbers
	}
	if c.numbers&commaNumbers != 0 && !commaNumber.MatchString(text) {
		c.numbers &^= commaNumbers
	}
	c.numberless = c.numbers == 0
}
