package table

import (
	"cmp"
	"fmt"
	"math/bits"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// twoDates describes the two readings of a column's dates; "" if they have one reading, or the column has no dates.
func (c *Column) twoDates() string {
	if c.dates&dayFirst == 0 || c.dates&monthFirst == 0 {
		return ""
	}
	day, clock := splitDate(c.date)
	one, _ := writeDate(dateForms[bits.TrailingZeros64(c.dates&dayFirst)], day, clock)
	other, _ := writeDate(dateForms[bits.TrailingZeros64(c.dates&monthFirst)], day, clock)
	return c.date + " may be " + one + " or " + other
}

// twoNumbers describes the two readings of a column's numbers, which therefore stay texts; "" if they have one reading, or are texts
// anyway.
func (c *Column) twoNumbers() string {
	isEither := c.numbers == eitherNumbers && c.marks != "" && c.remarks == 0 && c.cells == c.Present
	if !isEither || c.plus || c.sided > 0 || !c.narrowest().isText() {
		return ""
	}
	return c.number + " may be " + commaNumbers.plain(c.number) + " or " + pointNumbers.plain(c.number)
}

// Caveat says why the column stays a text, or what a column of numbers leaves out; "" for most columns.
func (c *Column) Caveat() string {
	numbers, isText := c.Kinds["integer"]+c.Kinds["number"], c.narrowest().isText()
	two := cmp.Or(c.twoDates(), c.twoNumbers())
	switch {
	case two != "":
		return "stays a text: " + two + ", and nothing else in the file says which"
	case !isText && c.limits > 0 && c.Strays > 0:
		return fmt.Sprintf("is a number, and empty in %d of %d records: what they say instead, such as \"<0.6\", is in %q", c.Strays, c.Present,
			c.Name+"_text")
	case isText && (c.various || c.stamps > 0 && c.days > 0) && c.undated == 0:
		return "stays a text: its dates have several forms"
	case isText && numbers > 0 && (c.limits > 0 || c.words && 2*numbers > c.Present):
		return fmt.Sprintf("stays a text: not a number in %d of %d records", c.Present-numbers, c.Present)
	}
	return ""
}

// marksThousands reports that a mark, which may also come before three decimals, is in each number of at least a thousand and in none
// below. Decimals would be in those too.
func (c *Column) marksThousands(mark string) bool {
	return c.numbers == eitherNumbers && c.marks == mark && c.small && !c.large
}

// Cell returns how the values of the column become those of a field, of the narrowest type that fits all of them, and which further fields
// they need.
func (c *Column) Cell() Cell {
	cell := c.narrowest()
	if cell.Kind == "integer" || cell.Kind == "number" {
		cell.Side = c.side
	}
	if cell.isText() {
		c.putSeconds(&cell)
	} else if c.Strays > 0 {
		cell.hasStrays = true
		cell.Beside = append(cell.Beside, Beside{Name: c.Name + "_text", Kind: "text", Nullable: true, Append: appendStray})
	}
	c.putMoment(&cell)
	if c.times != nil && len(cell.Beside) > 0 {
		cell.Zone = c.zone
	}
	cell.zero = c.zeros > 0 && cell.counts() || cell.epoch
	return cell
}

// narrowest returns the type that fits all values except strays. Values in a form that JSON does not have are texts: in a column of dates
// all are, in one of numbers only some. A field of mixed values is a string, which promises the least.
func (c *Column) narrowest() Cell {
	present := c.Present - c.Strays
	numbers, texts := c.Kinds["integer"]+c.Kinds["number"], c.Kinds["string"]+c.Kinds["text"]-c.Strays
	if c.dated {
		numbers, texts = 0, c.days
	}
	kind, form, date := c.plainKind(present, numbers), c.numberForm(), c.dateForm()
	counted, isTime := c.countedTime(present)
	switch {
	case kind == "timestamp":
		return c.timeCell("")
	case c.amounts > 0 && c.amounts+numbers == present && !c.isExact():
		return Cell{Kind: "number"}
	case isTime:
		return counted
	case c.isExact() && kind == "text":
		return Cell{Kind: kind, exact: true}
	case c.isExact():
		return Cell{Kind: "string", exact: true}
	case kind == "number" && form == eitherNumbers && c.open: // 1.234 is a thousand, or about one
		return Cell{Kind: "string"}
	case texts == 0 && form != commaNumbers: // which 1.234 may be of
		return Cell{Kind: kind}
	case texts == present && date != "", texts+c.stamps == present && date == isoDay:
		return c.timeCell(date)
	case texts+numbers == present && c.areAmounts(form, present):
		return c.amount(form)
	}
	return Cell{Kind: kind}
}

// plainKind returns the type that all present values have without conversion.
func (c *Column) plainKind(present, numbers int) string {
	for _, one := range []string{"boolean", "timestamp", "array", "object", "integer"} {
		if present > 0 && c.Kinds[one] == present {
			return one
		}
	}
	switch {
	case present > 0 && numbers == present:
		return "number"
	case c.Kinds["text"] > 0:
		return "text"
	}
	return "string"
}

// numberForm returns the form of all numbers, eitherNumbers if they have two readings, and 0 if no form fits all.
func (c *Column) numberForm() numberForms {
	switch {
	case c.numbers != eitherNumbers:
		return c.numbers
	case c.marks == "" || c.pointed:
		return pointNumbers
	}
	return cmp.Or(c.assumed, eitherNumbers)
}

// areAmounts reports numbers of one form that are not phone numbers. If only some have the mark of a credit or a debit, the side of the
// others is unknown.
func (c *Column) areAmounts(form numberForms, present int) bool {
	isPhone := c.triples == present || c.plus && !c.below && !c.units
	return form != 0 && form != eitherNumbers && !isPhone && (c.sided == 0 || c.sided >= present)
}

func (c *Column) amount(form numberForms) Cell {
	cell := Cell{Kind: "number", numbers: form}
	if c.units {
		name := c.Name + "_currency"
		if c.percent {
			name = c.Name + "_unit"
		}
		cell.Beside = []Beside{{Name: name, Kind: "string", Nullable: true, Append: appendUnit}}
	}
	return cell
}

// timeCell returns a cell of times in a form: of dates if no value has a time of day, or of local times if no time has a zone and the
// column's name has none either. A change of time zone moves neither.
func (c *Column) timeCell(form string) Cell {
	// here the Unix epoch means no time; dates of birth may be as early, and are at midnight
	cell := Cell{Kind: "timestamp", form: form, epoch: c.epoch && c.clocked && !c.early}
	switch {
	case !c.timed:
		cell.Kind = "date"
	case !c.zoned && !c.universal && c.zone == "":
		cell.Kind = model.LocalTime
	case c.zone != "" && !c.universal:
		cell.Zone = c.zone
	case !c.zoned:
		cell.utc = true
	}
	return cell
}

// dateForm returns the only form that fits all cells, else "". Text such as 1.2.26 is a date only if the column has the name of a date.
func (c *Column) dateForm() string {
	dates := c.dates
	if dates&dottedLong != 0 || !dateName().MatchString(c.Name) {
		dates &^= dottedShort
	}
	if bits.OnesCount64(dates) != 1 {
		return ""
	}
	return dateForms[bits.TrailingZeros64(dates)]
}

// countedTime returns a cell for counts of time, or for days written as numbers, if all present values are such numbers and the column has
// the name of a time.
func (c *Column) countedTime(present int) (cell Cell, ok bool) {
	if c.whole+c.fractions != present || !timeName().MatchString(c.Name) {
		return Cell{}, false
	}
	if clock := c.clock(); clock.unit > 0 {
		return Cell{Kind: "timestamp", clock: clock}, true
	}
	return Cell{Kind: "date", form: wholeDay}, c.fractions == 0 && c.lowest >= firstDay && c.highest <= lastDay
}

// clock returns the unit and epoch of the numbers; one without a unit if they are unknown.
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

// Moment returns a date, with its time if it has one, in the form that records have. A text with two readings or none stays as it is.
func Moment(text string) string {
	var column Column
	column.dates, _ = formsOf(text, allForms)
	return Cell{form: column.dateForm()}.timestamp(text)
}

// Counted returns a count of time, in any unit, in the form that records have; "" for any other text, and for times before 1980 or after
// 2100.
func Counted(count string) string {
	column := Column{Kinds: map[string]int{}}
	column.countNumber(count)
	return column.clock().since(count)
}

// Since1970 returns a count of a unit since 1970 in the form that records have; "" for any other text.
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

// areFew reports a number of values that can be strays.
func (c *Column) areFew(some int) bool {
	return some > 0 && c.Present-some >= fewestTyped && float64(some) <= mostStrays*float64(c.Present)
}

// areMeasured reports numbers, and at most as many texts, of which one says that a value is outside of what can be measured.
func (c *Column) areMeasured() bool {
	return c.limits > 0 && 2*c.remarks <= c.Present && c.Present-c.remarks > 1
}

// Settle decides whether enough values are alike for the others to be strays. If not, one cell that is not a date makes a column of texts;
// it always does in a column of ids (isWhole) and in one without the name of a date.
func (c *Column) Settle(isWhole bool) {
	isWhole = isWhole || !c.isDate || c.Kinds["array"]+c.Kinds["object"] > 0
	switch others := c.Present - c.days - c.stamps; {
	case isWhole:
	case !c.dateless && c.areFew(others) && (c.days == 0 || c.stamps == 0 || c.dates == isoBit):
		c.Strays, c.dated = others, true
	case !c.numberless && c.cells == c.Present && c.days+c.stamps == 0 && (c.areFew(c.remarks) || c.areMeasured()):
		c.Strays = c.remarks
	}
	if !c.dated && c.undated > 0 {
		c.dates = 0
	}
	if c.remarks > 0 && (c.Strays == 0 || c.dated) {
		c.numbers = 0
	}
}
