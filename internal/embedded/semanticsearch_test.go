package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// recordsRead is the number of records that are read at a time to make their vectors.
const recordsRead = 64

var errStopped = errors.New("stopped")

// run indexes until all records have vectors, or the endpoint fails.
func run(t *testing.T, e *semantic.Index) {
	t.Helper()
	e.Wait = func(context.Context, time.Duration) error { return errStopped }
	if err := e.Run(t.Context(), func(semantic.Progress) {}); err != nil && !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
}

func noteCorpus(texts ...string) model.Corpus {
	return model.Corpus{Connectors: testConnectors(), Records: func(yield func(model.Record, error) bool) {
		for i, text := range texts {
			id := fmt.Sprintf("n%d", i)
			data, err := json.Marshal(map[string]string{"id": id, "text": text})
			if !yield(model.Record{ConnectionID: "cin_notes_a", Stream: "notes", ID: id, EmittedAt: testNow, Data: data}, err) {
				return
			}
		}
	}}
}

func loadedStore(t *testing.T, path string, corpus model.Corpus) *store.Store {
	t.Helper()
	store, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.Load(t.Context(), corpus, "test", nil); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestSemanticSearch(t *testing.T) {
	long := strings.Repeat(
		"nothing of interest happened on that day. ",
		60,
	) + "The automobile broke down." + strings.Repeat(
		" And so on.",
		200,
	)
	store := loadedStore(
		t,
		"",
		noteCorpus("The dentist moved my appointment.", "Bread, milk and eggs", long, "My tooth hurts", "The boat is blue"),
	)
	m := newTestModel(t)
	e := m.embeddings(t, store, "words")
	run(t, e)
	r := newRigOver(t, store, Options{Embeddings: e})
	if got := e.Progress(); !got.Complete || got.Done != 5 || got.Records != 5 {
		t.Errorf("progress %+v", got)
	}
	t.Run("a synonym is found, and the answer is complete", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/search/semantic?q=teeth+dentist&limit=2")
		if diff := cmp.Diff([]string{"n3", "n0"}, got.ids("record_key")); diff != "" {
			t.Errorf("hits (-want +got):\n%s\n%s", diff, got.text)
		}
		hit := map[string]any{}
		for _, name := range []string{"retrieval_mode", "matched_fields", "snippet", "match"} {
			hit[name] = got.at("data", 0, name)
		}
		want := map[string]any{
			"retrieval_mode": "semantic",
			"matched_fields": []any{"text"},
			"snippet":        map[string]any{"field": "text", "text": "My tooth hurts"},
			"match":          nil,
		}
		if diff := cmp.Diff(want, hit); diff != "" {
			t.Errorf("hit (-want +got):\n%s", diff)
		}
		if got.at("meta", "recall", "complete") != true || got.at("meta", "count", "kind") != "none" ||
			got.at("data", 0, "score", "kind") != "semantic_distance" {
			t.Errorf("answer: %s", got.text)
		}
	})
	t.Run("the excerpt is the part of a long text that is nearest", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/search/semantic?q=vehicle&limit=1")
		start, _ := got.at("data", 0, "evidence_excerpts", 0, "start_chars").(float64)
		shown := text(got.at("data", 0, "snippet", "text"))
		if got.at("data", 0, "record_key") != "n2" || start < 1000 || !strings.HasPrefix(long[int(start):], strings.TrimSuffix(shown, "…")) {
			t.Errorf("from %v: %s", start, got.text)
		}
	})
	t.Run("its pages have every record once", func(t *testing.T) {
		ids := r.walkPages("tok-client", "/v1/search/semantic?q=blue+boat&limit=2", "record_key")
		slices.Sort(ids[1:])
		if diff := cmp.Diff([]string{"n4", "n0", "n1", "n2", "n3"}, ids); diff != "" {
			t.Errorf("hits (-want +got):\n%s", diff)
		}
	})
	t.Run("hybrid search returns matches of words and similar texts", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/search/hybrid?q=dentist&limit=2")
		if diff := cmp.Diff([]string{"n0", "n3"}, got.ids("record_key")); diff != "" {
			t.Errorf("hits (-want +got):\n%s\n%s", diff, got.text)
		}
		if diff := cmp.Diff([]any{"lexical", "semantic"}, got.at("data", 0, "retrieval_sources")); diff != "" ||
			!strings.Contains(text(got.at("data", 0, "snippet", "text")), "<mark>dentist</mark>") {
			t.Errorf("sources (-want +got):\n%s\n%s", diff, got.text)
		}
		if got.at("has_more") != true || got.at("data", 1, "retrieval_mode") != "hybrid" ||
			got.at("data", 1, "scores", "semantic", "kind") != "semantic_distance" {
			t.Errorf("answer: %s", got.text)
		}
	})
	t.Run("hybrid search has no cursor", func(t *testing.T) {
		if got := r.get("tok-client", "/v1/search/hybrid?q=a&cursor=x"); got.status != 400 || got.code() != "invalid_request" ||
			got.at("error", "param") != "cursor" {
			t.Errorf("answer: %s", got.text)
		}
	})
	t.Run("a search without a mode is as before", func(t *testing.T) {
		plain := newRigOver(t, store, Options{})
		for _, target := range []string{"/v1/search?q=dentist", "/v1/search?q=teeth"} {
			a, b := plain.ok("tok-client", target), r.ok("tok-client", target)
			if diff := cmp.Diff(a.body, b.body); diff != "" {
				t.Errorf("%s (-without +with embeddings):\n%s", target, diff)
			}
		}
	})
	t.Run("the schema has the search mode", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/schema?view=compact&stream=notes").text
		full := r.ok("tok-client", "/v1/schema?stream=notes").text
		if !strings.Contains(got, "lex,sem") || !strings.Contains(full, `"semantic_search":{"declared":true,"usable":true}`) || !strings.Contains(full, `"semantic_fields":["text"]`) {
			t.Errorf("schema: %s\n%s", got, full)
		}
	})
	t.Run("without the endpoint only search by meaning fails", func(t *testing.T) {
		m.set(func() { m.failFrom = 1 })
		for _, mode := range []string{"semantic", "hybrid"} {
			if got := r.get("tok-client", "/v1/search/"+mode+"?q=dentist"); got.status != 503 || got.code() != "embeddings_unavailable" ||
				strings.Contains(got.text, "memory") {
				t.Errorf("answer: %s", got.text)
			}
		}
		r.ok("tok-client", "/v1/search?q=dentist")
	})
}

