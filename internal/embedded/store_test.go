package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

func TestStoreReopens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a store #1?.db")
	first, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := first.Loaded(); ok {
		t.Error("a new store reports that it is loaded")
	}
	if err := first.Load(t.Context(), testCorpus(), "corpus 1", nil); err != nil {
		t.Fatal(err)
	}
	targets := []string{
		"/v1/schema", "/v1/streams", "/v1/streams/messages/records?connection_id=cin_mail_work&limit=5", "/v1/search?q=invoice",
		"/v1/streams/messages/aggregate?metric=count&group_by=is_seen", "/v1/streams/messages/records?changes_since=beginning&limit=2",
	}
	before := map[string]string{}
	r := newRigOver(t, first, Options{})
	for _, target := range targets {
		before[target] = r.ok("tok-client", target).text
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	}()
	if fingerprint, ok := second.Loaded(); !ok || fingerprint != "corpus 1" {
		t.Errorf("fingerprint %q, %v", fingerprint, ok)
	}
	r = newRigOver(t, second, Options{})
	for _, target := range targets {
		// Cursors must be the same too: a bookmark outlives the process.
		if diff := cmp.Diff(before[target], r.ok("tok-client", target).text); diff != "" {
			t.Errorf("%s (-before +after):\n%s", target, diff)
		}
	}
}

// A damaged index has its own error code and a message that says what to do, even if the damage is found only when records are read.
func TestADamagedIndexIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	index, err := store.Open(t.Context(), path)
	if err == nil {
		err = index.Load(t.Context(), testCorpus(), "test", nil)
	}
	if err == nil {
		err = index.Close() // writes the content of the log into the file
	}
	if err != nil {
		t.Fatal(err)
	}
	if index, err = store.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	whole, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, slices.Concat(whole[:4096], bytes.Repeat([]byte("Z"), len(whole)-4096)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := newRigOver(t, index, Options{}).get("tok-client", "/v1/streams/messages/records?connection_id=cin_mail_work")
	if got.status != 500 || got.code() != "index_damaged" || !strings.Contains(got.text, "index.db") || !strings.Contains(got.text, "Delete it") {
		t.Errorf("status %d: %s", got.status, got.text)
	}
	if failed, ok := errors.AsType[*store.IndexError](index.Load(t.Context(), testCorpus(), "again", nil)); !ok || !failed.Damaged {
		t.Errorf("a load into it: %v", failed)
	}
}

