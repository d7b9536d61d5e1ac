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
	var beside []item.Field
	put := func(name string, value []byte) {
		if name != "" && value[0] != 'n' {
			beside = append(beside, item.Field{Name: name, Value: value})
		}
	}
	for index := range one.Fields {
		field := &one.Fields[index]
		cell, isText := s.cells[field.Name], field.Value[0] == '"'
		if exact := cell.Exact(field.Value); len(exact) > len(field.Value) {
			field.Value, one.Text = exact, nil
			continue
		}
		lasts, amount := isText && cell.Lasts(), cell.StrayField != "" || isText && cell.Kind == "number"
		if field.Value[0] == 'n' || !lasts && !amount && !cell.Counts() {
			continue
		}
		text := string(field.Value)
		if isText {
			text = model.Unquote(field.Value)
		}
		one.Text = nil
		switch {
		case lasts:
			beside = append(beside, item.Field{Name: cell.UnitField, Value: cell.AppendUnit(nil, text)})
		case amount:
			field.Value = cell.Append(nil, text)
			put(cell.UnitField, cell.AppendUnit(nil, text))
			put(cell.StrayField, cell.AppendStray(nil, text))
		default:
			field.Value = []byte("null")
			if when := cell.Time(text); when != "" {
				field.Value = item.JSON(when)
			}
		}
	}
	one.Fields = append(one.Fields, beside...)
}
