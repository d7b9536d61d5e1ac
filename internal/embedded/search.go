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

type searchBody struct {
	HasMore    bool       `json:"has_more"`
	Object     string     `json:"object"`
	URL        string     `json:"url"`
	NextCursor string     `json:"next_cursor,omitempty"`
	Data       []hitBody  `json:"data"`
	Meta       searchMeta `json:"meta"`
	Links      *pageLinks `json:"links"`
}

type searchMeta struct {
	Count         any        `json:"count"` // of records with all words; a countBody where there is none
	CountAccuracy string     `json:"count_accuracy,omitempty"`
	Recall        recallBody `json:"recall"`
	Warnings      []warning  `json:"warnings"`
}

// A recallBody says how much of what matches was ranked.
type recallBody struct {
	Complete             bool   `json:"complete"`
	RankedCandidateCount int    `json:"ranked_candidate_count"`
	RankingScope         string `json:"ranking_scope"`
	Truncated            bool   `json:"truncated"`
	SourcesSearchedCount int    `json:"sources_searched_count"`
	*wordsBody                  // nil where every word is demanded
}

// A wordsBody says what was done with the words of the query.
type wordsBody struct {
	PartialCount int                  `json:"partial_count"`           // records with some of the words
	NearestCount int                  `json:"nearest_count,omitempty"` // records with none but words in the place of misspelled ones
	MissingWords []string             `json:"missing_words,omitempty"` // they occur nowhere in the fields that search reads
	NearestWords []search.Replacement `json:"nearest_words,omitempty"`
	// ContainingWords are words that begin with one of missing_words or contain it.
	ContainingWords []search.Replacement `json:"containing_words,omitempty"`
	WordForms       []search.Replacement `json:"word_forms,omitempty"`
	LeftOutWords    []string             `json:"left_out_words,omitempty"` // common words of the language
	CommonWords     []string             `json:"common_words,omitempty"`   // in so many records that they only rank what others found
	TimeWords       []string             `json:"time_words,omitempty"`     // that name the preferred time
	PreferredTime   string               `json:"preferred_time,omitempty"` // records of it come first; in words
}

// A searchInput is what a search was asked.
type searchInput struct {
	limit, offset int
	bound         string // of its cursor
	request       search.Request
	sources       []access // those of the request
}

// searchInput reads the parameters of a search.
func (c *call) searchInput() (searchInput, error) {
	if strings.TrimSpace(c.params.single["q"]) == "" {
		return searchInput{}, invalidRequest("q is required").withParam("q")
	}
	if utf8.RuneCountInString(c.params.single["q"]) > maxQuery {
		return searchInput{}, invalidRequest("q must be at most %d characters", maxQuery).withParam("q")
	}
	limit, clamped, refusal := c.params.pageLimit(defaultHits, "hits")
	if refusal != nil {
		return searchInput{}, refusal
	}
	c.warn(clamped)
	sources, refusal := c.searchSources()
	if refusal != nil {
		return searchInput{}, refusal
	}
	if sources, refusal = c.filtered(sources); refusal != nil {
		return searchInput{}, refusal
	}
	in := searchInput{limit: limit, sources: sources,
		bound: c.bind(c.params.binding(c.params.single["connection_id"] + c.params.single["connector_instance_id"]))}
	if in.offset, refusal = c.searchOffset(in.bound); refusal != nil {
		return searchInput{}, refusal
	}
	in.request = search.Request{Text: c.params.single["q"], Now: c.options.Now(), Demand: c.options.AllWords, Most: in.offset + in.limit}
	for _, s := range sources {
		searched, err := c.store.Searched(c.ctx, c.catalog, s.Source)
		if err != nil {
			return searchInput{}, err
		}
		in.request.Sources = append(in.request.Sources, searched)
	}
	return in, nil
}

// search answers GET /v1/search: records with all words of q in their granted fields, then those with some. The store does
// not change while it is served, so the ranking is the same for each page: the cursor is a place in it.
func (c *call) search() (any, error) {
	in, err := c.searchInput()
	if err != nil {
		return nil, err
	}
	found, err := c.catalog.Search(c.ctx, in.request)
	if err != nil {
		return nil, err
	}
	if found.Total() == 0 {
		c.warnUnread(in.sources)
	}
	body := c.searchPage(in, found.Total(), c.searchMeta(in, found))
	for _, h := range found.Hits[min(in.offset, len(found.Hits)):] {
		shown, err := c.hit(in.sources[h.Source], h, &found.Marks)
		if err != nil {
			return nil, err
		}
		body.Data = append(body.Data, shown)
	}
	return body, nil
}

// searchPage is a page of so many hits in all, without those that it shows.
func (c *call) searchPage(in searchInput, total int, meta searchMeta) searchBody {
	body := searchBody{Object: "list", URL: c.url.EscapedPath(), Data: []hitBody{}, Meta: meta}
	if end := in.offset + in.limit; total > end {
		body.HasMore = true
		body.NextCursor = c.sealCursor(cursor{Kind: cursorSearch, Bound: in.bound, State: c.catalog.Generation, After: int64(end)})
	}
	body.Links = c.links(body.NextCursor)
	return body
}

// searchSources reads streams and the connection. Search has its own words for what is not granted.
func (c *call) searchSources() ([]access, *apiError) {
	streams := c.params.lists["streams"]
	if len(c.params.filters) > 0 && len(streams) != 1 {
		return nil, invalidRequest("filter[...] requires exactly one stream in streams").withParam("filter")
	}
	for _, name := range streams {
		if !slices.ContainsFunc(c.sources, func(s access) bool { return s.Stream.Name == name }) {
			return nil, newError(http.StatusForbidden, "grant_stream_not_allowed", "Stream '%s' not in grant", name)
		}
	}
	sources, err := c.narrow(c.sources, func(connection string) *apiError {
		return newError(http.StatusNotFound, "connection_not_found", "connection_id '%s' is not addressable under this grant.",
			connection).withParam("connection_id")
	})
	if err != nil || len(streams) == 0 {
		return sources, err
	}
	return selectSources(sources, func(s access) bool { return slices.Contains(streams, s.Stream.Name) }), nil
}

func (c *call) searchOffset(bound string) (int, *apiError) {
	if !c.params.has("cursor") {
		return 0, nil
	}
	position, ok := c.openCursor(c.params.single["cursor"])
	if !ok {
		return 0, invalidCursor("Cursor is malformed")
	}
	if position.Kind != cursorSearch || position.Bound != bound {
		return 0, foreignCursor()
	}
	if position.State != c.catalog.Generation {
		return 0, staleCursor()
	}
	return int(position.After), nil
}

func (c *call) searchMeta(in searchInput, found *search.Result) searchMeta {
	recall := recallBody{
		Complete: true, RankedCandidateCount: found.Total(), RankingScope: "all_matches",
		SourcesSearchedCount: in.searchedCount(),
	}
	if !c.options.AllWords {
		recall.wordsBody = &wordsBody{
			PartialCount: found.Some, NearestCount: found.Nearest, MissingWords: found.Missing, NearestWords: found.Replaced, WordForms: found.Forms,
			ContainingWords: found.Containing,
			LeftOutWords:    found.LeftOut, CommonWords: found.Common, TimeWords: found.TimeWords, PreferredTime: found.Time,
		}
	}
	return searchMeta{Count: found.All, CountAccuracy: "exact", Warnings: c.warningList(), Recall: recall}
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