// Cursors of public data are valid in every process, so that a cursor printed by one command can be used in the next. Every other corpus
// has different cursors in each index.
func TestCursorsOfPublicDataAreValidInEveryStore(t *testing.T) {
	for _, public := range []bool{true, false} {
		pages := map[string]string{}
		for range 2 {
			index, err := store.Open(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			corpus := testCorpus()
			corpus.Public = public
			if err := index.Load(t.Context(), corpus, "sample", nil); err != nil {
				t.Fatal(err)
			}
			r := newRigOver(t, index, Options{})
			for _, target := range []string{"/v1/streams/messages/records?connection_id=cin_mail_work&limit=2", "/v1/search?q=invoice&limit=1"} {
				first := r.ok("tok-client", target)
				cursor, _ := first.body["next_cursor"].(string)
				if before := pages[target]; cursor == "" || before != "" && (before == cursor) != public {
					t.Errorf("public %t, %s: cursor %q, before %q", public, target, cursor, before)
				}
				pages[target] = cursor
			}
			if err := index.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestLoad(t *testing.T) {
	const batchSize = 25_000 // the number of records stored at a time
	record := func(id, text string) model.Record {
		data, err := json.Marshal(map[string]string{"id": id, "text": text})
		if err != nil {
			t.Fatal(err)
		}
		return model.Record{ConnectionID: "cin_notes_a", Stream: "notes", ID: id, EmittedAt: testNow, Data: data}
	}
	corpus := func(records []model.Record, end error) model.Corpus {
		return model.Corpus{Connectors: testConnectors(), Records: func(yield func(model.Record, error) bool) {
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
			if end != nil {
				yield(model.Record{}, end)
			}
		}}
	}
	store, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	t.Run("a record that is emitted again replaces the earlier one, in search too", func(t *testing.T) {
		if err := store.Load(t.Context(), corpus([]model.Record{record("n", "old words"), record("n", "new words")}, nil), "a", nil); err != nil {
			t.Fatal(err)
		}
		r := newRigOver(t, store, Options{})
		if got := r.ok("tok-client", "/v1/streams/notes/records"); len(got.list("data")) != 1 ||
			got.at("data", 0, "data", "text") != "new words" {
			t.Errorf("records: %s", got.text)
		}
		if got := r.ok("tok-client", "/v1/search?q=old"); len(got.list("data")) != 0 {
			t.Errorf("search: %s", got.text)
		}
	})
	t.Run("a new load replaces everything and reports its progress", func(t *testing.T) {
		var progress []int
		many := make([]model.Record, batchSize+1)
		for i := range many {
			many[i] = record(fmt.Sprint(i), "text")
		}
		if err := store.Load(t.Context(), corpus(many, nil), "b", func(n int) { progress = append(progress, n) }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{batchSize, batchSize + 1}, progress); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
		got := newRigOver(t, store, Options{}).ok("tok-client", "/v1/streams/notes/records?count=exact&connection_id=cin_notes_a")
		if count := got.at("meta", "count", "value"); count != float64(batchSize+1) {
			t.Errorf("count %v", count)
		}
	})
	for _, test := range []struct {
		name   string
		corpus model.Corpus
		want   string
	}{
		{"an error of the corpus ends the load", corpus(nil, errors.New("line 7 is broken")), "line 7 is broken"},
		{"a record of an unknown connection is refused", corpus([]model.Record{{ConnectionID: "cin_x", Stream: "notes", ID: "1", Data: json.RawMessage("{}")}}, nil), "cin_x"},
		{"a record that is not an object is refused", corpus([]model.Record{{ConnectionID: "cin_notes_a", Stream: "notes", ID: "1", Data: json.RawMessage("[]")}}, nil), "notes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := store.Load(t.Context(), test.corpus, "c", nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v; want %q", err, test.want)
			}
			if _, ok := store.Loaded(); ok {
				t.Error("the store reports that it is loaded")
			}
		})
	}
}

func TestReadsRunTogether(t *testing.T) {
	r := newRig(t)
	targets := []string{
		"/v1/schema", "/v1/streams", "/v1/streams/messages/records?expand=attachments", "/v1/search?q=invoice",
		"/v1/streams/messages/aggregate?metric=count&group_by_time=received_at&granularity=week",
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, target := range targets {
				if got := r.get("tok-client", target); got.status != 200 {
					t.Errorf("GET %s: status %d: %s", target, got.status, got.text)
				}
			}
		})
	}
	group.Wait()
}

func TestBookmarks(t *testing.T) {
	now := testNow
	r := newRigWith(t, Options{Now: func() time.Time { return now }})
	const query = "/v1/streams/messages/records?connection_id=cin_mail_work"
	bookmark := text(r.ok("tok-client", query+"&changes_since=beginning&limit=100").at("next_changes_since"))
	t.Run("after the last page there is nothing new", func(t *testing.T) {
		got := r.ok("tok-client", query+"&changes_since="+bookmark)
		if len(got.list("data")) != 0 || got.at("has_more") != false || got.at("next_changes_since") == nil {
			t.Errorf("answer: %s", got.text)
		}
	})
	t.Run("a bookmark may be used with other fields", func(t *testing.T) {
		r.ok("tok-client", query+"&fields=subject&changes_since="+bookmark)
	})
	t.Run("a bookmark of another connection is refused", func(t *testing.T) {
		if got := r.get("tok-client", "/v1/streams/messages/records?connection_id=cin_mail_home&changes_since="+bookmark); got.code() != "invalid_cursor" {
			t.Errorf("answer: %s", got.text)
		}
	})
	t.Run("a bookmark that is too old is refused", func(t *testing.T) {
		now = testNow.Add(bookmarkLife + time.Hour)
		if got := r.get("tok-client", query+"&changes_since="+bookmark); got.status != 410 || got.code() != "cursor_expired" {
			t.Errorf("status %d: %s", got.status, got.text)
		}
	})
}
