package importer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Only what changed is read again: what a file holds decides where its time does not tell.
func TestPartsThatAreTheSameAreKnown(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.csv": "n\n1\n", "b.csv": "n\n1\n", "m/1.eml": "Subject: one\n\n", "m/2.eml": "Subject: two\n\n"})
	known := map[string]model.Part{}
	changed := func() (names []string) {
		t.Helper()
		corpus, err := Reopen(t.Context(), dir, known, Watch{})
		if err != nil {
			t.Fatal(err)
		}
		clear(known)
		for _, part := range corpus.Parts {
			known[part.Name] = part
			if !part.Same {
				names = append(names, part.Name)
			}
		}
		return names
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	later := time.Now().Add(time.Hour)
	for _, step := range []struct {
		name string
		act  func()
		want []string
	}{
		{"at first", func() {}, []string{"files/a", "files/b", "files/m"}},
		{"nothing", func() {}, nil},
		{"another time and the same text", func() { _ = os.Chtimes(filepath.Join(dir, "a.csv"), later, later) }, nil},
		{"the same size and time and another text", func() {
			write("new", "n\n2\n")
			_ = os.Chtimes(filepath.Join(dir, "new"), later, later)
			_ = os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "a.csv"))
		}, []string{"files/a"}},
		{"one letter of a folder", func() { write("m/2.eml", "Subject: 2\n\n") }, []string{"files/m"}},
		{"a letter more", func() { write("m/3.eml", "Subject: 3\n\n") }, []string{"files/m"}},
		{"a letter less", func() { _ = os.Remove(filepath.Join(dir, "m/1.eml")) }, []string{"files/m"}},
		{"what the manifest says of a stream", func() { write("manifest.json", `{"streams":{"b":{"types":{"n":"string"}}}}`) }, []string{"files/b"}},
	} {
		step.act()
		if got := changed(); !slices.Equal(got, step.want) {
			t.Errorf("%s: %v is read, want %v", step.name, got, step.want)
		}
	}
	corpus, err := Reopen(t.Context(), dir, known, Watch{})
	if err != nil {
		t.Fatal(err)
	}
	if records := collectRecords(t, corpus); len(records) != 4 {
		t.Errorf("a part that is the same has its records all the same: %v", records)
	}
}
