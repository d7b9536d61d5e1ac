package render

import (
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

// warning says what the resource server sent beyond what was asked for, and whether the list has changed.
func (s *searchPage) warning(cursor bool) string {
	return strings.TrimSpace(s.left.note("hit", cursor) + " " + s.moved)
}
