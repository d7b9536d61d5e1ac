package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A searchPage is what the answer to a search is made of.
type searchPage struct {
	cursorPager
	l    listing
	q    SearchQuery
	all  []hit // of the page
	hits []hit // those that are left
}

// newSearchPage reads which hits a page has, without their texts: those that were asked for, at most limit, of the named connection only.
// What is no object is none.
func newSearchPage(l listing, q SearchQuery) *searchPage {
	s := &searchPage{l: l, q: q, all: make([]hit, 0, len(l.Items))}
	extra := excess{limit: q.Limit}
	for i, sent := range l.Items {
		if sent.Members == nil {
			continue
		}
		h := readHit(sent.Members, i, q.ConnectionID)
		if h.foreign || q.ConnectionID != "" && h.conn != q.ConnectionID {
			extra.foreign++
			continue
		}
		h.key = h.id
		if q.Repair != nil && i < len(q.Repair.Hits) {
			h.has, h.nearest = q.Repair.Hits[i].has(), nil
			h.key, h.words = q.Repair.Hits[i].Key, append([]string{}, q.Repair.Hits[i].Words...)
		}
		s.all = append(s.all, h)
	}
	if found := len(s.all); q.Limit > 0 && found > q.Limit {
		extra.over, extra.most = found-q.Limit, found
		s.all = s.all[:q.Limit]
	}
	s.cursorPager = cursorPager{
		pager: pager{noun: "hit", total: len(s.all)},
		at:    q.Position, limit: q.Limit, key: func(i int) string { return s.all[i].key }, extra: extra, cursor: l.Envelope.Has("next_cursor"),
	}
	if q.Repair != nil { // the page has only hits that were not shown
		s.before, s.at = q.Position.Shown, q.Position.Repaired()
	}
	s.cursorPager = s.begin()
	s.hits = s.all[s.from:]
	return s
}

// hit is a hit with its texts. They are read when they are first needed: a page may have a hundred hits, of which few are shown.
func (s *searchPage) hit(i int) *hit {
	h := &s.hits[i]
	if !h.read {
		h.readTexts(s.q.ConnectionID)
	}
	return h
}

// Limits of excerpts in structured output, in characters.
const (
	excerptChars  = 200  // an excerpt or snippet, in text too
	excerptsJSON  = 2500 // of a page together, where it has many hits
	leastExcerpts = 50   // of each all the same
)

// Bytes of structured output that a page is to keep to: of 20 hits and fewer, and as many times more as it has more hits.
const (
	hitsJSON  = 15_000
	usualJSON = 10_000 // of a page that no limit was sent for: a continuation has the others
	usualHits = 7      // that a search without limit shows, where shorter excerpts make that possible
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
	all, data := len(s.hits), s.envelope()
	chars, read := min(max(excerptsJSON/max(all, 1), leastExcerpts), excerptChars), all <= fewHits
	if s.q.Limit == 0 && all > 0 {
		if out, shown := s.fullest(hitStyle{most: usualJSON, chars: chars, read: read}, data); shown >= min(usualHits, all) {
			return out
		}
	}
	var out json.RawMessage
	for _, style := range []hitStyle{
		{most: min(hitsJSON*max(all, 20)/20, structuredHard), chars: chars, read: read},
		{most: structuredHard, chars: leastExcerpts + (chars-leastExcerpts)/2, read: read},
		{most: structuredHard, chars: leastExcerpts, short: true},
		{most: structuredHard, bare: true},
	} {
		var shown int
		if out, shown = s.fullest(style, data); shown == all && len(out) <= style.most {
			return out
		}
	}
	if all == 0 { // what stands beside the hits is too much, such as a cursor too long to send back
		const tooLong = "More hits exist, but the cursor to them is too long to be sent back."
		return s.write(nil, nil, 0, hitStyle{}, data.Without("next_cursor").With("warning", encode(tooLong)))
	}
	return out
}

// envelope is what structured output says of the page. Links are for the resource server's own clients, and repeat the cursor.
func (s *searchPage) envelope() object {
	data := truncateEnvelope(s.l.Envelope.Without("result_count", "results_ref", "results", "hits", "links", "url"), envelopeJSON)
	data = append(data, pair("result_count", encode(len(s.hits))), pair("results_ref", encode("structuredContent.results")))
	if s.q.Repair != nil {
		data = data.With("repair", s.q.Repair.json())
	}
	if s.q.OfTime != nil {
		data = data.With("of_that_time", toolCall("search", s.q.OfTime.JSON()))
	}
	if other := s.otherTool(); other != "" {
		data = data.With("hint", encode(other))
	}
	if warning := s.warning(len(s.hits)); warning != "" {
		data = data.With("warning", encode(warning))
	}
	return data
}