// TestSemanticSearchKeepsTheGrant searches for text in fields and records that are not granted.
func TestSemanticSearchKeepsTheGrant(t *testing.T) {
	store := loadedStore(t, "", testCorpus())
	e := newTestModel(t).embeddings(t, store, "words")
	run(t, e)
	r := newRigOver(t, store, Options{Embeddings: e})
	r.grants.Put("tok-subject", authority.Grant{ID: "grt_subject", Kind: authority.KindClient, Streams: []authority.StreamGrant{
		{ConnectorKey: "mail", Stream: "messages", ConnectionIDs: []string{"cin_mail_work"}, Fields: []string{"id", "subject"}, Since: messageTime(50)},
	}})
	for _, mode := range []string{"semantic", "hybrid"} {
		got := r.ok("tok-subject", "/v1/search/"+mode+"?q=secretword+京都&limit=100")
		if strings.Contains(strings.ReplaceAll(got.text, escapedSelf("/v1/search/"+mode+"?q=secretword+京都&limit=100"), ""), "secretword ") || strings.Contains(got.text, `"cin_mail_home"`) {
			t.Errorf("%s: %s", mode, got.text)
		}
		for _, item := range got.list("data") {
			if id := text(walk(item, "record_key")); id < "w-050" {
				t.Errorf("%s finds %s", mode, id)
			}
			if fields, _ := walk(item, "matched_fields").([]any); !slices.Equal(fields, []any{"subject"}) {
				t.Errorf("%s finds by %v", mode, fields)
			}
		}
	}
}

