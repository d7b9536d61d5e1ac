package hit

import (
	"cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Style is how much of each hit structured output shows.
type Style struct {
	Chars int  // of excerpts and snippets
	Read  bool // with the call that reads on at each hit, instead of one for all
	Short bool // instead of a long address of its own a hit has ours
	Bare  bool // id, title and such an address alone
}

// Write writes a hit among the results, and among the follow-ups where it has a proven match (S1-1a). base is the public address of the
// resource server.
func (style Style) Write(results, followUps *write.Object, h *Hit, base string) {
	style.result(results.Open("", '{'), h, base)
	results.Close('}')
	if len(h.Excerpts) == 0 || style.Bare {
		return
	}
	x := h.Best()
	followUps.Open("", '{').Plain("id", h.ID).Open("evidence", '[').Open("", '{').Plain("field", x.Field)
	followUps.Append("preview", style.excerpt(&x.Text))
	if style.Read && !style.shows(x) { // where results does not have the whole text (S1-R2)
		x.AddRead(followUps, "read")
	}
	followUps.Close('}').Close(']').Close('}')
}

// result is a hit in structuredContent.results. URIs of field windows stand in _meta only (S1-R4).
func (style Style) result(a *write.Object, h *Hit, base string) {
	const longURL = 300
	title, url := h.Heading(), cmp.Or(item.Address(h.Own), item.Address(h.Own.Object("data")))
	if style.Bare {
		title = clean.Clip(title, 40)
	}
	if url == "" || style.Bare || style.Short && len(url) > longURL {
		url = item.RecordURL(base, h.Ref)
	}
	a.Plain("id", h.ID).Plain("title", title).Plain("url", url)
	if style.Bare {
		a.Optional("connection_id", h.Separate()).Optional("authored_at", h.Authored)
		return
	}
	a.Optional("who", write.Label(h.Who)).Optional("authored_at", h.Authored).Optional("authored_field", item.LastChange(h.TimeField))
	if h.Authored == "" { // when it was read, which is not when it happened
		a.Optional("emitted_at", h.Emitted)
	}
	a.Optional("connection_id", h.Connection).Optional("connector_key", clean.Preview(h.Connector, write.TitleChars))
	a.Optional("stream", h.Stream).Optional("record_id", h.RecordID)
	a.Optional("display_name", clean.Preview(h.Label, write.TitleChars))
	if h.Has != "" && len(h.Words) > 0 {
		a.Put("words", write.JSON(h.Words))
	}
	a.List("nearest_words", h.Nearest)
	if len(h.Excerpts) == 0 {
		if h.Snippet.Plain != "" {
			a.Append("snippet", style.excerpt(&h.Snippet))
		}
		return
	}
	a.Open("evidence", '{')
	x := h.Best()
	if x.ID != h.ID {
		a.Plain("id", x.ID)
	}
	a.Plain("field", x.Field).Append("text", style.excerpt(&x.Text))
	cite := x.Place.Cite(x.Text.Plain, x.Text.Window(style.Chars))
	if cite.End > 0 {
		a.Put("start_chars", write.JSON(cite.Start)).Put("end_chars", write.JSON(cite.End))
	}
	if cite.Quote != "" {
		a.Append("sha256", func(b []byte) []byte { return append(marked.AppendDigest(append(b, '"'), cite.Quote), '"') })
	}
	a.Flag("cut", !style.shows(x)).List("also_in", otherFields(h.Excerpts, x.Field)).Close('}')
}

func (style Style) excerpt(text *marked.Text) func(b []byte) []byte {
	return func(b []byte) []byte { return text.Append(b, text.Window(style.Chars), appendEscapedJSON) }
}

func appendEscapedJSON(b []byte, text string) []byte {
	from := len(b)
	b = rs.AppendText(b, text)
	return b[:from+copy(b[from:], b[from+1:len(b)-1])]
}

// shows reports whether a style shows all of an excerpt's field.
func (style Style) shows(x *Excerpt) bool { return x.Text.Fits(style.Chars) && x.Complete() }

// FirstIncomplete is the first match that is not shown whole; nil if there is none, or no ladder.
func (style Style) FirstIncomplete(hits []Hit) *Excerpt {
	for i := range hits {
		if len(hits[i].Excerpts) > 0 && !style.Bare && !style.shows(hits[i].Best()) {
			return hits[i].Best()
		}
	}
	return nil
}
