package importer

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// shape gives a record the fields that its stream has: those of objects, times for counts of time, numbers for amounts, and the time of the
// record.
func (s *fileStream) shape(one *item.Item) {
	one.Unfold(s.objects)
	if s.format == formatMail {
		s.threads.lead(one)
	}
	if !s.hasCells() { // else the reader did
		s.putCells(one)
	}
	for _, name := range s.times {
		if when := one.String(name); when != "" {
			one.Put(schema.WhenField, when)
			one.Text = nil
			break
		}
	}
	isNull := func(value []byte) bool { return value[0] == 'n' && !s.hasCells() } // an empty cell stays empty
	if value, _ := one.Value(s.timeField); one.Day != "" && s.timeField != "" && (len(value) == 0 || isNull(value)) {
		one.Fields = slices.DeleteFunc(one.Fields, func(field item.Field) bool { return field.Name == s.timeField })
		one.Put(s.timeField, one.Day)
	}
}

// hasCells reports that the values are cells of a table: texts whose types are inferred.
func (s *fileStream) hasCells() bool { return ways[s.format].attached == aroundTable }

// putCells converts the values of fields to the types that were inferred.
func (s *fileStream) putCells(one *item.Item) {
	var extra []item.Field
	text := func(name string) string { return one.String(name) }
	for index, field := range one.Fields {
		value, more := s.cells[field.Name].Value(field.Value, text)
		extra = append(extra, more...)
		if len(more) > 0 || !bytes.Equal(value, field.Value) {
			one.Fields[index].Value, one.Text = value, nil
		}
	}
	one.Fields = append(one.Fields, extra...)
}

// tuneAttached relates a record to what is attached to it and a note to the links that lead to it, and gives the fields of an attached
// stream their types and roles.
func (f format) tuneAttached(records, attached *model.Stream) {
	h := ways[f].attached
	if h.key == "" {
		return
	}
	lead := func(name, key string) {
		records.Relations = append(records.Relations, model.HasMany(name, attached.Name, key))
	}
	lead(strings.TrimPrefix(h.suffix, "_"), h.key)
	if f == formatNotes && schema.HasField(attached.Fields, "target_id") {
		lead("backlinks", "target_id")
	}
	for index := range attached.Fields {
		switch field := &attached.Fields[index]; field.Name {
		case "blob_ref":
			*field = model.Field{Name: field.Name, Type: "blob", Nullable: true}
		case "filename", "target":
			field.Role = "primary-title"
		case h.key, "target_id":
			*field = schema.Capable(model.Field{Name: field.Name, Type: "string", Nullable: field.Nullable})
		}
	}
}

// tuneReplies relates a message of a service to its answers.
func (f format) tuneReplies(stream *model.Stream) {
	key := ways[f].replies
	if key == "" || !schema.HasField(stream.Fields, key) || schema.AsKey(stream, key) != nil {
		return
	}
	stream.Relations = append(stream.Relations, model.HasMany("replies", stream.Name, key))
}
