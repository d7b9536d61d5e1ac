package table

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Caveat says why the column stays a text, or what a column of numbers leaves out; "" for most columns.
func (c *Column) Caveat() string {
	numbers, isText := c.Kinds["integer"]+c.Kinds["number"], c.narrowest().isText()
	two := cmp.Or(c.dates.twoReadings(), c.twoNumbers())
	switch {
	case two != "":
		return "stays a text: " + two + ", and nothing else in the file says which"
	case !isText && c.strays.limits > 0 && c.strays.count > 0:
		return fmt.Sprintf("is a number, and empty in %d of %d records: what they say instead, such as \"<0.6\", is in %q", c.strays.count,
			c.Present, c.Name+"_text")
	case isText && c.dates.haveSeveralForms():
		return "stays a text: its dates have several forms"
	case isText && numbers > 0 && (c.strays.limits > 0 || c.hasWords && 2*numbers > c.Present):
		return fmt.Sprintf("stays a text: not a number in %d of %d records", c.Present-numbers, c.Present)
	}
	return ""
}

// Cell returns how the values of the column become those of a field, of the narrowest type that fits all of them, and which further fields
// they need.
func (c *Column) Cell() Cell {
	cell := c.narrowest()
	if cell.Kind == "integer" || cell.Kind == "number" {
		cell.Side = c.agreed.side
	}
	if cell.isText() {
		c.putSeconds(&cell)
	} else if c.strays.count+c.dates.booked > 0 {
		cell.hasStrays = c.strays.count > 0
		cell.Beside = append(cell.Beside, Beside{Name: c.Name + "_text", Kind: "text", Nullable: true, text: strayOf})
	}
	c.putMoment(&cell)
	if c.agreed.clocks != nil && len(cell.Beside) > 0 {
		cell.Zone = c.agreed.zone
	}
	cell.zero = c.counted.zeros > 0 && cell.counts() || cell.epoch
	return cell
}

