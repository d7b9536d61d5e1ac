package render

import (
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A hit is one search result.
type hit struct {
	item
	url      string
	snippet  string    // one line, balanced marks; "" when there is none
	excerpts []excerpt // proven matches, best first
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
	if h.title, _ = titleOf(o); h.title == "" {
		h.title, _ = titleOf(h.data)
	}
	if h.authored, _ = timeOf(o); h.authored == "" {
		h.authored, _ = timeOf(h.data)
	}
	h.identify(o, n)
	h.excerpts = proven(o, &h.item)
	h.snippet = balance(oneLine(snippetText(o)))
	h.title = plain(h.title)
	if oneLine(h.title) == plain(h.snippet) && h.title != "" && len(h.excerpts) == 0 {
		h.snippet = "" // the title says it already
	}
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
	if own = oneLine(own); own == "" {
		own = fmt.Sprintf("result:%d", n+1)
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

// result is the hit in structuredContent.results; excerpts have about chars runes.
func (h *hit) result(chars int) *arguments {
	a := new(arguments).put("id", string(encode(h.id))).put("title", string(encode(h.heading()))).put("url", string(encode(h.url)))
	put := func(key, value string) {
		if value != "" {
			a.put(key, string(encode(value)))
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
	case chars == 0:
	case len(h.excerpts) > 0:
		x := h.excerpts[0]
		a.put("evidence", new(arguments).put("field", string(encode(x.field))).put("text", string(encode(around(x.text, chars)))).String())
	default:
		put("snippet", around(h.snippet, chars))
	}
	return a
}