// fullest is the page with as many of the first hits as fit in a style, at least one, and how many these are. The cursor goes on behind
// them.
func (s *searchPage) fullest(style hitStyle, data object) (json.RawMessage, int) {
	results, followUps := newArguments(min(style.most, 768*len(s.hits))), newArguments(min(style.most, 256*len(s.hits)))
	written := make([]writtenHits, 1, len(s.hits)+1)
	size := len(data.JSON())
	for i := range s.hits {
		style.write(results, followUps, s.hit(i), s.q.RecordBase)
		all := writtenHits{len(results.bytes()), len(followUps.bytes())}
		if i > 0 && size+all.size() > style.most { // what is behind does not fit either
			break
		}
		written = append(written, all)
	}
	for shown := len(written) - 1; ; {
		part := data
		if shown < len(s.hits) {
			part = part.With("has_more", "true").With("next_cursor", encode(s.next(shown))).With("result_count", encode(shown)).
				With("warning", encode(s.warning(shown)))
		}
		out := s.write(results.bytes()[:written[shown].results], followUps.bytes()[:written[shown].followUps], shown, style, part)
		over := len(out) - style.most
		if shown <= 1 || over <= 0 {
			return out, shown
		}
		for ; shown > 1 && over > 0; shown-- { // what is left out takes at least as much, so that few pages are written
			over -= written[shown].size() - written[shown-1].size()
		}
	}
}

// writtenHits are the sizes of the first hits in structured output: in results, and in content_ladder those with a proven match (S1-1a).
type writtenHits struct{ results, followUps int }

func (w writtenHits) size() int { return w.results + w.followUps }

func (style hitStyle) write(results, followUps *arguments, h *hit, base string) {
	style.result(results.open("", '{'), h, base)
	results.close('}')
	if len(h.excerpts) > 0 && !style.bare {
		style.followUp(followUps.open("", '{'), h)
		followUps.close('}')
	}
}

// write is structured output with the first hits.
func (s *searchPage) write(results, followUps []byte, shown int, style hitStyle, data object) json.RawMessage {
	a := newArguments(2048 + len(results) + len(followUps))
	a.open("", '{').optional("notice", s.noticeJSON()).elements("results", results)
	a.open("content_ladder", '{').elements("records", followUps)
	if x := style.firstIncomplete(s.hits[:shown]); x != nil && !style.read {
		x.addRead(a.open("read_each_like", '{'))
		a.close('}')
	}
	return a.close('}').append("data", data.AppendJSON).close('}').bytes()
}

// result is a hit in structuredContent.results.
func (style hitStyle) result(a *arguments, h *hit, base string) {
	const longURL = 300
	title, url := h.heading(), cmp.Or(citation(h.own), citation(h.own.Object("data")))
	if style.bare {
		title = clean.Clip(title, 40)
	}
	if url == "" || style.bare || style.short && len(url) > longURL {
		url = recordURL(base, h.ref)
	}
	a.plain("id", h.id).plain("title", title).plain("url", url)
	if style.bare {
		a.optional("connection_id", h.separate())
		return
	}
	a.optional("who", clean.Preview(h.who, labelChars)).optional("authored_at", h.authored)
	if h.authored == "" { // when it was read, which is not when it happened
		a.optional("emitted_at", h.emitted)
	}
	a.optional("connection_id", h.conn).optional("connector_key", clean.Preview(h.connector, titleChars))
	a.optional("stream", h.stream).optional("record_id", h.recordID)
	a.optional("display_name", clean.Preview(h.label, titleChars))
	if h.has != "" && len(h.words) > 0 {
		a.put("words", encode(h.words))
	}
	a.list("nearest_words", h.nearest)
	if len(h.excerpts) == 0 {
		if h.snippet.plain != "" {
			a.append("snippet", func(b []byte) []byte {
				return h.snippet.appendShown(b, h.snippet.window(style.chars), appendEscapedJSON)
			})
		}
		return
	}
	x := h.best()
	shown := x.text.window(style.chars)
	a.open("evidence", '{')
	if x.id != h.id {
		a.plain("id", x.id)
	}
	a.plain("field", x.field)
	a.append("text", func(b []byte) []byte { return x.text.appendShown(b, shown, appendEscapedJSON) })
	cite := x.place.cite(x.text.plain, shown)
	if cite.end > 0 {
		a.put("start_chars", strconv.Itoa(cite.start)).put("end_chars", strconv.Itoa(cite.end))
	}
	if cite.quote != "" {
		a.append("sha256", func(b []byte) []byte { return append(cite.appendDigest(append(b, '"')), '"') })
	}
	a.list("also_in", otherFields(h.excerpts, x.field))
	a.close('}')
}

