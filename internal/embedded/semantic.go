package embedded

import (
	"errors"
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// fusedHits is how many of the first hits of both modes hybrid search fuses.
const fusedHits = 200

// How a hit was found.
const (
	modeLexical  = "lexical"
	modeSemantic = "semantic"
	modeHybrid   = "hybrid"
)

// semantic answers GET /v1/search/semantic: all records with a text, the nearest in meaning first.
func (c *call) semantic() (any, error) {
	if c.options.Embeddings == nil {
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
	body := c.searchPage(in, len(found), c.nearMeta(in, len(found)))
	for _, near := range found[min(in.offset, len(found)):min(in.offset+in.limit, len(found))] {
		shown, err := c.nearHit(in, near)
		if err != nil {
			return nil, err
		}
		body.Data = append(body.Data, shown)
	}
	return body, nil
}

// searchUnavailable refuses a mode that the server does not have.
func (c *call) searchUnavailable() *apiError {
	return newError(http.StatusBadRequest, "search_mode_unavailable",
		"%s search is not available on this server; use lexical search, GET /v1/search", c.path[1])
}

// near finds the records whose texts are nearest to q.
func (c *call) near(in searchInput, most int) ([]vectors.Near, error) {
	near, err := c.options.Embeddings.Nearest(c.ctx, in.request.Text, in.request.Sources, most, c.catalog.Has)
	if unavailable, ok := errors.AsType[*semantic.UnavailableError](err); ok {
		e := newError(http.StatusServiceUnavailable, "embeddings_unavailable", "%s Use lexical search, GET /v1/search, or try again later.",
			unavailable.Message)
		e.cause = unavailable.Cause
		return nil, e
	}
	return near, err
}

// nearHit writes a hit with the part of its text that is nearest.
func (c *call) nearHit(in searchInput, near vectors.Near) (hitBody, error) {
	at := slices.IndexFunc(in.request.Sources, func(s search.Source) bool { return s.Number == int(near.Source) })
	s := in.sources[at]
	body, fields, err := c.hitOf(s, int64(near.Version))
	if err != nil {
		return hitBody{}, err
	}
	body.RetrievalMode, body.Score = modeSemantic, &scoreBody{Kind: "semantic_distance", Order: "lower_is_better",
		Value: 1 - float64(near.Similarity)}
	part, ok := semantic.PartAt(s.Table, fields, int(near.Number))
	if !ok {
		return body, nil
	}
	cut := search.Snippet(part.Text, nil)
	cut.Start, cut.End = cut.Start+part.Start, cut.End+part.Start
	body.excerpt(part.Path, "semantic_match", cut)
	body.MatchedFields = append(body.MatchedFields, s.Lexical[part.Column].Name)
	return body, nil
}

// nearMeta says how much of what can be searched has vectors.
func (c *call) nearMeta(in searchInput, ranked int) searchMeta {
	progress := c.options.Embeddings.Progress()
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
			SourcesSearchedCount: in.searchedCount(),
		},
	}
}

// hybrid answers GET /v1/search/hybrid: what either mode finds, fused by rank. It has no pages.
func (c *call) hybrid() (any, error) {
	if c.options.Embeddings == nil {
		return nil, c.searchUnavailable()
	}
	if c.params.has("cursor") {
		return nil, invalidRequest("cursor pagination is not supported on /v1/search/hybrid").withParam("cursor")
	}
	in, err := c.searchInput()
	if err != nil {
		return nil, err
	}
	in.request.Most = fusedHits
	words, err := c.catalog.Search(c.ctx, in.request)
	if err != nil {
		return nil, err
	}
	near, err := c.near(in, fusedHits)
	if err != nil {
		return nil, err
	}
	all := semantic.Fuse(words.Hits, near)
	body := searchBody{Object: "list", URL: c.url.EscapedPath(), Data: []hitBody{}, HasMore: len(all) > in.limit,
		Meta: c.nearMeta(in, len(all))}
	body.Meta.Recall.wordsBody = c.searchMeta(in, words).Recall.wordsBody
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

func (c *call) fusedHit(in searchInput, one *semantic.Fused, marks *search.Marker) (body hitBody, err error) {
	scores, sources := map[string]scoreBody{}, []string{}
	if one.Meaning != nil {
		if body, err = c.nearHit(in, *one.Meaning); err != nil {
			return hitBody{}, err
		}
		scores[modeSemantic], sources = *body.Score, append(sources, modeSemantic)
	}
	if one.Words != nil { // its excerpts have the words marked
		if body, err = c.hit(in.sources[one.Words.Source], *one.Words, marks); err != nil {
			return hitBody{}, err
		}
		scores[modeLexical], sources = *body.Score, append([]string{modeLexical}, sources...)
	}
	body.RetrievalMode, body.RetrievalSources, body.Scores, body.Score = modeHybrid, sources, scores, nil
	return body, nil
}
