package embedded

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a search.
const (
	defaultHits = 20   // of a page, when nobody asks
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
	Count         int        `json:"count"`
	CountAccuracy string     `json:"count_accuracy"`
	Recall        recallBody `json:"recall"`
	Warnings      []warning  `json:"warnings"`
}

// A recallBody tells how much of what matches was ranked.
type recallBody struct {
	Complete             bool   `json:"complete"`
	RankedCandidateCount int    `json:"ranked_candidate_count"`
	RankingScope         string `json:"ranking_scope"`
	Truncated            bool   `json:"truncated"`
	CandidateWindowLimit int    `json:"candidate_window_limit,omitempty"`
	SourcesSearchedCount int    `json:"sources_searched_count"`
	TruncatedSourceCount int    `json:"truncated_source_count,omitempty"`
}

type hitBody struct {
	ConnectorID         string        `json:"connector_id"`
	EmittedAt           string        `json:"emitted_at"`
	MatchedFields       []string      `json:"matched_fields"`
	Object              string        `json:"object"`
	RecordKey           string        `json:"record_key"`
	RecordURL           string        `json:"record_url"`
	Stream              string        `json:"stream"`
	AuthoredAt          string        `json:"authored_at,omitempty"`
	ConnectionID        string        `json:"connection_id"`
	ConnectorInstanceID string        `json:"connector_instance_id"`
	DisplayName         string        `json:"display_name"`
	Snippet             snippetBody   `json:"snippet"`
	EvidenceExcerpts    []excerptBody `json:"evidence_excerpts"`
	Score               scoreBody     `json:"score"`
}

type snippetBody struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// An excerptBody shows the code points of a field from StartChars up to EndChars.
type excerptBody struct {
	EndChars    int      `json:"end_chars"`
	FieldPath   string   `json:"field_path"`
	Object      string   `json:"object"`
	PreviewText string   `json:"preview_text"`
	Provenance  string   `json:"provenance"`
	Read        readBody `json:"read"`
	StartChars  int      `json:"start_chars"`
	Truncated   bool     `json:"truncated"`
}

// A readBody is the field-window read that shows an excerpt in its place.
type readBody struct {
	Field        string `json:"field"`
	Method       string `json:"method"`
	Object       string `json:"object"`
	RecordID     string `json:"record_id"`
	Route        string `json:"route"`
	Stream       string `json:"stream"`
	ConnectionID string `json:"connection_id"`
}

type scoreBody struct {
	Kind  string  `json:"kind"`
	Order string  `json:"order"`
	Value float64 `json:"value"`
}

// searchUnavailable answers the modes that this server does not have.
func (c *call) searchUnavailable() (any, error) {
	return nil, newError(http.StatusBadRequest, "search_mode_unavailable",
		"%s search is not available on this server; use lexical search, GET /v1/search", c.path[1])
}

// search answers GET /v1/search. All words of q must be in the granted fields of a record. The store does not change
// while it is served, so the ranking is the same for each page: the cursor is a place in it.
func (c *call) search() (any, error) {
	if strings.TrimSpace(c.params.single["q"]) == "" {
		return nil, invalidRequest("q is required").withParam("q")
	}
	if utf8.RuneCountInString(c.params.single["q"]) > maxQuery {
		return nil, invalidRequest("q must be at most %d characters", maxQuery).withParam("q")
	}
	limit, clamped, refusal := c.params.pageLimit(defaultHits, "hits")
	if refusal != nil {
		return nil, refusal
	}
	c.warn(clamped)
	sources, refusal := c.searchSources()
	if refusal != nil {
		return nil, refusal
	}
	sources, conditions, err := c.filtered(sources)
	if err != nil {
		return nil, err
	}
	bound := c.bind(c.params.binding(c.params.single["connection_id"] + c.params.single["connector_instance_id"]))
	offset, refusal := c.searchOffset(bound)
	if refusal != nil {
		return nil, refusal
	}
	ranking, err := c.rank(sources, conditions, parseQuery(c.params.single["q"]))
	if err != nil {
		return nil, err
	}
	body := searchBody{Object: "list", URL: c.url.EscapedPath(), Data: []hitBody{}, Meta: ranking.meta(c)}
	page := ranking.hits[min(offset, len(ranking.hits)):]
	if len(page) > limit {
		page, body.HasMore = page[:limit], true
		body.NextCursor = c.sealCursor(cursor{Kind: cursorSearch, Bound: bound, After: int64(offset + limit)})
	}
	for _, h := range page {
		shown, err := c.hit(h, ranking.phrases)
		if err != nil {
			return nil, err
		}
		body.Data = append(body.Data, shown)
	}
	body.Links = c.links(body.NextCursor)
	return body, nil
}

