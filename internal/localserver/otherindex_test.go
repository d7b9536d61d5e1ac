package localserver

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// The index of another process in the folder, or a copy of one, is not read as data: two processes would read each other's index
// endlessly, and it contains the key that signs cursors.
func TestOtherIndexesInTheFolderAreNotRead(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(at("a.csv"), []byte("title\nfog\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := func(db string) Config {
		return Config{Data: folder, DB: db, KeepTokens: true, Progress: io.Discard, Now: time.Now, Log: zerolog.Nop()}
	}
	before, err := config("").fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	start := func(db string) *Server {
		t.Helper()
		e, err := Start(t.Context(), config(db))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		return e
	}
	start(at("first.db"))
	for from, to := range map[string]string{"first.db": "copy.sqlite", "first.db.key": "copy.sqlite.key", "first.db.lock": "copy.sqlite.lock"} {
		text, err := os.ReadFile(at(from))
		if err == nil {
			err = os.WriteFile(at(to), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e := start(at("second.db"))
	if got := e.Connectors()[0].Streams; len(got) != 1 || got[0].Name != "a" {
		t.Errorf("streams %v", got)
	}
	var left []string
	for _, one := range e.LeftOut() {
		left = append(left, one.File+": "+one.Reason)
	}
	if want := []string{"copy.sqlite: an index of pdpp-mcp, not data", "first.db: an index of pdpp-mcp, not data"}; !slices.Equal(left, want) {
		t.Errorf("left out %q, want %q", left, want)
	}
	if after, err := config("").fingerprint(); err != nil || after != before {
		t.Errorf("indexes change the fingerprint of the files: %v", err)
	}
}
