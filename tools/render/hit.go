package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// maxEvidenceRows bounds the proven matches of a hit.
const maxEvidenceRows = 3

// A hit is one search result.
type hit struct {
	item
	who      string     // sender, author or organiser, as the resource server says
	snippet  markedText // empty when there is none
	excerpts []excerpt  // proven matches, best first
	shown    int        // index of the match that is shown: the first that is not the title
	isTitle  bool       // that match is the title

	key     string   // what tells it from the others of its page
	line    string   // what text says of it, where that is known already
	has     string   // which words of a repaired search it has, as text says it; empty for any other
	words   []string // the same
	nearest []string // what it has in the place of misspelled words
	foreign bool     // it says that it is of another connection than the one that was asked for
	meaning bool     // it was found by its meaning alone: it need not have the words

	own  object // as received
	read bool   // with its texts
}

// readHit reads what a hit is. n is its place in the list, for hits that have no id at all; connection is the one that was asked for.
func readHit(o object, n int, connection string) hit {
	h := hit{own: o, item: item{
		stream:    o.Text("stream", "stream_name"),
		recordID:  o.Text("record_key", "record_id"),
		conn:      rs.ConnectionID(o),
		connector: rs.ConnectorKey(o),
		label:     o.Text("display_name", "connection_display_name"),
		emitted:   clean.Preview(o.Text("emitted_at"), 40),
	}}
	h.conn = cmp.Or(h.conn, rs.ConnectionID(o.Object("read")), connection)
	h.foreign = otherConnection(o, connection)
	if match := o.Text("match"); match == "some" || match == "nearest" {
		h.words, h.nearest = shownWords(o, "matched_words"), shownWords(o, "nearest_words")
		h.has = h.hasOnly()
	}
	switch o.Text("retrieval_mode") {
	case "semantic":
		h.meaning = true
	case "hybrid":
		sources := o.Array("retrieval_sources")
		h.meaning = len(sources) > 0 && !slices.Contains(sources, `"lexical"`)
	}
	h.identify(o.Text("result_id", "id"), o.Text("record_uri", "uri"), n)
	return h
}

// readTexts reads what a hit says: its title, its matches, and which of them is shown.
func (h *hit) readTexts(connection string) {
	o, data := h.own, h.own.Object("data")
	h.read, h.who = true, o.Text("actor")
	h.authored, _ = timeOf(o, data)
	h.title = titleOf(o, data, func(title string) bool {
		return title != h.recordID && title != h.id && title != o.Text("id") // an id is no title
	})
	if h.excerpts = proven(o, &h.item, connection); len(h.excerpts) == 0 {
		h.snippet = readMarkedText(clean.Line(snippetText(o)))
	}
	h.distinguish()
	h.choose()
}

// heading is the title for people, distinct from every text of the hit.
func (h *hit) heading() string {
	if h.isTitle {
		return h.item.heading() + " (" + h.untitled() + ")"
	}
	return h.item.heading()
}

// identify finds the hit's id. The resource server's own self-contained id passes untouched (S2-12); a record's parts or
// URI become a self-contained id (S3-R19, S1-5b); anything else stays what it is (S2-9).
func (h *hit) identify(own, uri string, n int) {
	ref, isRef := parseRef(own)
	record, _ := parseRef(uri)
	opaque := strings.Contains(own, "://") || strings.HasPrefix(own, "result:")
	switch {
	case isRef && strings.Contains(own, "/") && h.adopt(ref):
	case h.handled():
	case h.adopt(record):
	case isRef && !opaque && (h.stream == "" || h.stream == ref.Stream) && h.adopt(ref):
	case h.recordID == "" && h.stream != "" && !opaque && h.adopt(rs.Ref{Stream: h.stream, RecordID: own}):
	case own == "" || !isRef && !opaque || clean.Line(own) != own:
		h.id = fmt.Sprintf("result:%d", n+1) // what cannot be sent is no id
	default:
		h.id = own
	}
}

// adopt takes over an id's parts and forms the self-contained id from them. It reports whether there is one.
func (h *hit) adopt(ref rs.Ref) bool {
	if ref == (rs.Ref{}) {
		return false
	}
	h.conn = cmp.Or(ref.ConnectionID, h.conn)
	h.stream, h.recordID = ref.Stream, ref.RecordID
	return h.handled()
}

// distinguish keeps the title from saying the same as the text below it (S0-6a). What a server made of the start of the
// text is no title. A title field that matched is one, and heading adds what distinguishes it.
func (h *hit) distinguish() {
	if len(h.excerpts) == 0 {
		switch title := h.title; {
		case !repeats(title, h.snippet.plain):
		case clean.LongerThan(title, titleChars) || len(Quotable(h.snippet.plain)) > len(Quotable(title)):
			h.title = ""
		default:
			h.snippet = markedText{} // the title says it already
		}
		return
	}
	for _, x := range h.excerpts {
		word := len([]rune(x.text.plain)) < min(len([]rune(h.title)), 40) // of a title that says more, such as a tag
		if !word && repeats(h.title, x.text.plain) && !slices.Contains(titleNames, x.field[strings.LastIndexByte(x.field, '.')+1:]) {
			h.title = ""
			return
		}
	}
}

// choose chooses the match that is shown.
func (h *hit) choose() {
	for i := range h.excerpts {
		if !repeats(h.title, h.excerpts[i].text.plain) {
			h.shown = i
			return
		}
	}
	h.isTitle = len(h.excerpts) > 0
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

// hasOnly says which words a hit has that lacks others.
func (h *hit) hasOnly() string {
	var parts []string
	if len(h.words) > 0 {
		parts = append(parts, "has only "+quoteEach(h.words))
	}
	if len(h.nearest) > 0 {
		parts = append(parts, "nearest: "+quoteEach(h.nearest))
	}
	return strings.Join(parts, "; ")
}

// best is the match that is shown, of a hit that has one.
func (h *hit) best() *excerpt { return &h.excerpts[h.shown] }

// ofSender is the filter by who sent a hit, where a query names them and a match shows the field that has the name; else "".
func (h *hit) ofSender(query string) string {
	if h.who == "" || !strings.Contains(strings.ToLower(query), strings.ToLower(h.who)) {
		return ""
	}
	for i := range h.excerpts {
		if x := &h.excerpts[i]; x.text.plain == h.who {
			return object{pair(x.field, encode(h.who))}.JSON()
		}
	}
	return ""
}
