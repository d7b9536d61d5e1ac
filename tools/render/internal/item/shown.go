package item

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// MaxRelated is the most relations of a call, and the most records of one relation that a document shows.
const MaxRelated = 20

// A Truncation is a field that an answer shows only in part, and the call that reads the rest (S1-R2). Its methods compute on demand: a
// page may have thousands, of which a few are listed and the others counted.
type Truncation struct {
	Item      *Item
	Field     rs.Member // as received
	Shown     int       // characters
	FromStart bool      // a part is shown, but the call reads from the start
	Related   bool      // the field is the member expanded, with all related records
}

// Total returns how many characters the field has, or its JSON if it is not a text.
func (c Truncation) Total() int {
	switch {
	case c.Related:
		return len(c.Field.Value)
	case rs.Kind(c.Field.Value) == "string":
		text, _ := rs.AsText(c.Field.Value)
		return utf8.RuneCountInString(text)
	}
	return utf8.RuneCountInString(c.Field.Value)
}

// Unnamed says why no call can name the field; "" if one can.
func (c Truncation) Unnamed() string {
	if c.Related {
		return ""
	}
	if len(c.Field.Name) > write.LongestName {
		return fmt.Sprintf("has more than %d bytes", write.LongestName)
	}
	return rs.UnsafeField(c.Field.Name)
}

// call returns the tool and the arguments of the call that reads the rest.
func (c Truncation) call() (tool string, a *write.Object) {
	a = new(write.Object).Text("id", c.Item.ID)
	if c.Related {
		relations := write.EachOf(c.Item.Expanded, MaxRelated, func(m rs.Member) string {
			return write.When(write.SendableField(m.Name), m.Name)
		})
		return "fetch", a.Text("connection_id", c.Item.Separate()).List("expand", relations)
	}
	a.Text("field", c.Field.Name).Text("connection_id", c.Item.Separate())
	if !c.FromStart {
		a.Number("offset_chars", c.Shown)
	}
	return "read_record_field", a
}

func (c Truncation) readOn() string {
	if why := c.Unnamed(); why != "" {
		return "no call can, because its name " + why
	}
	tool, arguments := c.call()
	return arguments.Call(tool)
}

// omitted reports whether nothing of the field is shown, and fetch with only this field shows more.
func (c Truncation) omitted() bool {
	return c.Shown == 0 && !c.FromStart && !c.Related && c.Unnamed() == ""
}

func (c Truncation) json() string {
	o := new(write.Object).Plain("field", clean.Clip(c.Field.Name, write.LongestName)).
		Put("shown_chars", write.JSON(c.Shown)).Put("total_chars", write.JSON(c.Total()))
	if why := c.Unnamed(); why != "" {
		return o.Plain("unreadable", "the name "+why).JSON()
	}
	tool, arguments := c.call()
	return o.Put("read", write.ToolCall(tool, arguments.JSON())).JSON()
}

// AddTruncations adds to a follow-up or a document's metadata what is not complete, in about remaining bytes of JSON: under key the fields
// that are shown in part, each with the call that reads the rest, and the names of the omitted fields, with the call that reads the first
// of them.
func AddTruncations(out *write.Object, key string, cuts []Truncation, it *Item, remaining int) *write.Object {
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
		if c.omitted() && add(&names, write.JSON(c.Field.Name)) && len(first) < batch {
			first = append(first, c.Field.Name)
		}
	}
	if len(parts) > 0 {
		out.Array(key, parts)
	}
	if len(names) > 0 {
		read := new(write.Object).Text("id", it.ID).Text("connection_id", it.Separate()).List("fields", first)
		out.Array("omitted_fields", names).Put("read_omitted", write.ToolCall("fetch", read.JSON()))
	}
	return out.Number("more_fields", unnamed) // schema names every field
}

// Bounds of the texts of a page, in characters.
const (
	longText      = write.LineChars // a longer text has a call that reads it
	truncatedText = 500             // of a long text on a page that is too large otherwise
)

// A Shown is a record as structured output shows it.
type Shown struct {
	Raw  string // JSON
	Item *Item
	Cuts []Truncation // truncated fields, and long texts even if complete
}

