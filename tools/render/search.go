package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A searchPage is what the answer to a search is made of.
type searchPage struct {
	paging.ByCursor
	l    listing
	q    SearchQuery
	all  []hit.Hit // of the page
	hits []hit.Hit // those that are left

	records int      // that the hits of the page are of
	hints   []string // the calls that answer what no ranking does
}

// newSearchPage reads which hits a page has, without their texts: those that were asked for, at most limit, of the named connection only.
// What is no object is none.
func newSearchPage(l listing, q SearchQuery) *searchPage {
	s := &searchPage{l: l, q: q, all: make([]hit.Hit, 0, len(l.Items))}
	extra := paging.Excess{Limit: q.Limit}
	for i, sent := range l.Items {
		if sent.Members == nil {
			continue
		}
		h := hit.Read(sent.Members, i, q.ConnectionID)
		if h.Foreign || q.ConnectionID != "" && h.Connection != q.ConnectionID {
			extra.Foreign++
			continue
		}
		h.Key = h.ID
		if q.Repair != nil && i < len(q.Repair.Hits) {
			h.Has, h.Nearest = q.Repair.Hits[i].has(), nil
			h.Key, h.Words = q.Repair.Hits[i].Key, append([]string{}, q.Repair.Hits[i].Words...)
		}
		s.all = append(s.all, h)
	}
	if found := len(s.all); q.Limit > 0 && found > q.Limit {
		extra.Over, extra.Most = found-q.Limit, found
		s.all = s.all[:q.Limit]
	}
	s.ByCursor = paging.ByCursor{
		Pager: paging.Pager{Noun: "hit", Total: len(s.all)},
		At:    q.Position, Limit: q.Limit, Key: func(i int) string { return s.all[i].Key },
		Extra: extra, Continues: l.Envelope.Has("next_cursor"),
	}
	if q.Repair != nil { // the page has only hits that were not shown
		s.Before, s.At = q.Position.Shown, q.Position.Repaired()
	}
	s.ByCursor = s.Begin()
	s.hits = s.all[s.From:]
	s.records = hit.Records(s.all)
	s.hints = s.findHints()
	return s
}

// hit is a hit with its texts. They are read when they are first needed: a page may have a hundred hits, of which few are shown.
func (s *searchPage) hit(i int) *hit.Hit {
	h := &s.hits[i]
	if !h.Read {
		h.ReadTexts(s.q.ConnectionID)
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
		{most: min(hitsJSON*max(all, 20)/20, write.StructuredHard), chars: chars, read: read},
		{most: write.StructuredHard, chars: leastExcerpts + (chars-leastExcerpts)/2, read: read},
		{most: write.StructuredHard, chars: leastExcerpts, short: true},
		{most: write.StructuredHard, bare: true},
	} {
		var shown int
		if out, shown = s.fullest(style, data); shown == all && len(out) <= style.most {
			return out
		}
	}
	if all == 0 { // what stands beside the hits is too much, such as a cursor too long to send back
		const tooLong = "More hits exist, but the cursor to them is too long to be sent back."
		return s.write(nil, nil, 0, hitStyle{}, data.Without("next_cursor").With("warning", write.JSON(tooLong)))
	}
	return out
}

// envelope is what structured output says of the page. Links are for the resource server's own clients, and repeat the cursor.
func (s *searchPage) envelope() object {
	data := write.TruncateEnvelope(s.l.Envelope.Without("result_count", "results_ref", "results", "hits", "links", "url"), write.EnvelopeJSON)
	data = append(data, write.Pair("result_count", write.JSON(len(s.hits))), write.Pair("results_ref", write.JSON("structuredContent.results")))
	if s.q.Repair != nil {
		data = data.With("repair", s.q.Repair.json())
		if meta := data.Object("meta"); meta.Has("count") && len(s.hits) > 0 { // of the search that found nothing
			data = data.With("meta", meta.Without("count").JSON())
		}
	}
	if s.q.OfTime != nil {
		data = data.With("of_that_time", write.ToolCall("search", s.q.OfTime.JSON()))
	}
	say := func(name, text string) {
		if text != "" {
			data = data.With(name, write.JSON(text))
		}
	}
	if s.q.Q != "" && len(s.all) > 0 {
		say("order", ranking)
	}
	if total := s.total(); total != "" && s.q.Repair == nil {
		if _, err := strconv.Atoi(total); err != nil {
			total = write.JSON(total)
		}
		data = data.With("hits_in_all", total)
	}
	if s.records < len(s.all) {
		data = data.With("records_in_page", write.JSON(s.records))
	}
	say("hint", strings.Join(s.hints, " "))
	say("warning", s.Warning(len(s.hits)))
	return data
}

