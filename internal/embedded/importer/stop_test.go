package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// Canceling the context stops reading within one record of a long file, and no later file is read.
func TestReadingEndsInsideARecord(t *testing.T) {
	long := strings.Repeat("word ", 2<<20)
	for name, text := range map[string]string{
		"a.md": long, "a.jsonl": `{"a":"` + long + `"}`, "a.json": `[{"a":"` + long + `"}]`, "a.csv": "a\n\"" + long + "\"\n", "a.html": long,
		"a.eml": "From: a@example.com\n\n" + long, "a.vcf": "BEGIN:VCARD\nNOTE:" + long, "a.ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:" + long,
		"_chat.txt": "15/01/26, 02:15 - Ann: " + long, "a.enex": "<en-export><note><title>" + long,
	} {
		ctx, stop := context.WithCancel(t.Context())
		read := 0
		from := folder{fsys: stoppedFiles{fstest.MapFS{name: {Data: []byte(text)}, "zz.csv": {Data: []byte("n\n1\n")}}, func(bytes int) {
			if read += bytes; read > 1<<20 {
				stop()
			}
		}}, name: "own", shown: "own"}
		if _, err := from.open(ctx, nil, Watch{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if read > 2<<20 {
			t.Errorf("%s: %d bytes were read", name, read)
		}
		stop()
	}
}

// Canceling the context stops listing a folder of many files.
func TestListingEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	files, opened := fstest.MapFS{}, 0
	for at := range 100 {
		files[fmt.Sprintf("%02d", at)] = &fstest.MapFile{Data: []byte("{}\n")}
	}
	from := folder{fsys: stoppedFiles{files, func(int) { opened++; stop() }}, name: "own", shown: "own"}
	if _, err := from.open(ctx, nil, Watch{}); !errors.Is(err, context.Canceled) || opened > 10 {
		t.Errorf("%v, after %d reads", err, opened)
	}
}

// stoppedFiles report what is read from files.
type stoppedFiles struct {
	fstest.MapFS
	read func(bytes int)
}

type stoppedFile struct {
	fs.File
	read func(bytes int)
}

func (s stoppedFiles) Open(name string) (fs.File, error) {
	file, err := s.MapFS.Open(name)
	if info, infoErr := fs.Stat(s.MapFS, name); err != nil || infoErr == nil && info.IsDir() {
		return file, err
	}
	return stoppedFile{file, s.read}, err
}

func (s stoppedFile) Read(into []byte) (int, error) {
	n, err := s.File.Read(into)
	s.read(n)
	return n, err
}

func (s stoppedFile) Seek(offset int64, whence int) (int64, error) {
	return s.File.(io.Seeker).Seek(offset, whence)
}
