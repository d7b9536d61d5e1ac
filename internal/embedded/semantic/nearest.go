package semantic

import (
	"cmp"
	"context"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// An UnavailableError says why a text could not be compared with those of the store. Its message is for the client.
type UnavailableError struct{ Message string }

func (e *UnavailableError) Error() string { return e.Message }

// Nearest returns at most limit records of sources, those with the texts nearest in meaning to text, for which has reports true. Its errors
// are *UnavailableError values.
func (x *Index) Nearest(ctx context.Context, text string, sources []search.Source, limit int,
	has func(version int64, source int) bool) ([]vectors.Near, error) {
	x.mu.Lock()
	index := x.opened
	x.mu.Unlock()
	if index == nil || index.Dimension() == 0 {
		return nil, &UnavailableError{"No text has a vector yet."}
	}
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	query, err := x.client.Embed(ctx, []string{text})
	if err != nil {
		return nil, &UnavailableError{"The embeddings endpoint gave no vector for q."}
	}
	if len(query[0]) != index.Dimension() {
		return nil, &UnavailableError{"The embeddings endpoint changed the dimension of its vectors."}
	}
	scope := search.NewScope(sources)
	return index.Nearest(query[0], limit, func(p vectors.Part) bool {
		return scope.Weight(int(p.Source), p.Version, int(p.Column)) > 0 && has(int64(p.Version), int(p.Source))
	}), nil
}

// A Fused is a record that words or meaning found, or both.
type Fused struct {
	Version int64
	Words   *search.Hit   // nil if words did not find it
	Meaning *vectors.Near // nil if meaning did not find it
	score   float64
}

// fusion is added to each rank, so that the first hits do not decide alone.
const fusion = 60

// Fuse merges the hits of two modes, ordered by the sum of 1/(60 + rank) (reciprocal rank fusion). Of equals, the one that words found
// comes first.
func Fuse(words []search.Hit, near []vectors.Near) []*Fused {
	var all []*Fused
	at := map[int64]int{}
	for i := range words {
		at[words[i].Version] = len(all)
		all = append(all, &Fused{Version: words[i].Version, Words: &words[i], score: 1 / float64(fusion+i+1)})
	}
	for i := range near {
		version := int64(near[i].Version)
		place, known := at[version]
		if !known {
			place = len(all)
			all = append(all, &Fused{Version: version})
		}
		all[place].Meaning = &near[i]
		all[place].score += 1 / float64(fusion+i+1)
	}
	slices.SortStableFunc(all, func(a, b *Fused) int { return cmp.Compare(b.score, a.score) })
	return all
}
