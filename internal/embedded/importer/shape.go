package importer

import (
	"bytes"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
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
	said := func(name string) string { return one.String(name) }
	for index, field := range one.Fields {
		value, more := s.cells[field.Name].Value(field.Value, said)
		beside = append(beside, more...)
		if len(more) > 0 || !bytes.Equal(value, field.Value) {
			one.Fields[index].Value, one.Text = value, nil
		}
	}
	one.Fields = append(one.Fields, beside...)
}