// followUp is a hit in content_ladder: the same preview, and the call that reads on where results does not have the
// whole text (S1-R2). URIs of field windows stand in _meta only (S1-R4).
func (style hitStyle) followUp(a *arguments, h *hit) {
	x := h.best()
	a.plain("id", h.id).open("evidence", '[').open("", '{').plain("field", x.field)
	a.append("preview", func(b []byte) []byte { return x.text.appendShown(b, x.text.window(style.chars), appendEscapedJSON) })
	if style.read && !style.shows(x) {
		x.addRead(a.open("read", '{'))
		a.close('}')
	}
	a.close('}').close(']')
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

// appendEscapedJSON appends a text as the inside of a JSON string.
func appendEscapedJSON(b []byte, text string) []byte {
	from := len(b)
	b = rs.AppendText(b, text)
	return b[:from+copy(b[from:], b[from+1:len(b)-1])]
}

// noticeJSON is the notice of structured output, which has no summary: it says what the counts are of, too.
func (s *searchPage) noticeJSON() string {
	notice, n, some := s.notice(), s.l.count(), someCount(s.l)
	if s.q.Repair == nil && n != "" && n != "0" && some > 0 && len(s.all) > 0 {
		notice = strings.TrimSpace(fmt.Sprintf("%s %s with all of the words, %d with some; those name theirs in words.", notice, n, some))
	}
	return notice
}

// notice is what must be known before the hits: which words occur nowhere, or that the hits are only near in meaning. A repair has its own.
func (s *searchPage) notice() string {
	if s.q.Repair != nil {
		return ""
	}
	if lead := searchLead(s.l, s.q); lead != "" {
		return lead
	}
	near := 0
	for i := range s.all {
		if s.all[i].meaning {
			near++
		}
	}
	switch {
	case near == 0 && s.l.count() == "0" && someCount(s.l) > 0 && len(s.all) > 0:
		return "No record has all of the words; the hits have some."
	case near == 0:
		return ""
	case near == len(s.all):
		return "The hits are the nearest in meaning; they need not have the words, or be about them."
	}
	return fmt.Sprintf("%d of these %d hits: only near in meaning, perhaps without the words.", near, len(s.all))
}

// Questions that no ranking by words answers, in the languages whose common words search knows.
var (
	asksNewest = regexp.MustCompile(`(?i)(^|\s)(latest|newest|most recent|last time|(my|the) last|did \S+ last|neueste[rsnm]?|letzte[rsnm]?|zuletzt|derni(er|ère)s?|últim[oa]s?)(\s|\pP|$)`)
	asksNumber = regexp.MustCompile(`(?i)(^|\s)(how many|how much|number of|sum of|did i spend|wie ?viele?[rsnm]?|combien|cuánt[oa]s?)(\s|\pP|$)`)
)

// otherTool says which tool answers a query that asks for the newest or for a number; "" for any other, and behind the first page.
func (s *searchPage) otherTool() string {
	switch {
	case !s.q.Position.First():
		return ""
	case asksNumber.MatchString(s.q.Q):
		return "Hits are no count: aggregate counts and sums, also within a filter."
	case !asksNewest.MatchString(s.q.Q):
		return ""
	}
	says := "Hits are ranked by their words, not by time. Newest first: query_records"
	for i := range s.hits {
		if filter := s.hit(i).ofSender(s.q.Q); filter != "" {
			return says + " " + new(arguments).text("stream", s.hits[i].stream).text("connection_id", s.hits[i].conn).put("filter", filter).json()
		}
	}
	return says + ", filtered and sorted, or search with since."
}

// Search renders hits in any shape (S3-R14, S1, S2). Structured is {"results","content_ladder","data"}: each hit once, in
// results, and data is the envelope without them (D4).
func Search(response *rs.Response, q SearchQuery) (Result, error) {
	l, err := readListing(response, "search", q.Position.Cursor)
	if err != nil {
		return Result{}, err
	}
	s := newSearchPage(l, q)
	r := Result{Structured: s.structured(), Text: s.text()}
	if uris := s.windowURIs(); len(uris) > 0 {
		r.Meta = map[string]any{"pdpp/field_window_uris": uris}
	}
	return r, nil
}
