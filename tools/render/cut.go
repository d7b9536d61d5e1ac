package render

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A cut is a field that an answer shows only in part, and the call that reads on (S1-R2).
type cut struct {
	field        string
	shown, total int // characters; of a field that is no text, those of its JSON
	tool         string
	read         *arguments
}

// fieldCut is the call that reads a field of a record from its start, whatever its kind.
func fieldCut(field member, it *item) cut {
	text, isText := rs.AsText(field.Value)
	if !isText {
		text = string(field.Value)
	}
	args := new(arguments).text("id", it.id).text("field", field.Name).text("connection_id", it.separate())
	return cut{field: field.Name, total: utf8.RuneCountInString(text), tool: "read_record_field", read: args}
}

// at is the cut of a text whose first characters are shown.
func (c cut) at(shown int) cut {
	c.shown = shown
	c.read.number("offset_chars", shown)
	return c
}

func (c cut) call() string { return c.read.call(c.tool) }

func (c cut) json() json.RawMessage {
	read := object{pair("tool", encode(c.tool)), pair("arguments", c.read.json())}
	return object{pair("field", encode(c.field)), pair("shown_chars", encode(c.shown)), pair("total_chars", encode(c.total)), pair("read", read.JSON())}.JSON()
}