// searchSources reads streams and the connection. Search has its own words for what is not granted.
func (c *call) searchSources() ([]access, *apiError) {
	streams := c.params.lists["streams"]
	if len(c.params.filters) > 0 && len(streams) != 1 {
		return nil, invalidRequest("filter[...] requires exactly one stream in streams").withParam("filter")
	}
	for _, name := range streams {
		if !slices.ContainsFunc(c.sources, func(s access) bool { return s.stream.Name == name }) {
			return nil, newError(http.StatusForbidden, "grant_stream_not_allowed", "Stream '%s' not in grant", name)
		}
	}
	sources, err := c.ofConnector(c.sources)
	if err != nil {
		return nil, err
	}
	connection, err := c.connection()
	if err != nil {
		return nil, err
	}
	if connection != "" {
		if sources = selectSources(sources, func(s access) bool { return s.connection.ID == connection }); len(sources) == 0 {
			return nil, newError(http.StatusNotFound, "connection_not_found", "connection_id '%s' is not addressable under this grant.", connection).withParam("connection_id")
		}
	}
	if len(streams) > 0 {
		sources = selectSources(sources, func(s access) bool { return slices.Contains(streams, s.stream.Name) })
	}
	return sources, nil
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
	return int(position.After), nil
}

// A ranking is what matched, best first.
type ranking struct {
	phrases   []phrase
	hits      []hit
	searched  int
	truncated int
}

// A hit is a record that matched.
type hit struct {
	storedRecord
	from  access
	score float64
}

func (r ranking) meta(c *call) searchMeta {
	meta := searchMeta{
		Count: len(r.hits), CountAccuracy: "exact", Warnings: c.warningList(),
		Recall: recallBody{Complete: true, RankedCandidateCount: len(r.hits), RankingScope: "all_matches", SourcesSearchedCount: r.searched},
	}
	if r.truncated > 0 {
		meta.CountAccuracy = "lower_bound"
		meta.Recall.Complete, meta.Recall.Truncated, meta.Recall.RankingScope = false, true, "candidate_window"
		meta.Recall.CandidateWindowLimit, meta.Recall.TruncatedSourceCount = c.server.options.SearchWindow, r.truncated
	}
	return meta
}

// rank searches each source for its best matches and orders them together. Ties are broken by name and id, so that
// the order is always the same.
func (c *call) rank(sources []access, conditions []where, phrases []phrase) (ranking, error) {
	r := ranking{phrases: phrases}
	for i, s := range sources {
		match, ok := matchExpression(s, phrases)
		if !ok {
			continue
		}
		r.searched++
		found, err := c.candidates(s, conditions[i], match)
		if err != nil {
			return ranking{}, err
		}
		if len(found) > c.server.options.SearchWindow {
			found = found[:c.server.options.SearchWindow]
			r.truncated++
		}
		r.hits = append(r.hits, found...)
	}
	slices.SortFunc(r.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(b.emitted, a.emitted), cmp.Compare(a.from.name, b.from.name),
			cmp.Compare(a.version, b.version))
	})
	return r, nil
}

