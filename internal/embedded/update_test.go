package embedded

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

var someWords = strings.Fields("harbour lantern harbors letter window river Grüße garden tickets ticket train 1,5 2026-03-01 yes")

// A changingFolder is a folder of files that change at random.
type changingFolder struct {
	dir    string
	random *rand.Rand
}

func (f changingFolder) words(count int) string {
	var text []string
	for range count {
		text = append(text, someWords[f.random.IntN(len(someWords))])
	}
	return strings.Join(text, " ")
}

// file returns the text of a file of some kind. Ids collide within and across files, columns change their types, and threads span files.
func (f changingFolder) file(name string) string {
	var text strings.Builder
	day := func() string { return fmt.Sprintf("2026-0%d-1%d", 1+f.random.IntN(9), f.random.IntN(10)) }
	switch filepath.Ext(name) {
	case ".csv":
		text.WriteString("id,when,amount,note\n")
		for range f.random.IntN(5) {
			fmt.Fprintf(&text, "%d,%s,%s,\"%s\"\n", f.random.IntN(4), day(), []string{"1", "2.5", "x", "7"}[f.random.IntN(4)], f.words(3))
		}
		if f.random.IntN(3) == 0 {
			text.WriteString("too,few\n")
		}
	case ".jsonl":
		for range f.random.IntN(5) {
			fmt.Fprintf(&text, `{"id":%d,"thread_id":"t%d","author":"%s","text":"%s","sent_at":"%sT10:00:00Z"}`+"\n", f.random.IntN(5), f.random.IntN(2), f.words(1), f.words(4), day())
		}
		if f.random.IntN(3) == 0 {
			text.WriteString("no JSON\n")
		}
	case ".json":
		fmt.Fprintf(&text, `{"items":[{"title":"%s","loan":%d},{"title":"%s"}]}`, f.words(2), f.random.IntN(3), f.words(2))
	case ".ics":
		fmt.Fprintf(
			&text,
			"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:%d\nDTSTART:20260%d01T100000Z\nSUMMARY:%s\nEND:VEVENT\nEND:VCALENDAR\n",
			f.random.IntN(3),
			1+f.random.IntN(9),
			f.words(2),
		)
	case ".mbox":
		for range 1 + f.random.IntN(4) {
			text.WriteString("From a@x Mon Mar 02 10:00:00 2026\n" + f.message() + "\n")
		}
	case ".eml":
		text.WriteString(f.message())
	default:
		text.WriteString(f.words(5))
	}
	return text.String()
}

func (f changingFolder) message() string {
	return fmt.Sprintf("Message-ID: <m%d@x>\nReferences: <m%d@x>\nSubject: %s\nFrom: Ann <a@x>\nDate: Mon, %d Mar 2026 10:00:00 +0000\n"+
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\n%s\n--b\nContent-Disposition: attachment; filename=%d.txt\n\n%s\n--b--\n",
		f.random.IntN(6), f.random.IntN(3), f.words(2), 1+f.random.IntN(28), f.words(6), f.random.IntN(3), f.words(1))
}

// change adds, changes, touches or removes a file.
func (f changingFolder) change(t *testing.T) string {
	t.Helper()
	names := []string{
		"a.csv",
		"b.csv",
		"a.jsonl",
		"sub/chat.jsonl",
		"loans.json",
		"days.ics",
		"mail.mbox",
		"in/1.eml",
		"in/2.eml",
		"in/3.eml",
		"in/deep/4.eml",
		"readme.txt",
		"manifest.json",
	}
	name := names[f.random.IntN(len(names))]
	path := filepath.Join(f.dir, name)
	var err error
	switch act := f.random.IntN(6); {
	case act == 0:
		_ = os.Remove(path)
		return "remove " + name
	case act == 1:
		_ = os.Chtimes(path, time.Time{}, time.Unix(f.random.Int64N(1e9), 0))
		return "touch " + name
	case name == "manifest.json":
		err = os.WriteFile(path, []byte([]string{
			`{"display_name":"Mine"}`, `{"streams":{"zz":{"types":{"text":"text"}}}}`,
			`{"streams":{"zz":{"relations":[{"name":"keeps","stream":"zz","foreign_key":"of","cardinality":"has_many"}]}}}`, `{"version":1}`,
		}[f.random.IntN(4)]), 0o600)
	default:
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, []byte(f.file(name)), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return "write " + name
}

// answers returns the answers of the resource server for a store, without cursors and the time of reading.
func answers(t *testing.T, of *store.Store) map[string]any {
	t.Helper()
	of.Catalog().ReadAt = nil
	r := newRigOver(t, of, Options{})
	all := map[string]any{}
	ask := func(target string) {
		got := r.ok("tok-owner", target)
		all[target] = got.body
	}
	ask("/v1/schema")
	ask("/v1/schema?view=compact")
	ask("/v1/streams")
	for _, table := range of.Catalog().Tables {
		at := "/v1/streams/" + table.Stream.Name
		ask(at + "/records?limit=100&count=exact")
		ask(at + "/records?limit=100&order=asc")
		ask(at + "/aggregate?metric=count")
		for _, relation := range table.Stream.Relations {
			ask(at + "/records?limit=100&expand=" + relation.Name)
		}
		for _, field := range table.Stream.Fields {
			for _, one := range field.Aggregations {
				switch one {
				case "group_by":
					ask(at + "/aggregate?metric=count&group_by=" + field.Name)
				case "sum", "min", "max":
					ask(at + "/aggregate?metric=" + one + "&field=" + field.Name)
				}
			}
		}
	}
	for _, query := range []string{"harbour", "ticket lantern", "harbur", `"letter window"`, "grusse", "ann", "yes -river", "txt"} {
		ask("/v1/search?limit=100&q=" + url.QueryEscape(query))
	}
	return all
}

// After any changes to a folder, an updated index answers like a new one.
func TestAnUpdatedIndexIsLikeANewOne(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f := changingFolder{dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 1))} // #nosec G404 -- a repeatable test
			if err := os.WriteFile(filepath.Join(f.dir, "zz.jsonl"), []byte(`{"id":1,"of":1,"text":"harbour lights"}`+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			path := ""
			if seed%2 == 0 {
				path = filepath.Join(t.TempDir(), "index.db")
			}
			read := func(known map[string]model.Part) (model.Corpus, error) {
				return importer.Open(t.Context(), f.dir, known, importer.Watch{})
			}
			corpus, err := read(nil)
			if err != nil {
				t.Fatal(err)
			}
			index := loadedStore(t, path, corpus)
			var done []string
			for step := range 8 {
				for range 1 + f.random.IntN(4) {
					done = append(done, f.change(t))
				}
				if corpus, err = read(nil); err != nil {
					t.Fatal(err)
				}
				if step%5 == 4 { // a start that continues an interrupted one
					known, err := index.Known(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					half, err := read(known)
					if err == nil {
						err = index.Load(t.Context(), half, fmt.Sprint(step), nil)
					}
					if err != nil {
						t.Fatalf("%v: %v", done, err)
					}
				} else if err := index.Update(t.Context(), read, fmt.Sprint(step), nil); err != nil {
					t.Fatalf("%v: %v", done, err)
				}
				fresh := loadedStore(t, "", corpus)
				if diff := cmp.Diff(answers(t, fresh), answers(t, index)); diff != "" {
					t.Fatalf("after %v (-new +updated):\n%s", done, diff)
				}
				_ = fresh.Close()
			}
		})
	}
}