// narrowest returns the type that fits all values except strays. Values in a form that JSON does not have are texts: in a column of dates
// all are, in one of numbers only some. A field of mixed values is a string, which promises the least.
func (c *Column) narrowest() Cell {
	present := c.Present - c.strays.count
	numbers, texts := c.Kinds["integer"]+c.Kinds["number"], c.Kinds["string"]+c.Kinds["text"]-c.strays.count
	if c.strays.amongDates {
		numbers, texts = 0, c.dates.others
	}
	kind, form, date := c.plainKind(present, numbers), c.amounts.form(c.agreed.numberForm), c.dates.form(c.Name)
	counted, isTime := c.counted.cell(c.Name, present)
	switch {
	case kind == "timestamp":
		return c.timeCell("")
	case c.amounts.strings > 0 && c.amounts.strings+numbers == present && !c.isExact():
		return Cell{Kind: "number"}
	case isTime:
		return counted
	case c.isExact() && kind == "text":
		return Cell{Kind: kind, exact: true}
	case c.isExact():
		return Cell{Kind: "string", exact: true}
	case kind == "number" && form == eitherNumbers && c.agreed.isOpen: // 1.234 is a thousand, or about one
		return Cell{Kind: "string"}
	case texts == 0 && form != commaNumbers: // which 1.234 may be of
		return Cell{Kind: kind}
	case texts == present && date != "", texts+c.dates.stamps == present && date == isoDay:
		return c.timeCell(date)
	case texts+numbers == present && c.amounts.fit(form, present):
		return c.amountCell(form)
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

// twoNumbers describes the two readings of a column's numbers, which therefore stay texts; "" if they have one reading, or are texts
// anyway.
func (c *Column) twoNumbers() string {
	a := &c.amounts
	isEither := a.forms == eitherNumbers && a.marks != "" && c.strays.remarks == 0 && c.cells == c.Present
	if !isEither || a.hasPlus || a.sided > 0 || !c.narrowest().isText() {
		return ""
	}
	return a.example + " may be " + commaNumbers.plain(a.example) + " or " + pointNumbers.plain(a.example)
}

func (c *Column) amountCell(form numberForms) Cell {
	cell := Cell{Kind: "number", numbers: form}
	if c.amounts.hasUnit {
		name := c.Name + "_currency"
		if c.amounts.hasPercent {
			name = c.Name + "_unit"
		}
		cell.Beside = []Beside{{Name: name, Kind: "string", Nullable: true, text: unitOf}}
	}
	return cell
}

// isExact reports whole numbers that are ids rather than amounts: most programs would round them, or their name says so.
func (c *Column) isExact() bool {
	return c.counted.isInexact && !c.counted.hasFraction || c.counted.whole == c.Present-c.strays.count && c.IsIdentifier()
}

// cell returns a cell for counts of time, or for days written as numbers, if all present values are such numbers and the column has the
// name of a time.
func (n *counted) cell(column string, present int) (cell Cell, ok bool) {
	if n.whole+n.seconds != present || !timeName().MatchString(column) {
		return Cell{}, false
	}
	if clock := n.clock(); clock.unit > 0 {
		return Cell{Kind: "timestamp", clock: clock}, true
	}
	return Cell{Kind: "date", form: wholeDay}, n.seconds == 0 && n.lowest >= firstDay && n.highest <= lastDay
}

// timeCell returns a cell of times in a form: of dates if no value has a time of day, or of local times if no time has a zone and the
// column's name has none either. A change of time zone moves neither.
func (c *Column) timeCell(form string) Cell {
	// here the Unix epoch means no time; dates of birth may be as early, and are at midnight
	cell := Cell{Kind: "timestamp", form: form, epoch: c.dates.hasEpoch && c.dates.offMidnight && !c.dates.isEarly}
	switch {
	case !c.dates.hasClock:
		cell.Kind = "date"
	case !c.dates.hasZone && !c.agreed.inUTC && c.agreed.zone == "":
		cell.Kind = model.LocalTime
	case c.agreed.zone != "" && !c.agreed.inUTC:
		cell.Zone = c.agreed.zone
	case !c.dates.hasZone:
		cell.utc = true
	}
	return cell
}

// putSeconds adds a field with the seconds to a cell of texts, if each value of the column is a duration. A column with the bare name of a
// time has durations if the dates of the table have times of day already, and no cell is a pair or from noon on.
func (c *Column) putSeconds(cell *Cell) {
	d := &c.durations
	isSpan := c.agreed.allHaveClocks && d.twoParts+d.afterNoon == 0 && bareName().MatchString(c.Name)
	if !isSpan && !spanName().MatchString(c.Name) || !c.areAll(d.all) {
		return
	}
	ofHours := d.twoParts == c.Present && hourName().MatchString(c.Name)
	cell.Beside = append(cell.Beside, Beside{Name: c.Name + "_seconds", Kind: "number", text: func(_ Cell, cell, _ string) string {
		took, ok := span(clean(cell), ofHours)
		if !ok {
			return ""
		}
		return strconv.FormatFloat(took.Seconds(), 'f', -1, 64)
	}})
}

// putMoment adds a field to a cell of days, for the moment that each day and its time of day in another column make, if all cells of that
// column are times of day.
func (c *Column) putMoment(cell *Cell) {
	other := c.agreed.clocks
	if cell.Kind != "date" || cell.hasStrays || other == nil || !other.areAll(other.durations.clocks) {
		return
	}
	moment := Beside{Name: c.Name + "_time", Kind: model.LocalTime, Clock: other.Name, text: momentOf}
	if other.durations.clocksInZone > 0 || c.agreed.zone != "" {
		moment.Kind = "timestamp"
	}
	cell.Beside = append(cell.Beside, moment)
}

// IsIdentifier reports whole numbers that identify something, such as postcodes and account numbers, as their name and number of digits
// show. Nobody adds them up.
func (c *Column) IsIdentifier() bool {
	n := &c.counted
	if n.identifierRank == 0 || n.whole == 0 || n.lowest < 0 && n.highest > 0 {
		return false
	}
	shortest, longest := digitsOf(n.lowest), digitsOf(n.highest)
	switch n.identifierRank {
	case 1, 2:
		return max(shortest, longest) > 2 // a smaller number rather counts
	case 4:
		return min(shortest, longest) > 7
	}
	return min(shortest, longest) > 4 || shortest == longest && shortest > 3 && n.zeros == 0
}

func digitsOf(number int64) int { return len(strings.TrimPrefix(strconv.FormatInt(number, 10), "-")) }

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
