package render

import (
	"slices"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A shownRecord is what structured output has of a record.
type shownRecord struct {
	raw      string
	fields   object
	expanded string // JSON
	item     *item.Item
	cuts     []item.Truncation // of all its long texts, whole ones too
}

// received is a record as it was sent.
func received(sent rs.Item, it *item.Item) shownRecord {
	return shownRecord{raw: sent.Raw, fields: it.Data, expanded: sent.Members.Get("expanded"), item: it}
}

// truncated is a record with its long texts truncated.
func truncated(sent rs.Item, it *item.Item) shownRecord {
	shown := received(sent, it)
	if it.Data == nil || !sent.Members.Has("data") || it.Ref == (rs.Ref{}) {
		return shown
	}
	shown.fields = slices.Clone(it.Data)
	var cut []string
	for i, m := range it.Data {
		if len(m.Value) <= truncatedText || rs.Kind(m.Value) != "string" || (item.Truncation{Field: m}).Unnamed() != "" {
			continue
		}
		if text, _ := rs.AsText(m.Value); clean.LongerThan(text, truncatedText+truncatedText/4-1) {
			shown.fields[i].Value = write.JSON(text[:clean.RuneIndex(text, truncatedText)])
			cut = append(cut, m.Name)
		}
	}
	shown.raw = withCuts(sent.Members.With("data", shown.fields.JSON()), cut).JSON()
	return shown
}

// withCuts is a record that says beside its data which of its fields are not complete there: content_ladder may have no space for it.
func withCuts(record object, cut []string) object {
	const most = 20
	if len(cut) == 0 {
		return record
	}
	names := write.Each(cut[:min(len(cut), most)], func(name string) string { return clean.Clip(name, write.LabelChars) })
	return record.With("truncated", write.JSON(names))
}

// shrunk is a record with its fields, and what was expanded, cut to max bytes together with the envelope.
func shrunk(sent rs.Item, it *item.Item, max int) shownRecord {
	record := sent.Members
	if !record.Has("data") || it.Data == nil {
		raw := write.Truncate(sent.Raw, max)
		return shownRecord{raw: raw, fields: rs.AsObject(raw), expanded: rs.AsObject(raw).Get("expanded"), item: it}
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
	shown := shownRecord{fields: fields, expanded: expanded, item: it}
	var cut []string
	for i, m := range it.Data {
		if shown.part(i) != m.Value {
			cut = append(cut, m.Name)
		}
	}
	if expanded != record.Get("expanded") {
		cut = append(cut, "expanded")
	}
	shown.raw = withCuts(append(own, write.Pair("data", fields.JSON())), cut).JSON()
	return shown
}

// part is what is shown of a field of the record.
func (shown shownRecord) part(i int) string {
	name := shown.item.Data[i].Name
	if i < len(shown.fields) && shown.fields[i].Name == name { // as nearly always: a record may have very many fields
		return shown.fields[i].Value
	}
	return shown.fields.Get(name)
}

// readLong finds the fields of a record that are long texts, and those that were cut.
func (shown shownRecord) readLong() shownRecord {
	it := shown.item
	if it.Ref == (rs.Ref{}) {
		return shown
	}
	for i, m := range it.Data {
		part, kind := shown.part(i), rs.Kind(m.Value)
		whole := part == m.Value || kind == "null"
		if whole && (len(m.Value) <= longText || kind != "string") {
			continue
		}
		c := item.Truncation{Item: it, Field: m}
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
		shown.cuts = append(shown.cuts, c)
	}
	if len(it.Expanded) > 0 {
		if all := write.Pair("expanded", it.Expanded.JSON()); len(shown.expanded) < len(all.Value) {
			shown.cuts = append(shown.cuts, item.Truncation{Item: it, Field: all, Related: true})
		}
	}
	return shown
}
