package embedded

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// Bounds of a search.
const (
	defaultHits = 20   // of a page without a limit
	maxQuery    = 1000 // code points of q: each word is looked for in each field shown
)

// A recallBody says how much of what matches was ranked, and what was done with the words of the query.
type recallBody struct {
	Complete             bool   `json:"complete"`
	RankedCandidateCount int    `json:"ranked_candidate_count"`
	RankingScope         string `json:"ranking_scope"`
	Truncated            bool   `json:"truncated"`
	SourcesSearchedCount int    `json:"sources_searched_count"`
	*search.Report              // nil where every word is demanded
}

// A searchInput is what a search was asked.
type searchInput struct {
	limit, offset int
	bound         string // of its cursor
	request       search.Request
	sources       []access // those of the request
}

// searchInput reads the parameters of a search.
func (c *call) searchInput() searchInput {
	text := c.params.single["q"]
	if strings.TrimSpace(text) == "" {
		c.refuse(invalidRequest("q is required").withParam("q"))
	}
	if utf8.RuneCountInString(text) > maxQuery {
		c.refuse(invalidRequest("q must be at most %d characters", maxQuery).withParam("q"))
	}
	in := searchInput{
		limit: c.pageLimit(defaultHits, "hits"), sources: c.filtered(c.searchSources()),
		bound: c.bind(c.params.binding(c.params.single["connection_id"] + c.params.single["connector_instance_id"])),
	}
	in.offset = c.searchOffset(in.bound)
	if c.err != nil {
		return in
	}
	in.request = search.Request{Text: text, Now: c.options.Now(), Demand: c.options.AllWords, Most: in.offset + in.limit}
	for _, s := range in.sources {
		searched, err := c.store.Searched(c.ctx, c.catalog, s.Source)
		c.fail(err)
		in.request.Sources = append(in.request.Sources, searched)
	}
	return in
}

// words finds by words.
func (c *call) words(request search.Request) *search.Result {
	found := &search.Result{}
	if c.err == nil {
		var err error
		found, err = c.catalog.Search(c.ctx, request)
		c.fail(err)
	}
	return found
}

// search answers GET /v1/search: records with all words of q in their granted fields, then those with some. The store does
// not change while it is served, so the ranking is the same for each page: the cursor is a place in it.
func (c *call) search() any {
	in := c.searchInput()
	found := c.words(in.request)
	if found.Total() == 0 {
		c.warnUnread(in.sources)
	}
	hits := []object{}
	for _, h := range found.Hits[min(in.offset, len(found.Hits)):] {
		hits = append(hits, c.wordHit(in.sources[h.Source], h, &found.Marks))
	}
	return c.searchPage(in, hits, found.Total(), object{
		"count": found.All, "count_accuracy": "exact", "warnings": c.warningList(),
		"recall": recallBody{
			Complete: true, RankedCandidateCount: found.Total(), RankingScope: "all_matches", SourcesSearchedCount: in.searchedCount(),
			Report: c.report(found),
		},
	})
}

// report is what was done with words, nil where every word is demanded.
func (c *call) report(found *search.Result) *search.Report {
	if c.options.AllWords {
		return nil
	}
	return &found.Report
}

// searchPage shows some of so many hits in all.
func (c *call) searchPage(in searchInput, hits []object, total int, meta object) object {
	page, next, end := c.list(), "", in.offset+in.limit
	if total > end {
		next = c.sealCursor(cursor{Kind: cursorSearch, Bound: in.bound, State: c.catalog.Generation, After: int64(end)})
	}
	page["data"], page["meta"], page["has_more"], page["links"] = hits, meta, total > end, c.links(next)
	return page.with("next_cursor", next)
}

// searchSources reads streams and the connection. Search has its own words for what is not granted.
func (c *call) searchSources() []access {
	streams := c.params.lists["streams"]
	if len(c.params.filters) > 0 && len(streams) != 1 {
		c.refuse(invalidRequest("filter[...] requires exactly one stream in streams").withParam("filter"))
	}
	for _, name := range streams {
		if !slices.ContainsFunc(c.sources, func(s access) bool { return s.Stream.Name == name }) {
			c.refuse(newError(http.StatusForbidden, "grant_stream_not_allowed", "Stream '%s' not in grant", name))
		}
	}
	sources := c.narrow(c.sources, func(connection string) *apiError {
		return newError(http.StatusNotFound, "connection_not_found", "connection_id '%s' is not addressable under this grant.",
			connection).withParam("connection_id")
	})
	return selectSources(sources, func(s access) bool { return len(streams) == 0 || slices.Contains(streams, s.Stream.Name) })
}

func (c *call) searchOffset(bound string) int {
	if !c.params.has("cursor") {
		return 0
	}
	position := c.cursorParam("cursor", "Cursor is malformed")
	if position.Kind != cursorSearch || position.Bound != bound {
		c.refuse(foreignCursor())
	}
	if position.State != c.catalog.Generation {
		c.refuse(staleCursor())
	}
	return int(position.After)
}

// searchedCount is how many sources have a field that is searched.
func (in searchInput) searchedCount() (count int) {
	for _, s := range in.request.Sources {
		if len(s.Fields) > 0 {
			count++
		}
	}
	return count
}
