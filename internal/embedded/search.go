package embedded

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
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

type searchInput struct {
	limit, offset int
	bound         string // of its cursor
	request       search.Request
	sources       []access // those of the request
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
		c.warnUnread(in.sources, maxUnread)
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

// report is what was done with words, nil where every word is demanded.
func (c *call) report(found *search.Result) *search.Report {
	if c.options.AllWords {
		return nil
	}
	return &found.Report
}

// searchPage shows some of so many hits in all.
func (c *call) searchPage(in searchInput, hits []object, total int, meta object) object {
	next, end := "", in.offset+in.limit
	if total > end {
		next = c.sealCursor(cursor{Kind: cursorSearch, Bound: in.bound, State: c.catalog.Generation, After: int64(end)})
	}
	page := object{{"data", hits}, {"meta", meta}, {"has_more", total > end}, {"links", c.links(next)}}
	return append(c.list(), page...).with("next_cursor", next)
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

// A mode is a way to find records, as hits name it.
type mode struct{ provenance, score string }

var (
	byWords   = mode{"lexical_match", "bm25"}
	byMeaning = mode{"semantic_match", "semantic_distance"}
)

// An evidence is why a record was found: the fields that match, and a piece of each text in them.
type evidence struct {
	fields   []string
	excerpts []excerpt
}

// An excerpt is a piece of the text that a field window reads by a path.
type excerpt struct {
	path string
	search.Cutting
}

// hit writes what is said of a record that was found, with the evidence in its fields.
func (c *call) hit(s access, version int64, by mode, score float64, find func(fields map[string]json.RawMessage) evidence) object {
	stored, err := c.store.Version(c.ctx, s.Table, version)
	c.fail(err)
	fields := c.fields(stored)
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

// An about is what names a record, who made it, when it says that it happened, and by which field of it or of the record that it is a
// part of: as far as that is granted.
type about struct{ title, actor, at, by string }

// about names a record. One without a time has that of the granted record which it is a part of, and its actor. The only part of a record,
// such as the body of a message, has its title too.
func (c *call) about(s access, fields map[string]json.RawMessage) about {
	found := s.about(fields)
	if found.at != "" {
		return found
	}
	for _, parent := range c.sources {
		for _, relation := range parent.Stream.Relations {
			var id string
			part, followed := c.target(parent, relation)
			if !followed || part.Table != s.Table || part.Connection.ID != s.Connection.ID ||
				json.Unmarshal(fields[relation.ForeignKey], &id) != nil {
				continue
			}
			stored, ok := c.find(parent, id)
			if !ok {
				continue
			}
			whole := parent.about(c.fields(stored))
			found.at, found.by, found.actor = whole.at, whole.by, cmp.Or(found.actor, whole.actor)
			if relation.Cardinality == "has_one" {
				found.title = cmp.Or(whole.title, found.title)
			}
			return found
		}
	}
	return found
}

func (s access) about(fields map[string]json.RawMessage) about {
	found := about{title: s.textOf(fields, "primary-title"), actor: s.textOf(fields, "actor")}
	if found.title == "" && found.actor == "" {
		found.title = s.brief(fields)
	}
	status := strings.ToLower(string(fields["status"]))
	if _, ok := s.Granted("status"); ok && found.title != "" && (status == `"cancelled"` || status == `"canceled"`) {
		found.title = "Cancelled: " + found.title // who reads only hits takes it for what happens
	}
	for _, name := range s.TimeFields {
		var text string
		if _, ok := s.Granted(name); ok && json.Unmarshal(fields[name], &text) == nil && text != "" {
			found.at, found.by = text, name
			return found
		}
	}
	return found
}

// maxTitle is how many code points of a title or an actor a hit shows: some streams have no title but their text.
const maxTitle = 120

// textOf returns the start of the first granted text of a role.
func (s access) textOf(fields map[string]json.RawMessage, role string) string {
	for _, field := range s.Fields {
		var text string
		if field.Role == role && json.Unmarshal(fields[field.Name], &text) == nil && text != "" {
			if runes := []rune(text); len(runes) > maxTitle {
				return string(runes[:maxTitle-1]) + "…"
			}
			return text
		}
	}
	return ""
}

// wordHit writes a hit with an excerpt of each granted text that matched, those with the rarer words first.
func (c *call) wordHit(s access, h search.Hit, marks *search.Marker) object {
	body := c.hit(s, h.Version, byWords, -float64(h.Score), func(fields map[string]json.RawMessage) (found evidence) {
		worth := map[string]float32{} // by path
		for _, field := range s.Lexical {
			if _, ok := s.Granted(field.Name); !ok {
				continue
			}
			before := len(found.excerpts)
			for _, leaf := range store.TextsIn(fields[field.Name], field.Name) {
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
