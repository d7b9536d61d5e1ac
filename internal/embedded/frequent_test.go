package embedded

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// TestFrequentWords compares answers from the places that are stored for frequent words with answers from FTS5 alone.
func TestFrequentWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	store, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	bytes := 0
	if err := store.Load(t.Context(), benchCorpus(2000, &bytes), "frequent", nil); err != nil {
		t.Fatal(err)
	}
	r := newRigOver(t, store, Options{})
	r.grants.Put("tok-text", authority.Grant{ID: "grt_text", Kind: authority.KindClient, Streams: []authority.StreamGrant{
		{ConnectorKey: "chat", Stream: "messages", ConnectionIDs: []string{"cin_chat"}, Fields: []string{"id", "text"}},
	}})
	answers := func() map[string]any {
		all := map[string]any{}
		for _, token := range []string{"tok-owner", "tok-text"} {
			for _, query := range []string{"often", "often common seldom", "person1 often", "w0 w1 hardly", `"often" common`, "often -common", "w0 w1 w2 w3", "person1"} {
				got := r.ok(token, "/v1/search?limit=100&q="+url.QueryEscape(query))
				all[token+" "+query+" hits"], all[token+" "+query+" meta"] = got.at("data"), got.at("meta")
			}
		}
		return all
	}
	stored := answers()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	result, err := db.Exec("DELETE FROM search_frequent")
	if err != nil {
		t.Fatal(err)
	}
	if deleted, err := result.RowsAffected(); err != nil || deleted < 4 {
		t.Errorf("%d words were frequent, %v", deleted, err)
	}
	if diff := cmp.Diff(answers(), stored); diff != "" {
		t.Errorf("answers (-FTS5 +stored places):\n%s", diff)
	}
}

// A word in most records must not give way to a guess at one that is in none.
func TestACommonWordFindsBesideAGuess(t *testing.T) {
	notes := []note{{ID: "guess", Text: "I shall send it."}}
	for i := range 124 {
		notes = append(notes, note{ID: fmt.Sprint("n", i), Text: "groceries and more"})
	}
	r := newNotes(t, notes)
	for _, q := range []string{"spend groceries", "groceries spend"} {
		got := r.ok("tok-owner", searchFor(q))
		if n := got.at("meta", "recall", "partial_count"); n != 124.0 || got.at("data", 0, "match") != "some" || got.at("meta", "recall", "nearest_count") != 1.0 {
			t.Errorf("%s: %v hits with some words, the first %v: %v", q, n, got.at("data", 0, "match"), got.at("meta", "recall"))
		}
	}
}