// matchExpression asks for all phrases, in the granted fields only: what is not granted can neither match nor rank.
// Terms hold letters and numbers alone, and stand in quotes: nothing of the query is read as an operator.
func matchExpression(s access, phrases []phrase) (string, bool) {
	var columns []string
	for i, field := range s.lexical {
		if _, ok := s.granted(field.Name); ok {
			columns = append(columns, lexicalColumn(i))
		}
	}
	if len(columns) == 0 || len(phrases) == 0 {
		return "", false
	}
	quoted := make([]string, len(phrases))
	for i, p := range phrases {
		quoted[i] = `"` + strings.Join(p, " ") + `"`
	}
	return "{" + strings.Join(columns, " ") + "} : (" + strings.Join(quoted, " AND ") + ")", true
}

// candidates reads one more match of a source than are ranked, without the records themselves.
func (c *call) candidates(s access, w where, match string) ([]hit, error) {
	query := fmt.Sprintf(`SELECT version, id, emitted, bm25(%[1]s) AS score FROM %[1]s JOIN %[2]s ON version = %[1]s.rowid
		WHERE %[1]s MATCH ? AND %[3]s ORDER BY score, version LIMIT ?`, s.lexicalTable(), s.name, w)
	args := slices.Concat([]any{match}, w.args, []any{c.server.options.SearchWindow + 1})
	var hits []hit
	err := c.server.store.each(c.ctx, query, args, func(rows *sql.Rows) error {
		h := hit{from: s}
		err := rows.Scan(&h.version, &h.id, &h.emitted, &h.score)
		hits = append(hits, h)
		return err
	})
	return hits, err
}

// hit writes a hit with an excerpt of each granted field that matched.
func (c *call) hit(h hit, phrases []phrase) (hitBody, error) {
	stored, _, err := c.server.store.find(c.ctx, h.from, h.id)
	if err != nil {
		return hitBody{}, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(stored.data, &fields); err != nil {
		return hitBody{}, fmt.Errorf("stored record: %w", err)
	}
	s := h.from
	route := "/v1/streams/" + url.PathEscape(s.stream.Name) + "/records/" + url.PathEscape(h.id)
	body := hitBody{
		ConnectorID: s.connector.Key, EmittedAt: formatInstant(h.emitted), MatchedFields: []string{}, Object: "search_result",
		RecordKey: h.id, RecordURL: route, Stream: s.stream.Name, AuthoredAt: s.authoredAt(fields), ConnectionID: s.connection.ID,
		ConnectorInstanceID: s.connection.ID, DisplayName: s.connection.DisplayName, EvidenceExcerpts: []excerptBody{},
		Score: scoreBody{Kind: "bm25", Order: "lower_is_better", Value: h.score},
	}
	for _, field := range s.lexical {
		if _, ok := s.granted(field.Name); !ok {
			continue
		}
		text := lexicalText(fields[field.Name])
		spans := matches(text, phrases)
		if len(spans) == 0 {
			continue
		}
		cut := snippet(text, spans)
		body.MatchedFields = append(body.MatchedFields, field.Name)
		body.EvidenceExcerpts = append(body.EvidenceExcerpts, excerptBody{
			FieldPath: field.Name, Object: "evidence_excerpt", PreviewText: cut.marked, Provenance: "lexical_match", Truncated: cut.truncated,
			StartChars: cut.start, EndChars: cut.end,
			Read: readBody{
				Field: field.Name, Method: http.MethodGet, Object: "field_window_read", RecordID: h.id, Route: route + "/field-window",
				Stream: s.stream.Name, ConnectionID: s.connection.ID,
			},
		})
	}
	if len(body.EvidenceExcerpts) > 0 {
		body.Snippet = snippetBody{Field: body.EvidenceExcerpts[0].FieldPath, Text: body.EvidenceExcerpts[0].PreviewText}
	}
	return body, nil
}

// authoredAt is when a record says that it happened, as far as that is granted.
func (s access) authoredAt(fields map[string]json.RawMessage) string {
	names := []string{}
	for _, field := range s.fields {
		if field.Role == "event-time" {
			names = append(names, field.Name)
		}
	}
	for _, name := range append(names, s.stream.CursorField) {
		field, ok := s.granted(name)
		var text string
		if ok && kindOf(field) == kindInstant && json.Unmarshal(fields[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
