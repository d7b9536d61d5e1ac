package embedded

import (
	"errors"
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// fusedHits is how many hits of each mode hybrid search fuses.
const fusedHits = 200

// semantic answers GET /v1/search/semantic: all records with a text, the nearest in meaning first.
func (c *call) semantic() any {
	in := c.nearInput()
	if c.err != nil {
		return nil
	}
	found, hits := c.near(in, in.offset+in.limit+1), []object{}
	for _, near := range found[min(in.offset, len(found)):min(in.offset+in.limit, len(found))] {
		hits = append(hits, c.nearHit(in, near))
	}
	return c.searchPage(in, hits, len(found), c.nearMeta(in, len(found), nil))
}

// nearInput reads the parameters of a semantic or hybrid search, and refuses it if the server has no embeddings.
func (c *call) nearInput() searchInput {
	if c.options.Embeddings == nil {
		c.refuse(newError(http.StatusBadRequest, "search_mode_unavailable",
			"%s search is not available on this server; use lexical search, GET /v1/search", c.path[1]))
	} else if c.path[1] == "hybrid" && c.params.has("cursor") {
		c.refuse(invalidRequest("cursor pagination is not supported on /v1/search/hybrid").withParam("cursor"))
	}
	return c.searchInput()
}

func (c *call) near(in searchInput, most int) []vectors.Near {
	near, err := c.options.Embeddings.Nearest(c.ctx, in.request.Text, in.request.Sources, most, c.catalog.Has)
	if unavailable, ok := errors.AsType[*semantic.UnavailableError](err); ok {
		err = newError(http.StatusServiceUnavailable, "embeddings_unavailable",
			"%s Use lexical search, GET /v1/search, or try again later.", unavailable.Message)
	}
	c.fail(err)
	return near
}

// nearHit returns a hit with the part of its text that is nearest to the query.
func (c *call) nearHit(in searchInput, near vectors.Near) object {
	s := in.sources[slices.IndexFunc(in.request.Sources, func(s search.Source) bool { return s.Number == int(near.Source) })]
	body := c.hit(s, int64(near.Version), byMeaning, 1-float64(near.Similarity), func(fields rs.Object) evidence {
		parts := semantic.PartsOf(s.Table, fields)
		if int(near.Number) >= len(parts) {
			return evidence{}
		}
		part := parts[near.Number]
		cut := search.Snippet(part.Text, nil)
		cut.Start, cut.End = cut.Start+part.Start, cut.End+part.Start
		return evidence{[]string{s.Lexical[part.Column].Name}, []excerpt{{part.Path, cut}}}
	})
	return body.with("retrieval_mode", "semantic")
}

// nearMeta returns the meta of a semantic or hybrid search, with a warning while some records have no vectors.
func (c *call) nearMeta(in searchInput, ranked int, report *search.Report) object {
	progress := c.options.Embeddings.Progress()
	if !progress.Complete {
		reason := ""
		if progress.Err != nil {
			reason = " The embeddings endpoint fails; it is asked again."
		}
		c.warn(warning{
			Code: "embeddings_incomplete", Detail: map[string]int{"records_with_vectors": progress.Done, "records": progress.Records},
			Message: "Only a part of the records has vectors yet; the others are not found by meaning." + reason,
		})
	}
	return object{
		{"count", object{{"kind", "none"}}}, {"warnings", c.warningList()},
		{"recall", recallBody{
			Complete: progress.Complete, RankedCandidateCount: ranked, RankingScope: "all_matches", Truncated: !progress.Complete,
			SourcesSearchedCount: in.searchedCount(), Report: report,
		}},
	}
}

// hybrid answers GET /v1/search/hybrid: the hits of both modes, fused by rank. It has a single page.
func (c *call) hybrid() any {
	in := c.nearInput()
	in.request.Most = fusedHits
	words := c.words(in.request)
	if c.err != nil {
		return nil
	}
	all, hits := semantic.Fuse(words.Hits, c.near(in, fusedHits)), []object{}
	for _, one := range all[:min(in.limit, len(all))] {
		hits = append(hits, c.fusedHit(in, one, &words.Marks))
	}
	meta := c.nearMeta(in, len(all), c.report(words))
	return append(c.list(), object{{"data", hits}, {"has_more", len(all) > in.limit}, {"links", c.links("")}, {"meta", meta}}...)
}

func (c *call) fusedHit(in searchInput, one *semantic.Fused, marks *search.Marker) object {
	var body object
	scores, by := object{}, []string{}
	if one.Words != nil {
		body = c.wordHit(in.sources[one.Words.Source], *one.Words, marks)
		scores, by = append(scores, member{"lexical", body.get("score")}), append(by, "lexical")
	}
	if one.Meaning != nil {
		near := c.nearHit(in, *one.Meaning)
		scores, by = append(scores, member{"semantic", near.get("score")}), append(by, "semantic")
		if body == nil { // the lexical hit is better: its excerpts have the words marked
			body = near
		}
	}
	body = slices.DeleteFunc(body, func(m member) bool { return m.name == "score" })
	body.set("retrieval_mode", "hybrid")
	return append(body, object{{"retrieval_sources", by}, {"scores", scores}}...)
}
