package embedded

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// Bounds of hybrid search, which fuses the first of both modes by their ranks alone (reciprocal rank fusion).
const (
	fusedHits = 200
	fusion    = 60 // added to each rank, so that the first hits do not decide alone
)

// How a hit was found.
const (
	modeLexical  = "lexical"
	modeSemantic = "semantic"
	modeHybrid   = "hybrid"
)

// semantic answers GET /v1/search/semantic: all records with a text, the nearest in meaning first.
func (c *call) semantic() (any, error) {
	if c.server.options.Embeddings == nil {
		return nil, c.searchUnavailable()
	}
	in, err := c.searchInput()
	if err != nil {
		return nil, err
	}
	found, err := c.near(in, in.offset+in.limit+1)
	if err != nil {
		return nil, err
	}
	body := searchBody{Object: "list", URL: c.url.EscapedPath(), Data: []hitBody{}, Meta: c.nearMeta(in.sources, len(found))}
	if len(found) > in.offset+in.limit {
		body.HasMore = true
		body.NextCursor = c.sealCursor(cursor{Kind: cursorSearch, Bound: in.bound, After: int64(in.offset + in.limit)})
	}
	for _, near := range found[min(in.offset, len(found)):min(in.offset+in.limit, len(found))] {
		shown, err := c.nearHit(in, near)
		if err != nil {
			return nil, err
		}
		body.Data = append(body.Data, shown)
	}
	body.Links = c.links(body.NextCursor)
	return body, nil
}

// searchUnavailable refuses a mode that the server does not have.
func (c *call) searchUnavailable() *apiError {
	return newError(http.StatusBadRequest, "search_mode_unavailable",
		"%s search is not available on this server; use lexical search, GET /v1/search", c.path[1])
}

// embeddingsFailed refuses a search whose words could not be compared.
func embeddingsFailed(message string, cause error) *apiError {
	e := newError(http.StatusServiceUnavailable, "embeddings_unavailable", "%s Use lexical search, GET /v1/search, or try again later.", message)
	e.cause = cause
	return e
}

// near finds the records whose texts are nearest to q.
func (c *call) near(in searchInput, most int) ([]vectors.Near, error) {
	e := c.server.options.Embeddings
	e.mu.Lock()
	index := e.index
	e.mu.Unlock()
	if index == nil || index.Dimension() == 0 {
		return nil, embeddingsFailed("No text has a vector yet.", e.Progress().Err)
	}
	ctx, cancel := context.WithTimeout(c.ctx, queryTime)
	defer cancel()
	query, err := e.client.Embed(ctx, []string{in.request.Text})
	if err != nil {
		return nil, embeddingsFailed("The embeddings endpoint gave no vector for q.", err)
	}
	if len(query[0]) != index.Dimension() {
		return nil, embeddingsFailed("The embeddings endpoint changed the dimension of its vectors.", nil)
	}
	see := visibleParts(in.request.Sources)
	return index.Nearest(query[0], most, see), nil
}

// visibleParts tells of a part whether the grant and the filters show it.
func visibleParts(sources []search.Source) func(vectors.Part) bool {
	type source struct {
		columns map[uint16]bool
		only    map[int64]bool
	}
	var byNumber []source
	for _, s := range sources {
		for len(byNumber) <= s.Number {
			byNumber = append(byNumber, source{})
		}
		columns := map[uint16]bool{}
		for _, field := range s.Fields {
			columns[uint16(field.Column)] = true // #nosec G115 -- a stream has far fewer fields
		}
		byNumber[s.Number] = source{columns, s.Only}
	}
	return func(p vectors.Part) bool {
		if int(p.Source) >= len(byNumber) {
			return false
		}
		s := &byNumber[p.Source]
		return s.columns[p.Column] && (s.only == nil || s.only[int64(p.Version)])
	}
}

// nearHit writes a hit with the part of its text that is nearest.
func (c *call) nearHit(in searchInput, near vectors.Near) (hitBody, error) {
	at := slices.IndexFunc(in.request.Sources, func(s search.Source) bool { return s.Number == int(near.Source) })
	s := in.sources[at]
	body, fields, err := c.hitOf(s, int64(near.Version))
	if err != nil {
		return hitBody{}, err
	}
	body.RetrievalMode, body.Score = modeSemantic, &scoreBody{Kind: "semantic_distance", Order: "lower_is_better", Value: 1 - float64(near.Similarity)}
	parts := s.meaningfulParts(fields)
	if int(near.Number) >= len(parts) {
		return body, nil
	}
	part := parts[near.Number]
	cut := search.Snippet(part.text, nil)
	cut.Start, cut.End = cut.Start+part.start, cut.End+part.start
	body.excerpt(part.path, "semantic_match", cut)
	body.MatchedFields = append(body.MatchedFields, s.lexical[part.column].Name)
	return body, nil
}

