package embedded

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Bounds of a search.
const (
	defaultHits = 20   // of a page if limit is absent
	maxQuery    = 1000 // code points of q, which bounds the words to look up
)

// A recallBody reports how many of the matches were ranked, and how the words of the query were used.
type recallBody struct {
	Complete             bool   `json:"complete"`
	RankedCandidateCount int    `json:"ranked_candidate_count"`
	RankingScope         string `json:"ranking_scope"`
	Truncated            bool   `json:"truncated"`
	SourcesSearchedCount int    `json:"sources_searched_count"`
	*search.Report              // nil for semantic search, and with Options.AllWords
}

type searchInput struct {
	limit, offset int
	bound         string // what its cursor is bound to
	asked         int64  // seconds since 1970 of the first page, in its cursor; 0: the query names no time
	request       search.Request
	sources       []access // parallel to request.Sources
}

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
		bound: c.bind(binding(c.url.Query(), c.params.single["connection_id"]+c.params.single["connector_instance_id"])),
	}
	position := c.searchPosition(in.bound)
	in.offset, in.asked = int(position.After), position.Issued
	if c.err != nil {
		return in
	}
	now := c.options.Now().Truncate(time.Second)
	if in.asked != 0 {
		now = time.Unix(in.asked, 0)
	}
	in.request = search.Request{Text: text, Now: now, AllWords: c.options.AllWords, Most: in.offset + in.limit}
	for _, s := range in.sources {
		searched, err := c.store.Searched(c.ctx, c.catalog, s.Source)
		c.fail(err)
		in.request.Sources = append(in.request.Sources, searched)
	}
	return in
}

func (c *call) words(request search.Request) *search.Result {
	found, err := c.catalog.Search(c.ctx, request)
	c.fail(err)
	return found
}

// search answers GET /v1/search: records with all words of q in their granted fields, then those with some. A cursor is a position in the
// ranking, which is the same for each page until the store changes.
func (c *call) search() any {
	in := c.searchInput()
	found := c.words(in.request)
	if found.Total() == 0 {
		c.warnUnread(in.sources, maxUnread)
	}
	if found.Time != "" {
		in.asked = in.request.Now.Unix() // on the next pages, today is still that day
	}
	hits := []object{}
	for _, h := range found.Hits[min(in.offset, len(found.Hits)):] {
		hits = append(hits, c.wordHit(in.sources[h.Source], h, &found.Marks))
	}
	return c.searchPage(in, hits, found.Total(), object{
		{"count", found.All}, {"count_accuracy", "exact"}, {"warnings", c.warningList()},
		{"recall", recallBody{
			Complete: true, RankedCandidateCount: found.Total(), RankingScope: "all_matches", SourcesSearchedCount: in.searchedCount(),
			Report: c.report(found),
		}},
	})
}

// report returns how the words of the query were used, or nil with Options.AllWords.
func (c *call) report(found *search.Result) *search.Report {
	if c.options.AllWords {
		return nil
	}
	return &found.Report
}

// searchPage returns a page of hits, with a cursor if there are more among the total.
func (c *call) searchPage(in searchInput, hits []object, total int, meta object) object {
	next, end := "", in.offset+in.limit
	if total > end {
		next = c.sealCursor(cursor{
			Kind: cursorSearch, Bound: in.bound, State: c.catalog.Generation, After: int64(end), Issued: in.asked,
		})
	}
	page := object{{"data", hits}, {"meta", meta}, {"has_more", total > end}, {"links", c.links(next)}}
	return append(c.list(), page...).with("next_cursor", next)
}

// searchSources returns the sources of the requested streams and connection. Search has separate error codes for those that are not
// granted.
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

// searchPosition returns the cursor of a search, zero for the first page.
func (c *call) searchPosition(bound string) cursor {
	if !c.params.has("cursor") {
		return cursor{}
	}
	position := c.cursorParam("cursor", "Cursor is malformed")
	if position.Kind != cursorSearch || position.Bound != bound {
		c.refuse(foreignCursor())
	}
	if position.State != c.catalog.Generation {
		c.refuse(staleCursor())
	}
	return position
}

