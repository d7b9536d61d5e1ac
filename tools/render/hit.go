package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A hit is one search result.
type hit struct {
	item
	url      string
	snippet  passage   // empty when there is none
	excerpts []excerpt // proven matches, best first

	inEvidence bool // a match is the title itself
	underTitle bool // the first match is
}

// readHit reads a hit. n is its place in the list, for hits that have no id at all.
func readHit(o object, n int, q SearchQuery) hit {
	h := hit{item: item{
		stream:    o.Text("stream", "stream_name"),
		recordID:  o.Text("record_key", "record_id"),
		conn:      connectionID(o),
		connector: connectorKey(o),
		label:     o.Text("display_name", "connection_display_name"),
		emitted:   preview(o.Text("emitted_at"), 40),
		data:      o.Object("data"),
	}}
	if h.conn == "" {
		h.conn = connectionID(o.Object("read"))
	}
	if h.conn == "" {
		h.conn = q.ConnectionID
	}
	h.authored, _ = timeOf(o, h.data)
	h.identify(o, n)
	for title := range titles(o, h.data) {
		if title != h.recordID && title != h.id && title != o.Text("id") { // an id is no title
			h.title = title
			break
		}
	}
	h.excerpts = proven(o, &h.item)
	h.snippet = readPassage(oneLine(snippetText(o)))
	h.distinguish()
	var usable string
	if usable, _ = citation(o); usable == "" {
		usable, _ = citation(h.data)
	}
	if h.url = usable; usable == "" {
		h.url = recordURL(q.RecordBase, h.ref)
	}
	return h
}

// identify finds the hit's id. The resource server's own self-contained id passes untouched (S2-12); a record's parts or
// URI become a self-contained id (S3-R19, S1-5b); anything else stays what it is (S2-9).
func (h *hit) identify(o object, n int) {
	own := o.Text("result_id", "id")
	if ref, err := rs.ParseRef(own); err == nil && strings.Contains(own, "/") {
		if h.adopt(ref); h.id != "" {
			return
		}
	}
	if h.handled(); h.id != "" {
		return
	}
	if ref, err := rs.ParseRef(o.Text("record_uri", "uri")); err == nil {
		if h.adopt(ref); h.id != "" {
			return
		}
	}
	opaque := strings.Contains(own, "://") || strings.HasPrefix(own, "result:")
	if ref, err := rs.ParseRef(own); err == nil && !opaque && (h.stream == "" || h.stream == ref.Stream) {
		if h.adopt(ref); h.id != "" {
			return
		}
	}
	if h.recordID == "" && h.stream != "" && !opaque {
		h.recordID = own
		if h.handled(); h.id != "" {
			return
		}
	}
	if _, err := rs.ParseRef(own); own == "" || err != nil && !opaque || oneLine(own) != own {
		own = fmt.Sprintf("result:%d", n+1) // what cannot be sent is no id
	}
	h.id = own
}

// adopt takes over an id's parts and forms the self-contained id from them.
func (h *hit) adopt(ref rs.Ref) {
	if ref.ConnectionID != "" {
		h.conn = ref.ConnectionID
	}
	h.stream, h.recordID = ref.Stream, ref.RecordID
	h.handled()
}

// distinguish keeps the title from saying the same as the text below it (S0-6a). What a server made of the start of the
// text is no title. A title field that matched is one, and is told apart by what heading adds.
func (h *hit) distinguish() {
	if len(h.excerpts) == 0 {
		switch title := h.title; {
		case !repeats(title, h.snippet.plain):
		case longerThan(title, titleChars) || len(Quotable(h.snippet.plain)) > len(Quotable(title)):
			h.title = ""
		default:
			h.snippet = passage{} // the title says it already
		}
		return
	}
	for i, x := range h.excerpts {
		if !repeats(h.title, x.text.plain) {
			continue
		}
		if field := x.field[strings.LastIndexByte(x.field, '.')+1:]; !slices.Contains(titleFields, field) {
			h.title, h.inEvidence, h.underTitle = "", false, false
			return
		}
		h.inEvidence, h.underTitle = true, h.underTitle || i == 0
	}
}

// heading is the title for people, distinct from every text of the hit.
func (h *hit) heading() string {
	if h.inEvidence {
		return preview(h.title, titleChars) + " (" + h.untitled() + ")"
	}
	return h.item.heading()
}

// snippetText is what a hit shows of its text, in any of its shapes.
func snippetText(o object) string {
	if s := o.Object("snippet"); s != nil {
		return s.Text("text")
	}
	if s := o.Text("snippet"); s != "" {
		return s
	}
	for _, raw := range o.Array("evidence_excerpts") {
		if s := rs.AsObject(raw).Text("preview_text", "text"); s != "" {
			return s
		}
	}
	return o.Text("preview", "text")
}

// previews are the hit's excerpts as structured output shows them.
func (h *hit) previews(cut *cutter, style hitStyle) []excerptPreview {
	if style.bare {
		return nil
	}
	list := make([]excerptPreview, len(h.excerpts))
	for i := range h.excerpts {
		list[i] = h.excerpts[i].preview(cut, style.chars)
	}
	return list
}

// result is the hit in structuredContent.results; excerpts have at most chars runes, and a citation if cited.
func (h *hit) result(cut *cutter, style hitStyle, previews []excerptPreview, q SearchQuery) *arguments {
	if style.bare {
		a := new(arguments).plain("id", h.id).plain("title", clip(h.heading(), 40)).plain("url", recordURL(q.RecordBase, h.ref))
		if conn := h.separate(); conn != "" {
			a.plain("connection_id", conn)
		}
		return a
	}
	const longURL = 300
	url := h.url
	if style.short && len(url) > longURL {
		url = recordURL(q.RecordBase, h.ref)
	}
	a := (&arguments{make([]byte, 0, 1024)}).plain("id", h.id).plain("title", h.heading()).plain("url", url)
	put := func(key, value string) {
		if value != "" {
			a.plain(key, value)
		}
	}
	put("connection_id", h.conn)
	put("connector_key", preview(h.connector, titleChars))
	put("stream", h.stream)
	put("record_id", h.recordID)
	put("display_name", preview(h.label, titleChars))
	put("authored_at", h.authored)
	put("emitted_at", h.emitted)
	switch {
	case len(h.excerpts) > 0:
		x := previews[0]
		evidence := new(arguments).plain("field", h.excerpts[0].field).plain("text", x.text)
		if style.cited {
			x.cite.add(evidence)
		}
		a.put("evidence", evidence.String())
	default:
		text, _ := cut.around(h.snippet, style.chars)
		put("snippet", text)
	}
	return a
}
