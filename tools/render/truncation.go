package render

import (
	"fmt"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// maxRelated bounds the relations of a call, and the records of one that a document shows.
const maxRelated = 20

// A truncation is a field that an answer shows only in part, and the call that reads on (S1-R2). Its methods compute when asked: a page may
// have thousands, of which a few are named and the others counted.
type truncation struct {
	it        *item
	field     member // as received
	shown     int    // characters
	fromStart bool   // something is shown, but what is read on begins at the start
	related   bool   // the field is all that was expanded
}

// total is how many characters the field has; of a field that is no text, its JSON.
func (c truncation) total() int {
	switch {
	case c.related:
		return len(c.field.Value)
	case rs.Kind(c.field.Value) == "string":
		text, _ := rs.AsText(c.field.Value)
		return utf8.RuneCountInString(text)
	}
	return utf8.RuneCountInString(c.field.Value)
}

// unnamed says why no call can name the field, or "" when one can.
func (c truncation) unnamed() string {
	if c.related {
		return ""
	}
	if len(c.field.Name) > longestName {
		return fmt.Sprintf("has more than %d bytes", longestName)
	}
	return rs.UnsafeField(c.field.Name)
}

// call adds the arguments of the call that reads on, and returns its tool.
func (c truncation) call(a *arguments) (tool string) {
	a.text("id", c.it.id)
	if c.related {
		var relations []string
		for _, m := range c.it.expanded {
			if sendableField(m.Name) && len(relations) < maxRelated {
				relations = append(relations, m.Name)
			}
		}
		a.text("connection_id", c.it.separate()).list("expand", relations)
		return "fetch"
	}
	a.text("field", c.field.Name).text("connection_id", c.it.separate())
	if !c.fromStart {
		a.number("offset_chars", c.shown)
	}
	return "read_record_field"
}

// readOn is the call that reads on, or why there is none.
func (c truncation) readOn() string {
	if why := c.unnamed(); why != "" {
		return "no call can, because its name " + why
	}
	a := new(arguments)
	tool := c.call(a)
	return a.call(tool)
}

// omitted reports whether nothing of the field is shown, and fetch with it alone shows more.
func (c truncation) omitted() bool {
	return c.shown == 0 && !c.fromStart && !c.related && c.unnamed() == ""
}

func (c truncation) json() string {
	o := new(arguments).plain("field", clean.Clip(c.field.Name, longestName)).put("shown_chars", encode(c.shown)).put("total_chars", encode(c.total()))
	if why := c.unnamed(); why != "" {
		return o.plain("unreadable", "the name "+why).json()
	}
	a := new(arguments)
	tool := c.call(a)
	return o.put("read", toolCall(tool, a.json())).json()
}

// addTruncations writes into a follow-up or a document's metadata what is not complete, in about remaining bytes of JSON: under key the
// fields that are shown in part, each with the call that reads on, and the names of those that are left out, with the call that reads the
// first of them.
func addTruncations(out *arguments, key string, cuts []truncation, it *item, remaining int) *arguments {
	const batch = 20 // fields of one call
	var parts, names, first []string
	unnamed := 0
	add := func(list *[]string, raw string) bool {
		if remaining -= len(raw) + 1; remaining < 0 && len(*list) > 0 {
			unnamed++
			return false
		}
		*list = append(*list, raw)
		return true
	}
	for _, c := range cuts {
		if !c.omitted() {
			add(&parts, c.json())
		}
	}
	for _, c := range cuts {
		if c.omitted() && add(&names, encode(c.field.Name)) && len(first) < batch {
			first = append(first, c.field.Name)
		}
	}
	if len(parts) > 0 {
		out.array(key, parts)
	}
	if len(names) > 0 {
		read := new(arguments).text("id", it.id).text("connection_id", it.separate()).list("fields", first)
		out.array("omitted_fields", names).put("read_omitted", toolCall("fetch", read.json()))
	}
	return out.number("more_fields", unnamed) // schema names every field
}
