package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A SearchQuery is the call that a page of hits answers.
type SearchQuery struct {
	Q            string
	Limit        int
	Position     Position // where the answer starts
	ConnectionID string
	Rest         object  // the other arguments as they were sent (streams, filter, mode)
	RecordBase   string  // public base URL of the resource server, for citations; no trailing slash
	Repair       *Repair // what was done where no record has all words; nil where that was not needed
}

// Search renders hits in any shape (S3-R14, S1, S2). Structured is {"results","content_ladder","data"}: each hit once, in
// results, and data is the envelope without them (D4).
func Search(response *rs.Response, q SearchQuery) (Result, error) {
	return new(searchPage).search(response, q)
}

// A searchPage is what the answer to a search is made in.
type searchPage struct {
	hitReader
	left  excess // what the resource server sent beyond what was asked for
	page  []hit  // all hits of the page; hits are those from start on
	start int
	moved string // what is not exact because the list has changed
}

// search is what [Search] returns.
func (s *searchPage) search(response *rs.Response, q SearchQuery) (Result, error) {
	l, err := readListing(response, "search")
	if err != nil {
		return Result{}, err
	}
	s.readHits(l.Items, q)
	s.left = s.bound()
	s.page = s.hits
	s.start, s.moved = q.Position.start(len(s.page), func(i int) string { return s.page[i].id })
	s.hits = s.page[s.start:]
	r := Result{Structured: s.structured(l, q)}
	r.Text = s.text(l, q)
	if uris := windowURIs(s.hits); len(uris) > 0 {
		r.Meta = map[string]any{"pdpp/field_window_uris": uris}
	}
	return r, nil
}

// next is the cursor that goes on behind the first shown of the hits.
func (s *searchPage) next(q SearchQuery, shown int) string {
	return q.Position.after(s.start+shown, q.Limit, s.hits[shown-1].id).String()
}

