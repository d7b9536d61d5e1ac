package render

import (
	"sync"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A Searcher renders searches. It keeps the room in which the answer to one was made for the next, because a server makes so
// many that new room for each would be a good part of the work. The zero Searcher is ready; any number of goroutines may use it.
type Searcher struct{ rooms sync.Pool }

// Search renders hits in any shape (S3-R14, S1, S2). Structured is {"results","content_ladder","data"}: each hit once, in
// results, and data is the envelope without them (D4).
func (s *Searcher) Search(response *rs.Response, q SearchQuery) (Result, error) {
	room, _ := s.rooms.Get().(*searchRoom)
	if room == nil {
		room = new(searchRoom)
	}
	defer s.rooms.Put(room)
	defer room.empty()
	return room.search(response, q)
}

// A searchRoom is where the answer to a search is made. Nothing of an answer that left it is kept.
type searchRoom struct {
	hitReader
	draft draft
	cut   cutter
	rows  []byte // of evidence
}

// Room beyond these is not kept for the next search: a page of a hundred hits hardly needs as much.
const (
	mostParts = 500 // hits, excerpts, members
	mostBytes = 32 << 10
)

// empty forgets the search, so that nothing of it is kept or can be read in the next.
func (room *searchRoom) empty() {
	for i := range room.proofs {
		p := &room.proofs[i]
		p.own, p.read = emptied(p.own, mostParts), emptied(p.read, mostParts)
	}
	*room = searchRoom{
		hitReader: hitReader{
			hits: emptied(room.hits, mostParts), excerpts: emptied(room.excerpts, mostParts), own: emptied(room.own, mostParts), data: emptied(room.data, mostParts), part: emptied(room.part, mostParts),
			list: emptied(room.list, mostParts), proofs: room.proofs, passages: passageReader{marks: emptied(room.passages.marks, mostParts)},
		},
		draft: draft{passages: emptied(room.draft.passages, mostParts), filling: emptied(room.draft.filling, mostBytes)},
		cut:   cutter{clusters: clusters{runs: emptied(room.cut.clusters.runs, mostParts)}},
		rows:  emptied(room.rows, mostBytes),
	}
}

// emptied is the room of a list with nothing in it, or nil where it has room for more than most.
func emptied[T any](list []T, most int) []T {
	if cap(list) > most {
		return nil
	}
	list = list[:cap(list)]
	clear(list)
	return list[:0]
}