func TestIndexingByMeaningContinues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	texts := make([]string, 3*recordsRead+5)
	for i := range texts {
		texts[i] = fmt.Sprintf("note %d", i)
	}
	loaded := loadedStore(t, path, noteCorpus(texts...))
	m := newTestModel(t)
	m.set(func() { m.failFrom = recordsRead + 20 })
	e := m.embeddings(t, loaded, "words")
	run(t, e)
	r := newRigOver(t, loaded, Options{Embeddings: e})
	t.Run("indexed texts are searched, and the answer says that it is partial", func(t *testing.T) {
		m.set(func() { m.failFrom = 0 })
		got := r.ok("tok-client", "/v1/search/semantic?q=note&limit=100")
		if len(got.list("data")) != recordsRead || got.at("meta", "recall", "complete") != false || got.at("meta", "warnings", 0, "code") != "embeddings_incomplete" ||
			got.at("meta", "warnings", 0, "detail", "records_with_vectors") != float64(recordsRead) ||
			got.at("meta", "warnings", 0, "detail", "records") != float64(len(texts)) {
			t.Errorf("%d hits: %v", len(got.list("data")), got.at("meta"))
		}
		if !strings.Contains(text(got.at("meta", "warnings", 0, "message")), "fails") {
			t.Errorf("warning: %v", got.at("meta", "warnings", 0))
		}
	})
	for _, test := range []struct {
		name, model string
		dimension   int
		asked       int
	}{
		{"the next start continues where the last one ended", "words", 256, 1 + len(texts) - recordsRead},
		{"the next start finds everything there", "words", 256, 1},
		{"another model rebuilds the index", "others", 256, 1 + len(texts)},
		{"another dimension rebuilds the index", "others", 512, 1 + len(texts)},
	} {
		t.Run(test.name, func(t *testing.T) {
			m.set(func() { m.dimension = test.dimension })
			m.asked()
			reopened, err := store.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = reopened.Close() }()
			e := m.embeddings(t, reopened, test.model)
			run(t, e)
			if asked := m.asked(); asked != test.asked || !e.Progress().Complete || e.Progress().Done != len(texts) {
				t.Errorf("%d texts were requested, want %d; progress %+v", asked, test.asked, e.Progress())
			}
			r := newRigOver(t, reopened, Options{Embeddings: e})
			if got := r.ok("tok-client", "/v1/search/semantic?q=17&limit=1"); got.at("data", 0, "record_key") != "n17" ||
				got.at("meta", "recall", "complete") != true {
				t.Errorf("answer: %s", got.text)
			}
		})
	}
	t.Run("a failing endpoint is tried again with growing pauses", func(t *testing.T) {
		m := newTestModel(t)
		m.set(func() { m.failFrom = recordsRead })
		e := m.embeddings(t, loadedStore(t, "", noteCorpus(texts...)), "words")
		var gaps []time.Duration
		e.Wait = func(_ context.Context, gap time.Duration) error {
			if gaps = append(gaps, gap); len(gaps) == 8 {
				m.set(func() { m.failFrom = 0 })
			}
			return nil
		}
		var failures int
		if err := e.Run(t.Context(), func(p semantic.Progress) {
			if p.Err != nil {
				failures++
			}
		}); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}
		for i := range want {
			want[i] *= time.Second
		}
		if diff := cmp.Diff(want, gaps); diff != "" || failures != 8 || !e.Progress().Complete {
			t.Errorf("%d failures, gaps (-want +got):\n%s", failures, diff)
		}
	})
}

func TestVectorsOfOtherTextsAreNotKept(t *testing.T) {
	m := newTestModel(t)
	store := loadedStore(t, "", noteCorpus("the boat is blue", "my tooth hurts"))
	run(t, m.embeddings(t, store, "words"))
	if err := store.Load(t.Context(), noteCorpus("bread", "milk", "eggs"), "changed", nil); err != nil {
		t.Fatal(err)
	}
	m.asked()
	e := m.embeddings(t, store, "words")
	run(t, e)
	got := newRigOver(t, store, Options{Embeddings: e}).ok("tok-client", "/v1/search/semantic?q=milk")
	if asked := m.asked(); asked != 1+3+1 || len(got.list("data")) != 3 || got.at("data", 0, "record_key") != "n1" {
		t.Errorf("%d texts were requested: %s", asked, got.text)
	}
}

func TestAnEndpointThatChangesItsDimensionHalfway(t *testing.T) {
	m := newTestModel(t)
	texts := make([]string, 2*recordsRead)
	for i := range texts {
		texts[i] = fmt.Sprintf("note %d", i)
	}
	loaded := loadedStore(t, "", noteCorpus(texts...))
	e := m.embeddings(t, loaded, "words")
	waits := 0
	e.Wait = func(context.Context, time.Duration) error { waits++; return nil }
	err := e.Run(t.Context(), func(p semantic.Progress) {
		if p.Done == recordsRead && waits == 0 {
			m.set(func() { m.dimension = 300 })
		}
	})
	if err != nil || waits != 1 || !e.Progress().Complete || e.Progress().Done != len(texts) {
		t.Errorf("after %d failures: %+v, %v", waits, e.Progress(), err)
	}
	newRigOver(t, loaded, Options{Embeddings: e}).ok("tok-client", "/v1/search/semantic?q=17") // a query of the new dimension
}
