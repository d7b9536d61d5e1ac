package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// Search renders hits in any shape (S3-R14, S1, S2). Structured is {"results","content_ladder","data"}: each hit once, in
// results, and data is the envelope without them (D4).
func Search(response *rs.Response, q SearchQuery) (Result, error) {
	l, err := readListing(response, "search")
	if err != nil {
		return Result{}, err
	}
	s := &searchPage{l: l, q: q}
	s.readHits(l.Items)
	s.bound()
	s.start, s.moved = q.Position.start(len(s.page), func(i int) string { return s.page[i].id })
	s.hits = s.page[s.start:]
	r := Result{Structured: s.structured(), Text: s.text()}
	if uris := s.windowURIs(); len(uris) > 0 {
		r.Meta = map[string]any{"pdpp/field_window_uris": uris}
	}
	return r, nil
}

// Limits of excerpts in structured output, in characters.
const (
	excerptsJSON  = 2500 // of a page together, where it has many hits
	leastExcerpts = 50   // of each all the same
)

// Bytes of structured output that a page is to keep to: of 20 hits and fewer, and as many times more as it has more hits.
const (
	hitsJSON  = 15_000
	usualJSON = 10_000 // of a page that no limit was sent for: a continuation has the others
	fewHits   = 10     // each of which has a call to read on
)

// A hitStyle is how much of each hit structured output shows.
type hitStyle struct {
	most  int  // bytes of the page
	chars int  // of excerpts and snippets
	read  bool // with the call that reads on at each hit, instead of one for all
	short bool // instead of a long address of its own a hit has ours
	bare  bool // id, title and such an address alone
}

// structured has all hits of the page, or the first of them where the caller gave no limit. Where it is too long, it
// shortens excerpts and long addresses, then leaves out the ladder, until the page is as short as it is to be, or a host takes it.
func (s *searchPage) structured() json.RawMessage {
	q, all, notice := s.q, len(s.hits), ""
	if q.Repair == nil {
		notice = s.lead()
	}
	// Links are for the resource server's own clients, and repeat the cursor.
	data := truncateEnvelope(s.l.Envelope.Without("result_count", "results_ref", "results", "hits", "links", "url"), envelopeJSON)
	data = append(data, pair("result_count", encode(all)), pair("results_ref", encode("structuredContent.results")))
	if q.Repair != nil {
		data = data.With("repair", q.Repair.envelope().JSON())
	}
	if s.q.OfTime != nil {
		data = data.With("of_that_time", object{pair("tool", encode("search")), pair("arguments", s.q.OfTime.JSON())}.JSON())
	}
	if left := s.warning(data.Has("next_cursor")); left != "" {
		data = data.With("warning", encode(left))
	}
	chars, read := min(max(excerptsJSON/max(all, 1), leastExcerpts), excerptChars), all <= fewHits
	if q.Limit == 0 {
		usual := s.write(hitStyle{most: usualJSON, chars: chars, read: read}, len(data.JSON()))
		if written, shown := s.first(usual, notice, data); shown >= min(usualHits, all) && all > 0 {
			return written
		}
	}
	var written hitWriter
	for _, style := range []hitStyle{
		{most: min(hitsJSON*max(all, 20)/20, StructuredHard), chars: chars, read: read},
		{most: StructuredHard, chars: leastExcerpts + (chars-leastExcerpts)/2, read: read},
		{most: StructuredHard, chars: leastExcerpts, short: true},
		{most: StructuredHard, bare: true},
	} {
		if written = s.write(style, len(data.JSON())); len(written.ends) < all {
			continue
		}
		if page := written.page(s.hits, notice, data); len(page) <= style.most {
			return page
		}
	}
	if all == 0 { // what stands beside the hits is too much, such as a cursor that nobody could send back
		const tooLong = "More hits exist, but the cursor to them is too long to be sent back."
		return written.page(nil, "", data.Without("next_cursor").With("warning", encode(tooLong)))
	}
	page, _ := s.first(written, notice, data)
	return page
}

// first is the page with as many of the hits that were written as fit, at least one, and how many these are. The cursor goes on behind them.
func (s *searchPage) first(w hitWriter, notice string, data object) (page json.RawMessage, shown int) {
	for shown = len(w.ends); ; shown-- {
		part := data
		if shown < len(s.hits) {
			note := fmt.Sprintf("These are hits %d-%d of the %d of this page; next_cursor goes on behind them.", s.start+1, s.start+shown, len(s.page))
			part = part.With("has_more", "true").With("next_cursor", encode(s.next(shown))).With("result_count", encode(shown)).
				With("warning", encode(strings.TrimSpace(s.warning(false)+" "+note)))
		}
		if page = w.page(s.hits[:shown], notice, part); shown <= 1 || len(page) <= w.style.most {
			return page, shown
		}
	}
}

// write writes the first hits in a style, as many as fit beside so many bytes, at least one.
func (s *searchPage) write(style hitStyle, beside int) hitWriter {
	most := min(style.most, 700*len(s.hits))
	w := hitWriter{style: style, base: s.q.RecordBase, results: arguments{make([]byte, 0, most)}, followUps: arguments{make([]byte, 0, most/2)}}
	for i := range s.hits {
		w.add(s.hit(i))
		if i > 0 && len(w.results.b)+len(w.followUps.b)+beside > style.most {
			w.ends = w.ends[:i]
			break
		}
	}
	return w
}

