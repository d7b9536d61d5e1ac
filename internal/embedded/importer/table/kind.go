package table

import (
	"math/bits"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// AssumeDecimalMark lets the columns whose numbers have two readings, such as 1.234, be read as those of the same table that have one, or
// as those whose marks are rather those of thousands. If none has, such numbers stay texts where semicolons separate the cells: then commas
// may be decimal marks.
func AssumeDecimalMark(columns []*Column, semicolons bool) {
	var found numberForms
	for _, one := range columns {
		if one.marked && (one.numbers == pointNumbers || one.numbers == commaNumbers) {
			found |= one.numbers
		}
	}
	thousands, form := ",", pointNumbers
	if semicolons {
		thousands, form = ".", commaNumbers
	}
	if found == 0 && slices.ContainsFunc(columns, func(c *Column) bool { return c.marksThousands(thousands) }) {
		found = form
	}
	if found != pointNumbers|commaNumbers {
		for _, one := range columns {
			one.assumed, one.open = found, semicolons && found == 0
		}
	}
}

// AssumeDateOrder decides how ambiguous dates, such as 03/04/2026, are read: like the dates of another column of the same table that have
// one reading only. Without such a column the day comes first if numbers have decimal commas, since no country with decimal commas puts the
// month first.
func AssumeDateOrder(columns []*Column) {
	var found uint64
	for _, one := range columns {
		switch {
		case one.dates == 0:
		case one.dates&monthFirst == 0 && one.dates&dayFirst != 0:
			found |= dayFirst
		case one.dates&dayFirst == 0 && one.dates&monthFirst != 0:
			found |= monthFirst
		}
	}
	if found == 0 && slices.ContainsFunc(columns, func(c *Column) bool { return c.marked && c.numbers == commaNumbers }) {
		found = dayFirst
	}
	for _, one := range columns {
		if found == dayFirst || found == monthFirst {
			one.dates &= found | ^uint64(dayFirst|monthFirst)
		}
	}
}

// TwoDates names the two readings of a column's dates; "" if they have one reading, or the column has no dates.
func (c *Column) TwoDates() string {
	if c.dates&dayFirst == 0 || c.dates&monthFirst == 0 {
		return ""
	}
	day, clock := splitDate(c.date)
	one, _ := writeDate(dateForms[bits.TrailingZeros64(c.dates&dayFirst)], day, clock)
	other, _ := writeDate(dateForms[bits.TrailingZeros64(c.dates&monthFirst)], day, clock)
	return c.date + " may be " + one + " or " + other
}

// marksThousands reports that a mark, which may stand before three decimals as well, is in each number of a thousand or more, and in none
// below: decimals would be in those, too.
func (c *Column) marksThousands(mark string) bool {
	return c.numbers == pointNumbers|commaNumbers && c.marks == mark && c.small && !c.large
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
	// phones; and without the mark, no one knows which side is meant
	if c.triples > 0 && c.triples == present || c.plus && !c.below && !c.units || c.sided > 0 && c.sided < present {
		oneForm = false
	}
	switch {
	case present > 0 && c.whole+c.fractions == present && c.clock().unit > 0 && timeName().MatchString(name):
		return Cell{Kind: "timestamp", clock: c.clock()}
	case present > 0 && c.whole == present && c.lowest >= firstDay && c.highest <= lastDay && timeName().MatchString(name):
		return Cell{Kind: "date", form: wholeDay}
	case c.IsInexact() && kind != "text":
		return Cell{Kind: "string", exact: true}
	case c.IsInexact():
		return Cell{Kind: kind, exact: true}
	case texts == 0 && kind == "number" && c.open && c.marked && forms == pointNumbers|commaNumbers: // a thousand, or one
		return Cell{Kind: "string"}
	case texts == 0 && kind == "number" && forms == commaNumbers: // 1.234 among columns with decimal commas
		return Cell{Kind: kind, numbers: forms}
	case texts == 0:
	case texts == present && c.dateForm(name) != "", texts+c.stamps == present && c.dateForm(name) == isoDay:
		return c.Dates(name, Cell{Kind: "timestamp", form: c.dateForm(name)})
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

// Moment is a date as records have it, with its time if it has one, or the text as it is if it may be read in two ways or none.
func Moment(text string) string {
	var column Column
	column.AddDate(text)
	return Cell{form: column.dateForm("")}.timestamp(text)
}

// Counted returns a count of time, whatever its unit, as records have times; "" for any other text, and for times before 1980 or after
// 2100.
func Counted(count string) string {
	var column Column
	if !column.AddWhole(count) {
		column.AddFraction(count)
	}
	return column.clock().since(count)
}

// Since1970 returns a count of a unit since 1970 as records have times; "" for any other text.
func Since1970(count string, unit time.Duration) string { return clock{unit: unit}.since(count) }

func (c clock) since(count string) string {
	if c.unit == 0 {
		return ""
	}
	when, ok := model.ParseInstant(c.moment(count))
	if !ok {
		return ""
	}
	return when.UTC().Format(time.RFC3339Nano)
}