// Received returns a record as it was sent.
func Received(sent rs.Item, it *Item) Shown {
	return newShown(sent.Raw, it, it.Data, sent.Members.Get("expanded"))
}

// Truncated returns a record with its long texts truncated.
func Truncated(sent rs.Item, it *Item) Shown {
	if it.Data == nil || !sent.Members.Has("data") || it.Ref == (rs.Ref{}) {
		return Received(sent, it)
	}
	fields := slices.Clone(it.Data)
	var cut []string
	for i, m := range it.Data {
		if len(m.Value) <= truncatedText || rs.Kind(m.Value) != "string" || (Truncation{Field: m}).Unnamed() != "" {
			continue
		}
		if text, _ := rs.AsText(m.Value); clean.LongerThan(text, truncatedText+truncatedText/4-1) {
			fields[i].Value = write.JSON(text[:clean.RuneIndex(text, truncatedText)])
			cut = append(cut, m.Name)
		}
	}
	raw := withCuts(sent.Members.With("data", fields.JSON()), cut).JSON()
	return newShown(raw, it, fields, sent.Members.Get("expanded"))
}

// withCuts returns a record with a member truncated, which lists its incomplete fields: content_ladder may have no space for them.
func withCuts(record rs.Object, cut []string) rs.Object {
	const most = 20
	if len(cut) == 0 {
		return record
	}
	names := write.Each(cut[:min(len(cut), most)], func(name string) string { return clean.Clip(name, write.LabelChars) })
	return record.With("truncated", write.JSON(names))
}

// Shrunk returns a record of which the envelope, the fields and the expanded records together are truncated to max bytes.
func Shrunk(sent rs.Item, it *Item, max int) Shown {
	record := sent.Members
	if !record.Has("data") || it.Data == nil {
		raw := write.Truncate(sent.Raw, max)
		return newShown(raw, it, rs.AsObject(raw), rs.AsObject(raw).Get("expanded"))
	}
	own := write.TruncateObject(record.Without("data", "expanded"), max/3, write.LeastShare, write.TruncateDepth)
	remaining := max - len(own.JSON()) - len(`,"data":,"expanded":`)
	expanded := record.Get("expanded")
	if expanded != "" {
		expanded = write.Truncate(expanded, remaining/3)
		remaining -= len(expanded)
		own = append(own, write.Pair("expanded", expanded))
	}
	fields := write.TruncateObject(it.Data, remaining, min(write.LeastField, remaining/2), write.TruncateDepth)
	var cut []string
	for i, m := range it.Data {
		if part(fields, i, m.Name) != m.Value {
			cut = append(cut, m.Name)
		}
	}
	if expanded != record.Get("expanded") {
		cut = append(cut, "expanded")
	}
	return newShown(withCuts(append(own, write.Pair("data", fields.JSON())), cut).JSON(), it, fields, expanded)
}

// part returns what is shown of the i-th field of a record.
func part(fields rs.Object, i int, name string) string {
	if i < len(fields) && fields[i].Name == name { // the usual case, without a search: a record may have very many fields
		return fields[i].Value
	}
	return fields.Get(name)
}

// newShown finds the fields of a record that are long texts or truncated. fields and expanded are what is shown of the record.
func newShown(raw string, it *Item, fields rs.Object, expanded string) Shown {
	shown := Shown{Raw: raw, Item: it}
	if it.Ref == (rs.Ref{}) {
		return shown
	}
	for i, m := range it.Data {
		part, kind := part(fields, i, m.Name), rs.Kind(m.Value)
		c := Truncation{Item: it, Field: m}
		switch whole := part == m.Value || kind == "null"; {
		case whole && (len(m.Value) <= longText || kind != "string"):
			continue
		case whole:
			c.FromStart = true
			if c.Shown = c.Total(); c.Shown <= longText {
				continue
			}
		case kind == "string":
			text, _ := rs.AsText(part)
			c.Shown = utf8.RuneCountInString(text)
		}
		shown.Cuts = append(shown.Cuts, c)
	}
	if len(it.Expanded) == 0 {
		return shown
	}
	if all := write.Pair("expanded", it.Expanded.JSON()); len(expanded) < len(all.Value) {
		shown.Cuts = append(shown.Cuts, Truncation{Item: it, Field: all, Related: true})
	}
	return shown
}
