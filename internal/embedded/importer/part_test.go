package importer

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Only changed files are read again; if the modification time cannot tell, the content is compared.
func TestUnchangedPartsAreNotReadAgain(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.csv": "n\n1\n", "b.csv": "n\n1\n", "m/1.eml": "Subject: one\n\n", "m/2.eml": "Subject: two\n\n"})
	known := map[string]model.Part{}
	changed := func() (names []string) {
		t.Helper()
		corpus, err := Open(t.Context(), dir, known, Watch{})
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
		{"the same size and time and another text in place", func() {
			text := "n\n3\n"
			if runtime.GOOS == "windows" { // Windows does not report change times
				text = "n\n33\n"
			}
			write("a.csv", text)
			_ = os.Chtimes(filepath.Join(dir, "a.csv"), later, later)
		}, []string{"files/a"}},
		{"another archive", func() { write("z.zip", zipOf(t, "c.csv", "n\n1\n")) }, []string{"files/z_c"}},
		{"an archive of the same names, sizes and times", func() { write("z.zip", zipOf(t, "c.csv", "n\n2\n")) }, []string{"files/z_c"}},
		{"an archive with the same content", func() { write("z.zip", zipOf(t, "c.csv", "n\n2\n", "d.rtf", "")) }, nil},
		{"no archive", func() { _ = os.Remove(filepath.Join(dir, "z.zip")) }, nil},
		{"one message of a folder", func() { write("m/2.eml", "Subject: 2\n\n") }, []string{"files/m"}},
		{"one more message", func() { write("m/3.eml", "Subject: 3\n\n") }, []string{"files/m"}},
		{"one message less", func() { _ = os.Remove(filepath.Join(dir, "m/1.eml")) }, []string{"files/m"}},
		{"a changed manifest", func() { write("manifest.json", `{"streams":{"b":{"types":{"n":"string"}}}}`) }, []string{"files/b"}},
	} {
		step.act()
		if got := changed(); !slices.Equal(got, step.want) {
			t.Errorf("%s: %v is read, want %v", step.name, got, step.want)
		}
	}
	corpus, err := Open(t.Context(), dir, known, Watch{})
	if err != nil {
		t.Fatal(err)
	}
	if records := collectRecords(t, corpus); len(records) != 4 {
		t.Errorf("a part that is the same has its records all the same: %v", records)
	}
}

// The known records of a file that is still being written stay unchanged, and new files wait.
func TestFilesThatAreBeingWrittenAreLeftForLater(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"a.csv": "n\n1\n", "grows.csv": "n\n1\n", "half.json": `{"x":[{"n":1}],"y":[{"n":2}]}`, "half.zip": zipOf(t, "in.csv", "n\n1\n"), "m/1.eml": "Subject: one\n\n",
	})
	known := map[string]model.Part{}
	read := func(later ...string) (streams, changed []string, skips []string) {
		t.Helper()
		corpus, err := Open(t.Context(), dir, known, Watch{Later: later, Skipped: func(s Skip) { skips = append(skips, s.String()) }})
		if err != nil {
			t.Fatal(err)
		}
		clear(known)
		for _, part := range corpus.Parts {
			known[part.Name] = part
			if !part.Same {
				changed = append(changed, part.Name)
			}
		}
		for _, stream := range corpus.Connectors[0].Streams {
			streams = append(streams, stream.Name)
		}
		slices.Sort(streams)
		return streams, changed, skips
	}
	all, _, _ := read()
	for name, text := range map[string]string{
		"a.csv": "n\n1\n2\n", "grows.csv": "n\n1\n2\n", "half.json": `{"x":[{"n":`, "half.zip": "PK", "m/2.eml": "Subject:", "new.csv": "n\n1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	streams, changed, skips := read("grows.csv", "half.json", "half.zip", "m/2.eml", "new.csv")
	if !slices.Equal(streams, all) || !slices.Equal(changed, []string{"files/a"}) {
		t.Errorf("streams %v, read %v", streams, changed)
	}
	if want := []string{"half.zip: " + stillWritten, "new.csv: " + stillWritten}; !slices.Equal(skips, want) {
		t.Errorf("skips %q; want %q", skips, want)
	}
	_ = os.Remove(filepath.Join(dir, "half.json"))
	if streams, changed, _ := read(); !slices.Equal(changed, []string{"files/grows", "files/m", "files/new"}) || !slices.Equal(streams, []string{"a", "grows", "m", "new"}) {
		t.Errorf("later: streams %v, read %v", streams, changed)
	}
}

// Finding the arrays of a JSON file requires reading all of it, so what is known of a file is used until it changes.
func TestKnownArraysAreNotSearchedAgain(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.json": `{"x":[{"n":1}],"y":[{"m":2}],"n":3}`, "b.json": `{"x":[{"n":1}]}`, "c.csv": "n\n1\n"})
	known := map[string]model.Part{}
	streams := func() (names []string) {
		t.Helper()
		corpus, err := Open(t.Context(), dir, known, Watch{})
		if err != nil {
			t.Fatal(err)
		}
		clear(known)
		for _, part := range corpus.Parts {
			part.Files = strings.ReplaceAll(part.Files, `"Name":"y"`, `"Name":"known"`)
			known[part.Name] = part
		}
		for _, stream := range corpus.Connectors[0].Streams {
			names = append(names, stream.Name)
		}
		return names
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name string
		act  func()
		want []string
	}{
		{"at first", func() {}, []string{"a_x", "a_y", "a", "b", "c"}},
		{"another file changes", func() { write("c.csv", "n\n1\n2\n") }, []string{"a_x", "a_known", "a", "b", "c"}},
		{"the file changes", func() { write("a.json", `{"x":[{"n":1}],"y":[{"m":2},{"m":3}],"n":3}`) }, []string{"a_x", "a_y", "a", "b", "c"}},
		{"a file with one array gets another", func() { write("b.json", `{"x":[{"n":1}],"z":[{"k":2}]}`) }, []string{"a_x", "a_known", "a", "b_x", "b_z", "c"}},
	} {
		step.act()
		if got := streams(); !slices.Equal(got, step.want) {
			t.Errorf("%s: streams %v, want %v", step.name, got, step.want)
		}
	}
}