// The cursor of a list or of a search continues if its stream has not changed, and is otherwise refused with a clear message.
func TestCursorsOfAnUpdatedIndex(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(known map[string]model.Part) (model.Corpus, error) {
		return importer.Open(t.Context(), dir, known, importer.Watch{})
	}
	write("same.csv", "id,title\n1,fog\n2,fog\n3,fog\n")
	write("other.csv", "id,title\n1,fog\n2,fog\n")
	corpus, err := read(nil)
	if err != nil {
		t.Fatal(err)
	}
	index := loadedStore(t, "", corpus)
	r := newRigOver(t, index, Options{Pending: func() string { return "files change" }})
	next := map[string]string{}
	for _, target := range []string{"/v1/streams/same/records?limit=1", "/v1/streams/other/records?limit=1", "/v1/search?q=fog&limit=1"} {
		next[target] = target + "&cursor=" + url.QueryEscape(text(r.ok("tok-owner", target).at("next_cursor")))
	}
	for _, target := range []string{"/v1/schema", "/v1/streams", "/v1/streams/same/records", "/v1/search?q=fog", "/v1/streams/same/aggregate?metric=count"} {
		if got := r.ok("tok-owner", target); got.at("meta", "warnings", 0, "code") != "still_reading" {
			t.Errorf("%s does not warn: %s", target, got.text)
		}
	}
	write("other.csv", "id,title\n1,fog\n2,rain\n3,fog\n")
	if err := index.Update(t.Context(), read, "2", nil); err != nil {
		t.Fatal(err)
	}
	if got := r.ok("tok-owner", next["/v1/streams/same/records?limit=1"]); got.at("data", 0, "id") != "2" {
		t.Errorf("a stream that is the same: %s", got.text)
	}
	for _, target := range []string{"/v1/streams/other/records?limit=1", "/v1/search?q=fog&limit=1"} {
		if got := r.get("tok-owner", next[target]); got.status != 400 || !strings.Contains(got.text, "The files have changed") {
			t.Errorf("%s: %d %s", target, got.status, got.text)
		}
	}
}

// Files that were completely read before a load was interrupted are not read again.
func TestALoadContinuesWhereItWasInterrupted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte("id,title\n1,harbour "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := importer.Open(t.Context(), dir, nil, importer.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index.db")
	index, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	broken := whole
	broken.Parts = slices.Clone(whole.Parts)
	last := broken.Parts[2].Records
	broken.Parts[2].Records = func(yield func(model.Record, error) bool) {
		for record := range last {
			yield(record, nil)
		}
		yield(model.Record{}, context.Canceled)
	}
	if err := index.Load(t.Context(), broken, "1", nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	if index, err = store.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	known, err := index.Known(t.Context())
	if err != nil || len(known) != 2 {
		t.Errorf("%d parts are kept (%v)", len(known), err)
	}
	rest, err := importer.Open(t.Context(), dir, known, importer.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	loaded := 0
	if err := index.Load(t.Context(), rest, "1", func(n int) { loaded = n }); err != nil || loaded != 1 {
		t.Errorf("%d records are read again (%v)", loaded, err)
	}
	if diff := cmp.Diff(answers(t, loadedStore(t, "", whole)), answers(t, index)); diff != "" {
		t.Errorf("(-at once +in two steps)\n%s", diff)
	}
}
