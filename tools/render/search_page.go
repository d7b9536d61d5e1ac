package render

import "github.com/pdp-connect/pdpp-mcp/rs"

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
