package store

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Analyzing a table makes SQLite read the statistics of all tables again, so very many small tables are not analyzed one by one.
func TestSmallTablesAreNotAnalyzed(t *testing.T) {
	for count, want := range map[int]bool{fewRecords: false, fewRecords + 1: true} {
		store, err := Open(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		corpus := model.Corpus{
			Connectors: []model.Connector{{Key: "own", Connections: []model.Connection{{ID: "c"}}, Streams: []model.Stream{{Name: "notes"}}}},
			Records: func(yield func(model.Record, error) bool) {
				for at := range count {
					if !yield(model.Record{ConnectionID: "c", Stream: "notes", ID: fmt.Sprint(at), Data: json.RawMessage("{}")}, nil) {
						return
					}
				}
			},
		}
		if err := store.Load(t.Context(), corpus, "notes", nil); err != nil {
			t.Fatal(err)
		}
		if is, err := hasTable(t.Context(), store.db, "sqlite_stat1"); is != want || err != nil {
			t.Errorf("of %d records: %v, %v; want %v", count, is, err, want)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
