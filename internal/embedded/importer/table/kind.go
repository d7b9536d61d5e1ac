package table

import (
	"cmp"
	"fmt"
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
	} else if c.strays.count > 0 {
		cell.hasStrays = true
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
