package period

import (
	"context"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Bounds of the reads for the titles, authors and times of hits (ANSWERS 3).
const (
	maxContextReads = 10 // of one search; the read of the schema is one of them
	contextDeadline = time.Second
)

// WithContext returns the answer of a search in which the first hits have the title, the author and the time of their records, or of the
// records that they are parts of, if the resource server sent none of these. It reads the fields that the schema marks. A hit whose record
// is not read in time stays as it is. The first shown hits are left out: the answer before had them. sources returns what the schema says of
// all streams; it is called only if such a hit is found.
func WithContext(
	ctx context.Context, server rs.Doer, sources func(context.Context) []known.Source, response *rs.Response, shown int,
) *rs.Response {
	list, _ := response.List()
	isBare := func(hit rs.Item) bool {
		return !hit.Members.Has("title") && !hit.Members.Has("actor") && !hit.Members.Has("authored_at")
	}
	if shown >= len(list.Items) || !slices.ContainsFunc(list.Items[shown:], isBare) {
		return response
	}
	ctx, cancel := context.WithTimeout(ctx, contextDeadline)
	defer cancel()
	all := sources(ctx)
	var hits []foundAt
	var ranks []int
	for i := shown; i < len(list.Items) && len(hits) < maxContextReads-1; i++ {
		hit := foundAt{Item: list.Items[i]}
		if hit.parent = contextOf(all, hit); isBare(hit.Item) && hit.parent != nil {
			hits, ranks = append(hits, hit), append(ranks, i)
		}
	}
	if len(hits) == 0 {
		return response
	}
	read.All(ctx, len(hits), func(ctx context.Context, i int) { hits[i].readRecord(ctx, server, nil) })
	items := slices.Clone(list.Items)
	for i, hit := range hits {
		items[ranks[i]] = hit.Item
	}
	return response.WithBody(list.With(items).JSON())
}

// contextOf returns the source of a hit's record if the schema marks its title, author or time, or else the source of the record that the
// hit is a part of; nil if there is none, or if the hit names no connection and several have it.
func contextOf(all []known.Source, hit foundAt) (own *parent) {
	connection, stream := rs.ConnectionID(hit.Members), hit.stream()
	if hit.key() == "" {
		return nil
	}
	isPart := func(part rs.Relation) bool { return part.Target == stream }
	for i := range all {
		s := &all[i]
		part := slices.IndexFunc(s.Parts, isPart)
		marked := s.Title != "" || s.Author != "" || s.Time != ""
		switch {
		case connection != "" && connection != s.Connection.ID || !marked:
		case s.Stream == stream && (own == nil || own.relation != ""):
			own = &parent{Source: *s}
		case s.Stream == stream, part >= 0 && own != nil && own.relation != "" && connection == "":
			return nil
		case part >= 0 && own == nil:
			own = &parent{Source: *s, relation: s.Parts[part].Name}
		}
	}
	return own
}
