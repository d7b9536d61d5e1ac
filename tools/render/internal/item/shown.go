package item

import (
	"slices"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Bounds of the texts of a page, in characters.
const (
	longText      = write.LineChars // a text of more has a call that reads it
	truncatedText = 500             // of a text on a page that is too large otherwise
)

// A Shown is what structured output has of a record.
type Shown struct {
	Raw      string // JSON
	Item     *Item
	Cuts     []Truncation // of all its long texts, whole ones too
	fields   rs.Object
	expanded string // JSON
}

// Received is a record as it was sent.
func Received(sent rs.Item, it *Item) Shown { return received(sent, it).readLong() }

func received(sent rs.Item, it *Item) Shown {
	return Shown{Raw: sent.Raw, fields: it.Data, expanded: sent.Members.Get("expanded"), Item: it}
}

// Truncated is a record with its long texts truncated.
func Truncated(sent rs.Item, it *Item) Shown {
	shown := received(sent, it)
	if it.Data == nil || !sent.Members.Has("data") || it.Ref == (rs.Ref{}) {
		return shown.readLong()
	}
	shown.fields = slices.Clone(it.Data)
	var cut []string
	for i, m := range it.Data {
		if len(m.Value) <= truncatedText || rs.Kind(m.Value) != "string" || (Truncation{Field: m}).Unnamed() != "" {
			continue
		}
		if text, _ := rs.AsText(m.Value); clean.LongerThan(text, truncatedText+truncatedText/4-1) {
			shown.fields[i].Value = write.JSON(text[:clean.RuneIndex(text, truncatedText)])
			cut = append(cut, m.Name)
		}
	}
	shown.Raw = withCuts(sent.Members.With("data", shown.fields.JSON()), cut).JSON()
	return shown.readLong()
}

// withCuts is a record that says beside its data which of its fields are not complete there: content_ladder may have no space for it.
func withCuts(record rs.Object, cut []string) rs.Object {
	const most = 20
	if len(cut) == 0 {
		return record
	}
	names := write.Each(cut[:min(len(cut), most)], func(name string) string { return clean.Clip(name, write.LabelChars) })
	return record.With("truncated", write.JSON(names))
}

// Shrunk is a record with its fields, and what was expanded, cut to max bytes together with the envelope.
func Shrunk(sent rs.Item, it *Item, max int) Shown {
	record := sent.Members
	if !record.Has("data") || it.Data == nil {
		raw := write.Truncate(sent.Raw, max)
		return Shown{Raw: raw, fields: rs.AsObject(raw), expanded: rs.AsObject(raw).Get("expanded"), Item: it}.readLong()
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
	shown := Shown{fields: fields, expanded: expanded, Item: it}
	var cut []string
	for i, m := range it.Data {
		if shown.part(i) != m.Value {
			cut = append(cut, m.Name)
		}
	}
	if expanded != record.Get("expanded") {
		cut = append(cut, "expanded")
	}
	shown.Raw = withCuts(append(own, write.Pair("data", fields.JSON())), cut).JSON()
	return shown.readLong()
}

// part is what is shown of a field of the record.
func (shown Shown) part(i int) string {
	name := shown.Item.Data[i].Name
	if i < len(shown.fields) && shown.fields[i].Name == name { // as nearly always: a record may have very many fields
		return shown.fields[i].Value
	}
	return shown.fields.Get(name)
}

// readLong finds the fields of a record that are long texts, and those that were cut.
func (shown Shown) readLong() Shown {
	it := shown.Item
	if it.Ref == (rs.Ref{}) {
		return shown
	}
	for i, m := range it.Data {
		part, kind := shown.part(i), rs.Kind(m.Value)
		whole := part == m.Value || kind == "null"
		if whole && (len(m.Value) <= longText || kind != "string") {
			continue
		}
		c := Truncation{Item: it, Field: m}
		switch {
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
	if len(it.Expanded) > 0 {
		if all := write.Pair("expanded", it.Expanded.JSON()); len(shown.expanded) < len(all.Value) {
			shown.Cuts = append(shown.Cuts, Truncation{Item: it, Field: all, Related: true})
		}
	}
	return shown
}
