package render

import (
	"encoding/json"
	"fmt"
	"sort"
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
	draft draft
	cut   cutter
	rows  []byte // of evidence
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
	s.readHits(l.Items, response, q)
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

// structured shortens the previews, then long addresses, then leaves out citations, then the ladder, until a host takes the
// result. The list ends at a hit, and its cursor goes on behind that, only when ids alone are too much.
func (s *searchPage) structured(l listing, q SearchQuery) json.RawMessage {
	hits, all, d := s.hits, len(s.hits), &s.draft
	if q.Repair == nil {
		d.notice = searchLead(l)
	}
	data := fitEnvelope(l.Envelope.Without("result_count", "results_ref", "results", "hits"), envelopeJSON)
	data = append(data, pair("result_count", encode(all)), pair("results_ref", encode("structuredContent.results")))
	if q.Repair != nil {
		data = data.With("repair", q.Repair.envelope().JSON())
	}
	if left := s.warning(data.Has("next_cursor")); left != "" {
		data = data.With("warning", encode(left))
	}
	for i, step := range []struct {
		style hitStyle
		chars int // of excerpts and snippets
		max   int
	}{
		{hitStyle{cited: true, followUps: all}, excerptChars, StructuredTarget}, {hitStyle{cited: true, followUps: all}, 100, StructuredTarget},
		{hitStyle{cited: true, followUps: all}, 50, StructuredTarget}, {hitStyle{cited: true, followUps: all}, 50, StructuredHard},
		{hitStyle{cited: true, followUps: all, short: true}, 50, StructuredHard}, {hitStyle{followUps: all, short: true}, 50, StructuredHard},
		{hitStyle{followUps: 10, short: true}, 50, StructuredHard}, {hitStyle{followUps: 3, short: true}, 30, StructuredHard},
		{hitStyle{bare: true}, 0, StructuredHard},
	} {
		if i == 0 || step.style != d.style {
			d.write(hits, step.style, data, q)
		}
		if d.fill(&s.cut, step.chars, step.max) {
			return d.whole()
		}
	}
	data = data.With("has_more", "true").With("next_cursor", encode(s.next(q, all)))
	shown := max(sort.Search(all, func(n int) bool {
		d.write(hits[:n+1], hitStyle{bare: true}, data, q)
		return len(d.json) > StructuredHard-200
	}), 1)
	note := fmt.Sprintf("These are hits %d-%d of the %d of this page; next_cursor goes on behind them.", s.start+1, s.start+shown, len(s.page))
	data = data.With("next_cursor", encode(s.next(q, shown))).With("warning", encode(strings.TrimSpace(s.warning(false)+" "+note)))
	d.write(hits[:shown], hitStyle{bare: true}, data, q)
	return d.json
}

// warning says what the resource server sent beyond what was asked for, and whether the list has changed.
func (s *searchPage) warning(cursor bool) string {
	return strings.TrimSpace(s.left.note("hit", cursor) + " " + s.moved)
}
