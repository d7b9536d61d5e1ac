//go:build unix

package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A closedFS is a folder in which some files cannot be opened, and one fails while it is read.
type closedFS struct {
	fs.FS
	closed, breaks string
}

func (c closedFS) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, c.closed) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	file, err := c.FS.Open(name)
	if err == nil && name == c.breaks {
		return brokenFile{file.(seekableFile)}, nil
	}
	return file, err
}

// A brokenFile returns 20 bytes before its disk fails.
type brokenFile struct{ seekableFile }

func (b brokenFile) Read(into []byte) (int, error) {
	n, _ := b.seekableFile.Read(into[:min(len(into), 20)])
	return n, errors.New("input/output error")
}

// No entry of a folder keeps the other ones from being read.
func TestABadEntryStopsNothing(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		"manifest.json": `{"name":"A web app","icons":[]}`,
		"good.csv":      "id,n\n1,1\n2,2\n", "good.mbox": messageOf("Message-ID: <a@x>", "", "a"),
		"binary.jsonl": "\x7fELF\x00\x01\x02", "secret.zip": "PK\x03\x04\x14\x00\x01\x00\x63\x00", "image.json": "\x89PNG\r\n\x1a\n\x00",
		"wrong.json": "<html>not found</html>", "wrong.ics": "<html>", "wrong.eml": "\x00\x01\x02", "half.json": `[{"n":1},{"n":2`,
		"bytes.jsonl": "{\"n\":1}\n{\"n\":\"\xff\xfe\"}\n{\"n\":3}\n", "long.csv": "n\n1\n" + strings.Repeat("x", item.MaxLine+2) + "\n3\n",
		"deep.jsonl": strings.Repeat("[", 20_000) + "\n{\"n\":1}\n", "closed.csv": "n\n1\n", "closed.mbox": messageOf("", "a"), "breaks.jsonl": "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n",
	})
	if err := errors.Join(
		os.Symlink("nowhere", filepath.Join(dir, "dangling.csv")), os.Symlink("..", filepath.Join(dir, "up")), os.Symlink("loop", filepath.Join(dir, "loop")),
		syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600), os.Mkdir(filepath.Join(dir, "closed"), 0o700), os.Mkdir(filepath.Join(dir, "folder.csv"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	var skips []Skip
	from := closedFS{FS: rootFS{root}, closed: "closed", breaks: "breaks.jsonl"}
	corpus, err := OpenFS(t.Context(), from, "mine", Watch{Skipped: func(s Skip) { skips = append(skips, s) }})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, record := range collectRecords(t, corpus) {
		counts[record.Stream]++
	}
	if diff := cmp.Diff(map[string]int{"good": 2, "good.mbox": 1, "bytes": 2, "long": 2, "deep": 1, "half": 1, "breaks": 2}, counts); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
	got := map[string]string{}
	for _, skip := range skips {
		got[skip.String()] = ""
	}
	want := map[string]string{}
	for _, one := range []string{
		"manifest.json: the manifest of another program: it names none of display_name, blobs, sorted, streams and connectors",
		"binary.jsonl: not text: it contains zero bytes", "image.json: not text: it contains zero bytes",
		"secret.zip: cannot be read: not a zip archive that can be read: zip: not a valid zip file", "wrong.json: not JSON: invalid character '<' at start of value",
		"wrong.ics: not a calendar: it does not begin with BEGIN:VCALENDAR",
		`wrong.eml: not mail: it begins neither with a line "From ADDRESS DATE" nor with a header`,
		"half.json:1: item 2 is not JSON, and it and what follows are left out: it ends too early", "bytes.jsonl:2: not valid UTF-8",
		"long.csv:3: longer than 16 MiB", "deep.jsonl:1: not JSON: invalid character '[' exceeded max depth", "closed.csv: cannot be read: permission denied",
		"closed.mbox: cannot be read: permission denied", "closed: cannot be read: permission denied", "breaks.jsonl: cannot be read on: input/output error",
		"dangling.csv: " + linkOut, "up: " + linkOut, "loop: " + linkOut, "pipe.csv: " + notRegular,
	} {
		want[one] = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}

// A file that makes the program panic, while files are listed or later, is reported, and the others are read.
func TestAPanicInOneFileStopsNothing(t *testing.T) {
	for falls := 1; falls <= 4; falls++ { // when it is recognized, compared, described and loaded
		from := &fallingFS{FS: os.DirFS(writeFolder(t, map[string]string{"bad.csv": "n\n1\n", "good.csv": "n\n2\n"})), falls: falls}
		var skips []string
		corpus, err := OpenFS(t.Context(), from, "mine", Watch{Skipped: func(s Skip) { skips = append(skips, s.String()) }})
		if err != nil {
			t.Fatal(err)
		}
		if records := collectRecords(t, corpus); len(records) == 0 || records[len(records)-1].Stream != "good" {
			t.Errorf("falling at opening %d: %v", falls, records)
		}
		if len(skips) != 1 || !strings.HasPrefix(skips[0], "bad.csv: cannot be read") {
			t.Errorf("falling at opening %d: skipped %q", falls, skips)
		}
	}
}

// A fallingFS has a file bad.csv that panics when it is read after being opened falls times.
type fallingFS struct {
	fs.FS
	falls, opened int
}

func (f *fallingFS) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err == nil && name == "bad.csv" {
		if f.opened++; f.opened >= f.falls {
			return fallingFile{file}, nil
		}
	}
	return file, err
}

type fallingFile struct{ fs.File }

func (fallingFile) Read([]byte) (int, error) { panic("it fell") }

// A file that no longer exists when its records are read is left out and reported.
func TestAFileThatIsGoneIsReported(t *testing.T) {
	dir := writeFolder(t, map[string]string{"a.jsonl": "{}", "b.jsonl": "{}"})
	var skips []Skip
	corpus, err := Open(t.Context(), dir, nil, Watch{Skipped: func(s Skip) { skips = append(skips, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a.jsonl")); err != nil {
		t.Fatal(err)
	}
	records := collectRecords(t, corpus)
	if diff := cmp.Diff([]model.Record{{ConnectionID: "cin_files", Stream: "b", ID: "1", Data: []byte("{}")}}, records); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Skip{{"a.jsonl", 0, "cannot be read: no such file or directory"}}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}
