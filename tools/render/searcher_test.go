package render

import (
	"fmt"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The room of a search is used for the next, which may be another person's: nothing of a search is left in it.
func TestSearchRoom(t *testing.T) {
	for _, body := range append(goldenBodies(t), []byte(searchBody(25, 8)), []byte(searchBody(1000, 1))) {
		room := new(searchRoom)
		response, err := rs.ReadResponse(string(body))
		if err != nil {
			continue
		}
		if _, err := room.search(response, SearchQuery{Q: "invoice", RecordBase: base}); err != nil {
			continue
		}
		room.empty()
		assertEmpty(t, room.hits)
		assertEmpty(t, room.excerpts)
		assertEmpty(t, room.own)
		assertEmpty(t, room.data)
		assertEmpty(t, room.part)
		assertEmpty(t, room.list)
		assertEmpty(t, room.passages.marks)
		assertEmpty(t, room.draft.passages)
		assertEmpty(t, room.draft.filling)
		assertEmpty(t, room.cut.clusters.runs)
		assertEmpty(t, room.rows)
		for _, p := range room.proofs {
			assertEmpty(t, p.own)
			assertEmpty(t, p.read)
		}
		if room.q.Q != "" || room.passages.texts.b.Len() > 0 || room.draft.json != nil || room.cut.clusters.plain != "" {
			t.Error("a text of a search is left")
		}
	}
}

func assertEmpty[T any](t *testing.T, list []T) {
	t.Helper()
	if len(list) > 0 || fmt.Sprintf("%+v", list[:cap(list)]) != fmt.Sprintf("%+v", make([]T, cap(list))) {
		t.Errorf("of a search is left: %.300v", list[:cap(list)])
	}
	if cap(list) > mostBytes {
		t.Errorf("room for %d is kept", cap(list))
	}
}
