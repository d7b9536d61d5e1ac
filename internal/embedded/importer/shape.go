package importer

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// shape gives a record the fields that its stream has: those of objects, times for what counts them, numbers for amounts, and when it was.
func (s *fileStream) shape(one *item.Item) {
	one.Unfold(s.objects)
	if !s.hasCells() { // whose reader did
		s.putThread(one)
		s.putCells(one)
	}
	for _, name := range s.times {
		if when := one.String(name); when != "" {
			one.Put(schema.WhenField, when)
			one.Text = nil
			break
		}
	}
	if said, _ := one.Value(s.timeField); one.Day != "" && s.timeField != "" && (len(said) == 0 || said[0] == 'n') {
		one.Fields = slices.DeleteFunc(one.Fields, func(field item.Field) bool { return field.Name == s.timeField })
		one.Put(s.timeField, one.Day)
	}
}

// putCells makes values of what the fields were found to be.
func (s *fileStream) putCells(one *item.Item) {
	var units []item.Field
	for index, field := range one.Fields {
		cell := s.cells[field.Name]
		if exact := cell.Exact(field.Value); len(exact) > len(field.Value) {
			one.Fields[index].Value, one.Text = exact, nil
			continue
		}
		if cell.Lasts() && field.Value[0] == '"' {
			units, one.Text = append(units, item.Field{Name: cell.UnitField, Value: cell.AppendUnit(nil, model.Unquote(field.Value))}), nil
			continue
		}
		amount := cell.StrayField != "" || cell.Kind == "number" && field.Value[0] == '"'
		if field.Value[0] == 'n' || !amount && !cell.Counts() {
			continue
		}
		text := string(field.Value)
		if text[0] == '"' {
			text = model.Unquote(field.Value)
		}
		if amount {
			one.Fields[index].Value, one.Text = cell.Append(nil, text), nil
			if unit := cell.AppendUnit(nil, text); cell.UnitField != "" && unit[0] != 'n' {
				units = append(units, item.Field{Name: cell.UnitField, Value: unit})
			}
			if stray := cell.AppendStray(nil, text); stray[0] != 'n' {
				units = append(units, item.Field{Name: cell.StrayField, Value: stray})
			}
		} else {
			one.Fields[index].Value, one.Text = []byte("null"), nil
			if when := cell.Time(text); when != "" {
				one.Fields[index].Value = item.JSON(when)
			}
		}
	}
	one.Fields = append(one.Fields, units...)
}
