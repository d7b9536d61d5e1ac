package schema

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// cell is what the values become, and which field has those that are of another kind, or how many seconds they say.
func (t *FieldTally) cell() table.Cell {
	return t.column.Lasting(t.name, t.column.Beside(t.name, t.narrowest()), t.present, t.timed)
}

// cell is what the values of a field become and, if they are days with a time of the day in one other field, which field has both.
func (t *Tally) cell(days *FieldTally) table.Cell {
	cell := days.cell()
	if cell.Kind != "date" {
		return cell
	}
	var times []*FieldTally
	for _, one := range t.fields {
		if one.lasts && table.AreBeside(days.name, one.name) {
			times = append(times, one)
		}
	}
	if len(times) != 1 {
		return cell
	}
	return days.column.Moment(times[0].name, t.free(days.name+"_time"), cell, &times[0].column, times[0].present)
}

// narrowest is what the values become: of the narrowest type that all have. A field of mixed values is a string, which promises the least.
func (t *FieldTally) narrowest() table.Cell {
	strays, amongDates := t.column.Strays()
	all, numbers, kind := t.present-strays, t.kinds["integer"]+t.kinds["number"], "string"
	texts := t.kinds["string"] + t.kinds["text"]
	if amongDates {
		texts, numbers = all-t.kinds["timestamp"], 0
	} else {
		texts -= strays
	}
	for _, one := range []string{"boolean", "timestamp", "array", "object"} {
		if all > 0 && t.kinds[one] == all {
			return t.column.Dates(t.name, table.Cell{Kind: one})
		}
	}
	switch {
	case all == 0, t.amounts > 0 && t.amounts+numbers == all && !t.column.IsInexact():
		if all > 0 {
			kind = "number"
		}
		return table.Cell{Kind: kind}
	case t.kinds["integer"] == all:
		kind = "integer"
	case numbers == all:
		kind = "number"
	case t.kinds["text"] > 0:
		kind = "text"
	}
	return t.column.Cell(t.name, kind, all, texts, numbers)
}

// Cells says how the cells of each column become values of its field.
func (t *Tally) Cells(fields []model.Field) map[string]table.Cell {
	cells := map[string]table.Cell{}
	for _, field := range fields {
		one := t.byName[field.Name]
		if one == nil { // the unit of another
			continue
		}
		cell := t.cell(one)
		if cell.Kind != field.Type && (field.Type != "timestamp" || !slices.Contains(timeTypes, cell.Kind)) { // the manifest says otherwise
			cell = table.Cell{Kind: field.Type}
		}
		if t.byName[cell.UnitField] != nil { // another column
			cell.UnitField = ""
		}
		cell.StrayField = t.free(cell.StrayField)
		cells[field.Name] = cell
	}
	return cells
}

// free is a name for a field beside those of records.
func (t *Tally) free(name string) string {
	for name != "" && t.byName[name] != nil {
		name += "_2"
	}
	return name
}