func (in searchInput) searchedCount() (count int) {
	for _, s := range in.request.Sources {
		if s.IsSearched() {
			count++
		}
	}
	return count
}

// A mode is a search mode, by the names that hits use.
type mode struct{ provenance, score string }

var (
	byWords   = mode{"lexical_match", "bm25"}
	byMeaning = mode{"semantic_match", "semantic_distance"}
)

// An evidence shows why a record was found: the fields that match, and an excerpt of each matching text.
type evidence struct {
	fields   []string
	excerpts []excerpt
}

// An excerpt is a part of a text, with the path by which a field window reads that text.
type excerpt struct {
	path string
	search.Cutting
}

// hit returns the body of a found record; find returns the evidence in its fields.
func (c *call) hit(s access, version int64, by mode, score float64, find func(fields rs.Object) evidence) object {
	stored, err := c.store.Version(c.ctx, s.Table, version)
	c.fail(err)
	fields := fieldsOf(stored)
	route := "/v1/streams/" + url.PathEscape(s.Stream.Name) + "/records/" + url.PathEscape(stored.ID)
	shown, snippet, excerpts := find(fields), object{{"field", ""}, {"text", ""}}, []object{}
	for i, one := range shown.excerpts {
		if i == 0 {
			snippet = object{{"field", one.path}, {"text", one.Marked}}
		}
		excerpts = append(excerpts, object{
			{"field_path", one.path}, {"object", "evidence_excerpt"}, {"preview_text", one.Marked}, {"provenance", by.provenance},
			{"truncated", one.Truncated}, {"start_chars", one.Start}, {"end_chars", one.End}, // code points
			{"read", object{
				{"field", one.path}, {"method", http.MethodGet}, {"object", "field_window_read"}, {"record_id", stored.ID},
				{"route", route + "/field-window"}, {"stream", s.Stream.Name}, {"connection_id", s.Connection.ID},
			}},
		})
	}
	about := c.about(s, fields)
	return s.labeled(object{
		{"connector_id", s.Connector.Key}, {"object", "search_result"}, {"record_key", stored.ID}, {"record_url", route},
		{"stream", s.Stream.Name}, {"score", object{{"kind", by.score}, {"order", "lower_is_better"}, {"value", score}}},
		{"matched_fields", append([]string{}, shown.fields...)}, {"snippet", snippet}, {"evidence_excerpts", excerpts},
	}).with("emitted_at", model.FormatInstant(stored.Emitted)).with("title", about.title).with("actor", about.actor).
		with("authored_at", about.at).with("authored_field", about.by)
}

// wordHit returns a hit with an excerpt of each granted text that matched, those with the rarest words first.
func (c *call) wordHit(s access, h search.Hit, marks *search.Marker) object {
	body := c.hit(s, h.Version, byWords, -float64(h.Score), func(fields rs.Object) (found evidence) {
		worth := map[string]float32{} // by path
		for _, field := range s.Lexical {
			if _, ok := s.Granted(field.Name); !ok {
				continue
			}
			before := len(found.excerpts)
			for _, leaf := range store.TextsIn(json.RawMessage(fields.Get(field.Name)), field.Name) {
				if spans := marks.Find(leaf.Text); len(spans) > 0 {
					found.excerpts = append(found.excerpts, excerpt{leaf.Path, search.Snippet(leaf.Text, spans)})
					worth[leaf.Path] = marks.Worth(spans)
				}
			}
			if len(found.excerpts) > before {
				found.fields = append(found.fields, field.Name)
			}
		}
		slices.SortStableFunc(found.excerpts, func(a, b excerpt) int { return cmp.Compare(worth[b.path], worth[a.path]) })
		return found
	})
	body = body.with("match", string(h.Match)).with("matched_words", h.Words).with("nearest_words", h.Nearest)
	if h.NotOfTime {
		body = body.with("not_of_time", true)
	}
	return body
}