// A hitWriter writes hits in a style: each in results, and each with a proven match in content_ladder too (S1-1a).
type hitWriter struct {
	style              hitStyle
	base               string // of addresses of records
	results, followUps arguments
	ends               []hitEnd
}

// A hitEnd is where a hit ends in results and in followUps.
type hitEnd struct{ result, followUp int }

// add writes one more hit.
func (w *hitWriter) add(h *hit) {
	w.results.open("", '{')
	w.result(&w.results, h)
	w.results.shut('}')
	if len(h.excerpts) > 0 && !w.style.bare {
		w.followUp(&w.followUps, h)
	}
	w.ends = append(w.ends, hitEnd{len(w.results.b), len(w.followUps.b)})
}

// page is structured output with the first of the hits that were written.
func (w *hitWriter) page(hits []hit, notice string, data object) json.RawMessage {
	var end hitEnd
	if len(hits) > 0 {
		end = w.ends[len(hits)-1]
	}
	a := &arguments{make([]byte, 0, 2048+end.result+end.followUp)}
	a.open("", '{').some("notice", notice).open("results", '[')
	a.b = append(a.b, w.results.b[:end.result]...)
	a.shut(']').open("content_ladder", '{').open("records", '[')
	a.b = append(a.b, w.followUps.b[:end.followUp]...)
	a.shut(']')
	if x := w.style.firstIncomplete(hits); x != nil && !w.style.read {
		x.addRead(a.open("read_each_like", '{'))
		a.shut('}')
	}
	a.shut('}').key("data")
	return append(data.AppendJSON(a.b), '}')
}

// result is a hit in structuredContent.results.
func (w *hitWriter) result(a *arguments, h *hit) {
	const longURL = 300
	style, title, url := w.style, h.heading(), cmp.Or(citation(h.own), citation(h.own.Object("data")))
	if style.bare {
		title = clean.Clip(title, 40)
	}
	if url == "" || style.bare || style.short && len(url) > longURL {
		url = recordURL(w.base, h.ref)
	}
	a.plain("id", h.id).plain("title", title).plain("url", url)
	if style.bare {
		a.some("connection_id", h.separate())
		return
	}
	a.some("who", clean.Preview(h.who, labelChars)).some("authored_at", h.authored)
	if h.authored == "" { // when it was read, which is not when it happened
		a.some("emitted_at", h.emitted)
	}
	a.some("connection_id", h.conn).some("connector_key", clean.Preview(h.connector, titleChars))
	a.some("stream", h.stream).some("record_id", h.recordID)
	a.some("display_name", clean.Preview(h.label, titleChars))
	if h.has != "" && len(h.words) > 0 {
		a.put("words", encode(h.words))
	}
	a.list("nearest_words", h.nearest)
	if len(h.excerpts) == 0 {
		if h.snippet.plain != "" {
			a.key("snippet")
			a.b = h.snippet.appendShown(a.b, h.snippet.window(style.chars), appendEscapedJSON)
		}
		return
	}
	x := h.best()
	shown := x.text.window(style.chars)
	a.open("evidence", '{')
	if x.id != h.id {
		a.plain("id", x.id)
	}
	a.plain("field", x.field).key("text")
	a.b = x.text.appendShown(a.b, shown, appendEscapedJSON)
	x.place.cite(x.text.plain, shown).add(a)
	a.list("also_in", otherFields(h.excerpts, x.field))
	a.shut('}')
}

// followUp is a hit in content_ladder: the same preview, and the call that reads on where results does not have the
// whole text (S1-R2). URIs of field windows stand in _meta only (S1-R4).
func (w *hitWriter) followUp(a *arguments, h *hit) {
	style, x := w.style, h.best()
	a.open("", '{').plain("id", h.id).open("evidence", '[').open("", '{').plain("field", x.field).key("preview")
	a.b = x.text.appendShown(a.b, x.text.window(style.chars), appendEscapedJSON)
	if style.read && !style.shows(x) {
		x.addRead(a.open("read", '{'))
		a.shut('}')
	}
	a.shut('}').shut(']').shut('}')
}

// shows reports whether a style shows all of an excerpt's field.
func (style hitStyle) shows(x *excerpt) bool { return x.text.fits(style.chars) && x.complete() }

// firstIncomplete is the first match that is not shown whole; nil if there is none, or no ladder.
func (style hitStyle) firstIncomplete(hits []hit) *excerpt {
	for i := range hits {
		if len(hits[i].excerpts) > 0 && !style.bare && !style.shows(hits[i].best()) {
			return hits[i].best()
		}
	}
	return nil
}

// windowURIs are the field windows of the proven matches, for hosts that read resources (S1-4a).
func (s *searchPage) windowURIs() []string {
	uris := make([]string, 0, maxEvidenceRows)
	for i := range s.hits {
		for _, x := range s.hit(i).excerpts {
			if len(uris) == maxEvidenceRows {
				return uris
			}
			uris = append(uris, WindowURI(WindowQuery{Ref: x.ref, Field: x.field, Q: x.q}))
		}
	}
	return uris
}

// appendEscapedJSON appends a text as the inside of a JSON string.
func appendEscapedJSON(b []byte, text string) []byte {
	from := len(b)
	b = rs.AppendText(b, text)
	return b[:from+copy(b[from:], b[from+1:len(b)-1])]
}