// warning says what the resource server sent beyond what was asked for, and whether the list has changed.
func (s *searchPage) warning(cursor bool) string {
	return strings.TrimSpace(s.left.note("hit", cursor) + " " + s.moved)
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
func (s *searchPage) structured(l listing, q SearchQuery) json.RawMessage {
	all, notice := len(s.hits), ""
	if q.Repair == nil {
		notice = searchLead(l, q)
	}
	// Links are for the resource server's own clients, and repeat the cursor.
	data := fitEnvelope(l.Envelope.Without("result_count", "results_ref", "results", "hits", "links", "url"), envelopeJSON)
	data = append(data, pair("result_count", encode(all)), pair("results_ref", encode("structuredContent.results")))
	if q.Repair != nil {
		data = data.With("repair", q.Repair.envelope().JSON())
	}
	if left := s.warning(data.Has("next_cursor")); left != "" {
		data = data.With("warning", encode(left))
	}
	chars, read := min(max(excerptsJSON/max(all, 1), leastExcerpts), excerptChars), all <= fewHits
	if q.Limit == 0 {
		if written, shown := s.first(hitStyle{most: usualJSON, chars: chars, read: read}, notice, data, q); shown >= min(usualHits, all) && all > 0 {
			return written
		}
	}
	bare := hitStyle{most: StructuredHard, bare: true}
	for _, style := range []hitStyle{
		{most: hitsJSON * max(all, 20) / 20, chars: chars, read: read}, {most: StructuredHard, chars: leastExcerpts + (chars-leastExcerpts)/2, read: read},
		{most: StructuredHard, chars: leastExcerpts, short: true}, bare,
	} {
		if written := s.write(s.hits, style, notice, data, q); len(written) <= min(style.most, StructuredHard) {
			return written
		}
	}
	if all == 0 { // what stands beside the hits is too much, such as a cursor that nobody could send back
		return s.write(nil, bare, "", data.Without("next_cursor").With("warning", encode("More hits exist, but the cursor to them is too long to be sent back.")), q)
	}
	written, _ := s.first(bare, notice, data, q)
	return written
}

// first writes as many of the first hits as fit, at least one, and how many these are. The cursor goes on behind them.
func (s *searchPage) first(style hitStyle, notice string, data object, q SearchQuery) (written json.RawMessage, shown int) {
	for shown = len(s.hits); shown > 0; shown = max(1, min(shown-1, shown*style.most/len(written))) {
		part := data
		if shown < len(s.hits) {
			note := fmt.Sprintf("These are hits %d-%d of the %d of this page; next_cursor goes on behind them.", s.start+1, s.start+shown, len(s.page))
			part = part.With("has_more", "true").With("next_cursor", encode(s.next(q, shown))).With("result_count", encode(shown)).
				With("warning", encode(strings.TrimSpace(s.warning(false)+" "+note)))
		}
		if written = s.write(s.hits[:shown], style, notice, part, q); shown == 1 || len(written) <= style.most {
			break
		}
	}
	return written, shown
}

// write writes hits in a style: each in results, and each with a proven match in content_ladder too (S1-1a).
func (s *searchPage) write(hits []hit, style hitStyle, notice string, data object, q SearchQuery) json.RawMessage {
	a := &arguments{append(make([]byte, 0, 1024+700*len(hits)), '{')}
	a.some("notice", notice).open("results", '[')
	for i := range hits {
		a.open("", '{')
		s.result(a, &hits[i], style, q)
		a.shut('}')
	}
	a.shut(']').open("content_ladder", '{').open("records", '[')
	for i := range hits {
		if h := &hits[i]; len(h.excerpts) > 0 && !style.bare {
			s.followUp(a, h, style)
		}
	}
	a.shut(']')
	if x := firstIncomplete(hits, style); x != nil && !style.read {
		x.addRead(a.open("read_each_like", '{'))
		a.shut('}')
	}
	a.shut('}').key("data")
	return append(data.AppendJSON(a.b), '}')
}

// result is a hit in structuredContent.results.
func (s *searchPage) result(a *arguments, h *hit, style hitStyle, q SearchQuery) {
	const longURL = 300
	title, url := h.heading, h.url
	if style.bare {
		title = clip(title, 40)
	}
	if style.bare || style.short && len(url) > longURL {
		url = recordURL(q.RecordBase, h.ref)
	}
	a.plain("id", h.id).plain("title", title).plain("url", url)
	if style.bare {
		a.some("connection_id", h.separate())
		return
	}
	a.some("who", preview(h.who, labelChars)).some("authored_at", h.authored)
	if h.authored == "" { // when it was read, which is not when it happened
		a.some("emitted_at", h.emitted)
	}
	a.some("connection_id", h.conn).some("connector_key", preview(h.connector, titleChars))
	a.some("stream", h.stream).some("record_id", h.recordID)
	a.some("display_name", preview(h.label, titleChars))
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

// otherFields are the fields that matched beside one.
func otherFields(excerpts []excerpt, field string) []string {
	var fields []string
	for i := range excerpts {
		if excerpts[i].field != field {
			fields = append(fields, excerpts[i].field)
		}
	}
	return fields
}

// followUp is a hit in content_ladder: the same preview, and the call that reads on where results does not have the
// whole text (S1-R2). URIs of field windows stand in _meta only (S1-R4).
func (s *searchPage) followUp(a *arguments, h *hit, style hitStyle) {
	x := h.best()
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
func firstIncomplete(hits []hit, style hitStyle) *excerpt {
	for i := range hits {
		if len(hits[i].excerpts) > 0 && !style.bare && !style.shows(hits[i].best()) {
			return hits[i].best()
		}
	}
	return nil
}

// windowURIs are the field windows of the proven matches, for hosts that read resources (S1-4a).
func windowURIs(hits []hit) []string {
	uris := make([]string, 0, maxEvidenceRows)
	for i := range hits {
		for _, x := range hits[i].excerpts {
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