// fullest is the page with as many of the first hits as fit in a style, at least one, and how many these are. The cursor goes on behind
// them.
func (s *searchPage) fullest(style hitStyle, data object) (json.RawMessage, int) {
	results, followUps := write.NewObject(min(style.most, 768*len(s.hits))), write.NewObject(min(style.most, 256*len(s.hits)))
	written := make([]writtenHits, 1, len(s.hits)+1)
	size := len(data.JSON())
	for i := range s.hits {
		h := s.hit(i)
		style.result(results.Open("", '{'), h, s.q.RecordBase)
		results.Close('}')
		if len(h.Excerpts) > 0 && !style.bare {
			style.followUp(followUps.Open("", '{'), h)
			followUps.Close('}')
		}
		all := writtenHits{len(results.Bytes()), len(followUps.Bytes())}
		if i > 0 && size+all.size() > style.most { // what is behind does not fit either
			break
		}
		written = append(written, all)
	}
	for shown := len(written) - 1; ; {
		part := data
		if shown < len(s.hits) {
			warning := s.Warning(shown)
			if s.atOnce() != "" {
				warning += fmt.Sprintf(" limit %d shows all %d.", len(s.all), len(s.all))
			}
			part = part.With("has_more", "true").With("next_cursor", write.JSON(s.Next(shown))).With("result_count", write.JSON(shown)).
				With("warning", write.JSON(warning))
		}
		out := s.write(results.Bytes()[:written[shown].results], followUps.Bytes()[:written[shown].followUps], shown, style, part)
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

// write is structured output with the first hits.
func (s *searchPage) write(results, followUps []byte, shown int, style hitStyle, data object) json.RawMessage {
	a := write.NewObject(2048 + len(results) + len(followUps))
	a.Open("", '{').Optional("notice", s.noticeJSON()).Elements("results", results)
	a.Open("content_ladder", '{').Elements("records", followUps)
	if x := style.firstIncomplete(s.hits[:shown]); x != nil && !style.read {
		x.AddRead(a.Open("read_each_like", '{'))
		a.Close('}')
	}
	return a.Close('}').Append("data", data.AppendJSON).Close('}').Bytes()
}

// result is a hit in structuredContent.results.
func (style hitStyle) result(a *write.Object, h *hit.Hit, base string) {
	const longURL = 300
	title, url := h.Heading(), cmp.Or(item.Address(h.Own), item.Address(h.Own.Object("data")))
	if style.bare {
		title = clean.Clip(title, 40)
	}
	if url == "" || style.bare || style.short && len(url) > longURL {
		url = item.RecordURL(base, h.Ref)
	}
	a.Plain("id", h.ID).Plain("title", title).Plain("url", url)
	if style.bare {
		a.Optional("connection_id", h.Separate())
		return
	}
	a.Optional("who", clean.Preview(h.Who, write.LabelChars)).Optional("authored_at", h.Authored)
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
			a.Append("snippet", func(b []byte) []byte {
				return h.Snippet.Append(b, h.Snippet.Window(style.chars), appendEscapedJSON)
			})
		}
		return
	}
	x := h.Best()
	shown := x.Text.Window(style.chars)
	a.Open("evidence", '{')
	if x.ID != h.ID {
		a.Plain("id", x.ID)
	}
	a.Plain("field", x.Field)
	a.Append("text", func(b []byte) []byte { return x.Text.Append(b, shown, appendEscapedJSON) })
	cite := x.Place.Cite(x.Text.Plain, shown)
	if cite.End > 0 {
		a.Put("start_chars", strconv.Itoa(cite.Start)).Put("end_chars", strconv.Itoa(cite.End))
	}
	if cite.Quote != "" {
		a.Append("sha256", func(b []byte) []byte { return append(cite.AppendDigest(append(b, '"')), '"') })
	}
	if !style.shows(x) {
		a.Put("cut", "true")
	}
	a.List("also_in", hit.OtherFields(h.Excerpts, x.Field))
	a.Close('}')
}

// followUp is a hit in content_ladder: the same preview, and the call that reads on where results does not have the
// whole text (S1-R2). URIs of field windows stand in _meta only (S1-R4).
func (style hitStyle) followUp(a *write.Object, h *hit.Hit) {
	x := h.Best()
	a.Plain("id", h.ID).Open("evidence", '[').Open("", '{').Plain("field", x.Field)
	a.Append("preview", func(b []byte) []byte { return x.Text.Append(b, x.Text.Window(style.chars), appendEscapedJSON) })
	if style.read && !style.shows(x) {
		x.AddRead(a.Open("read", '{'))
		a.Close('}')
	}
	a.Close('}').Close(']')
}

// shows reports whether a style shows all of an excerpt's field.
func (style hitStyle) shows(x *hit.Excerpt) bool { return x.Text.Fits(style.chars) && x.Complete() }

// firstIncomplete is the first match that is not shown whole; nil if there is none, or no ladder.
func (style hitStyle) firstIncomplete(hits []hit.Hit) *hit.Excerpt {
	for i := range hits {
		if len(hits[i].Excerpts) > 0 && !style.bare && !style.shows(hits[i].Best()) {
			return hits[i].Best()
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
