package render

import (
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A cut is a field that an answer shows only in part, and the call that reads on (S1-R2).
type cut struct {
	field        string
	shown, total int    // characters; of a field that is no text, those of its JSON
	partly       bool   // something is shown, but what is read on begins at the start
	unnamed      string // why no call can name the field; "" when one can
	tool         string
	read         *arguments
}

// fieldCut is the call that reads a field of a record from its start, whatever its kind.
func fieldCut(field member, it *item) cut {
	text, isText := rs.AsText(field.Value)
	if !isText {
		text = field.Value
	}
	args := new(arguments).text("id", it.id).text("field", field.Name).text("connection_id", it.separate())
	return cut{field: field.Name, total: utf8.RuneCountInString(text), unnamed: rs.UnsafeField(field.Name), tool: "read_record_field", read: args}
}

// at is the cut of a text whose first characters are shown.
func (c cut) at(shown int) cut {
	c.shown = shown
	c.read.number("offset_chars", shown)
	return c
}

// readOn is the call that reads on, or why there is none.
func (c cut) readOn() string {
	if c.unnamed != "" {
		return "no call can, because its name " + c.unnamed
	}
	return c.read.call(c.tool)
}

// omitted reports whether nothing of the field is shown, and fetch with it alone shows more.
func (c cut) omitted() bool {
	return c.shown == 0 && !c.partly && c.unnamed == "" && c.tool == "read_record_field"
}

func (c cut) json() string {
	if c.unnamed != "" {
		return object{pair("field", encode(c.field)), pair("shown_chars", encode(c.shown)), pair("total_chars", encode(c.total)), pair("unreadable", encode("the name "+c.unnamed))}.JSON()
	}
	read := object{pair("tool", encode(c.tool)), pair("arguments", c.read.json())}
	return object{pair("field", encode(c.field)), pair("shown_chars", encode(c.shown)), pair("total_chars", encode(c.total)), pair("read", read.JSON())}.JSON()
}

// cutMembers are the members of a rung or of a document's metadata that say what is not whole, in about room bytes of
// JSON: under key the fields that are shown in part, each with the call that reads on, and the names of those that are
// left out, with the call that reads the first of them.
func cutMembers(key string, cuts []cut, it *item, room int) object {
	const batch = 20 // fields of one call
	var parts, names []string
	var first []string
	unnamed := 0
	for _, c := range cuts {
		if c.omitted() {
			continue
		}
		raw := c.json()
		if room -= len(raw) + 1; room < 0 && len(parts) > 0 {
			unnamed++
			continue
		}
		parts = append(parts, raw)
	}
	for _, c := range cuts {
		if !c.omitted() {
			continue
		}
		raw := encode(c.field)
		if room -= len(raw) + 1; room < 0 && len(names) > 0 {
			unnamed++
			continue
		}
		if names = append(names, raw); len(first) < batch {
			first = append(first, c.field)
		}
	}
	var out object
	if len(parts) > 0 {
		out = append(out, pair(key, rs.JoinArray(parts)))
	}
	if len(names) > 0 {
		args := new(arguments).text("id", it.id).text("connection_id", it.separate()).list("fields", first)
		read := object{pair("tool", encode("fetch")), pair("arguments", args.json())}
		out = append(out, pair("omitted_fields", rs.JoinArray(names)), pair("read_omitted", read.JSON()))
	}
	if unnamed > 0 { // schema names every field
		out = append(out, pair("more_fields", encode(unnamed)))
	}
	return out
}