// nearMeta says how much of what can be searched has vectors.
func (c *call) nearMeta(sources []access, ranked int) searchMeta {
	progress := c.server.options.Embeddings.Progress()
	if !progress.Complete {
		reason := ""
		if progress.Err != nil {
			reason = " The embeddings endpoint fails; it is asked again."
		}
		c.warn(&warning{
			Code: "embeddings_incomplete", Detail: map[string]int{"records_with_vectors": progress.Done, "records": progress.Records},
			Message: "Only a part of the records has vectors yet; the others are not found by meaning." + reason,
		})
	}
	return searchMeta{
		Count: countBody{Kind: "none"}, Warnings: c.warningList(),
		Recall: recallBody{
			Complete: progress.Complete, RankedCandidateCount: ranked, RankingScope: "all_matches", Truncated: !progress.Complete,
			SourcesSearchedCount: c.searchedCount(sources),
		},
	}
}

// A fused is a record that either mode found.
type fused struct {
	version  int64
	lexical  *search.Hit
	semantic *vectors.Near
	score    float64
}

// hybrid answers GET /v1/search/hybrid: what either mode finds, by the sum of 1/(60 + rank). It has no pages.
func (c *call) hybrid() (any, error) {
	if c.server.options.Embeddings == nil {
		return nil, c.searchUnavailable()
	}
	if c.params.has("cursor") {
		return nil, invalidRequest("cursor pagination is not supported on /v1/search/hybrid").withParam("cursor")
	}
	in, err := c.searchInput()
	if err != nil {
		return nil, err
	}
	words, err := c.find(in.request, fusedHits)
	if err != nil {
		return nil, err
	}
	near, err := c.near(in, fusedHits)
	if err != nil {
		return nil, err
	}
	all := fuse(words.Hits, near)
	body := searchBody{Object: "list", URL: c.url.EscapedPath(), Data: []hitBody{}, HasMore: len(all) > in.limit, Meta: c.nearMeta(in.sources, len(all))}
	body.Meta.Recall.wordsBody = c.searchMeta(in.sources, words).Recall.wordsBody
	for _, one := range all[:min(in.limit, len(all))] {
		shown, err := c.fusedHit(in, one, &words.Marks)
		if err != nil {
			return nil, err
		}
		body.Data = append(body.Data, shown)
	}
	body.Links = c.links("")
	return body, nil
}

// fuse orders what two modes found by the sum of 1/(60 + rank); of equals the one that words found comes first.
func fuse(words []search.Hit, near []vectors.Near) []fused {
	var all []fused
	at := map[int64]int{}
	for i := range words {
		at[words[i].Version] = len(all)
		all = append(all, fused{version: words[i].Version, lexical: &words[i], score: 1 / float64(fusion+i+1)})
	}
	for i := range near {
		version := int64(near[i].Version)
		place, known := at[version]
		if !known {
			place = len(all)
			all = append(all, fused{version: version})
		}
		all[place].semantic = &near[i]
		all[place].score += 1 / float64(fusion+i+1)
	}
	slices.SortStableFunc(all, func(a, b fused) int { return cmp.Compare(b.score, a.score) })
	return all
}

func (c *call) fusedHit(in searchInput, one fused, marks *search.Marker) (body hitBody, err error) {
	scores, sources := map[string]scoreBody{}, []string{}
	if one.semantic != nil {
		if body, err = c.nearHit(in, *one.semantic); err != nil {
			return hitBody{}, err
		}
		scores[modeSemantic], sources = *body.Score, append(sources, modeSemantic)
	}
	if one.lexical != nil { // its excerpts have the words marked
		if body, err = c.hit(in.sources[one.lexical.Source], *one.lexical, marks); err != nil {
			return hitBody{}, err
		}
		scores[modeLexical], sources = *body.Score, append([]string{modeLexical}, sources...)
	}
	body.RetrievalMode, body.RetrievalSources, body.Scores, body.Score = modeHybrid, sources, scores, nil
	return body, nil
}
