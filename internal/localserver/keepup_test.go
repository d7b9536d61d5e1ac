package localserver

import (
	"bytes"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// A servedFolder is a folder being served, with its own clock.
type servedFolder struct {
	*testing.T
	*Server
	dir     string
	seconds atomic.Int64
}

// serveFolder serves a folder as stdio does, with an index unless db is empty.
func serveFolder(t *testing.T, dir, db string) *servedFolder {
	t.Helper()
	f := &servedFolder{T: t, dir: dir}
	now := func() time.Time { return time.Unix(1_800_000_000+f.seconds.Load(), 0) }
	var err error
	if f.Server, err = Start(t.Context(), Config{Data: dir, DB: db, Progress: io.Discard, Now: now, Log: zerolog.Nop(), InBackground: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func (f *servedFolder) write(name, text string) {
	f.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.Fatal(err)
	}
}

// ask returns the answer with the records of a stream.
func (f *servedFolder) ask(stream string) string {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/streams/"+stream+"/records", nil)
	r.Header.Set("Authorization", "Bearer "+f.Tokens.Client)
	answer := httptest.NewRecorder()
	f.ServeHTTP(answer, r)
	return answer.Body.String()
}

// later asks again after the interval between two scans.
func (f *servedFolder) later(stream string) string {
	f.seconds.Add(int64(lookEvery.Seconds()))
	return f.ask(stream)
}

// until asks until an answer contains want. Earlier answers must contain before.
func (f *servedFolder) until(stream, want, before string) {
	f.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		text := f.later(stream)
		if strings.Contains(text, want) {
			return
		}
		if !strings.Contains(text, before) {
			f.Fatalf("before %s: %s", want, text)
		}
	}
	f.Errorf("%s does not appear: %s", want, f.ask(stream))
}

// A file that changes while it is served is read again on the next request that is five seconds after the last scan; until then answers
// say so.
func TestFilesThatChangeWhileTheyAreServed(t *testing.T) {
	for name, db := range map[string]string{"in memory": "", "with an index": filepath.Join(t.TempDir(), "index.db")} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("title\nfog\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			f := serveFolder(t, dir, db)
			if text := f.ask("a"); !strings.Contains(text, "fog") {
				t.Errorf("at first: %s", text)
			}
			f.write("a.csv", "title\nrain\nhail\n")
			if text := f.ask("a"); !strings.Contains(text, "fog") {
				t.Errorf("it looks at once: %s", text)
			}
			f.until("a", "hail", `"still_reading"`)
			f.write("b.csv", "title\nsnow\n")
			f.until("b", "snow", "")
			if err := os.Remove(filepath.Join(dir, "a.csv")); err != nil {
				t.Fatal(err)
			}
			f.until("a", "context.stream_not_allowed", "rain")
			f.write("manifest.json", `{"streams":{"b":{"id_field":"none"}}}`)
			f.until("b", notReadAgain, "snow")
			f.write("manifest.json", `{}`)
			f.until("b", `"warnings":[]`, "snow")
		})
	}
}

// A request that starts a scan waits for it, even if an earlier scan left a warning.
func TestAnAnswerWaitsForItsScan(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("title\nfog\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := serveFolder(t, dir, "")
	f.ask("a")
	f.write("manifest.json", `{"streams":{"a":{"id_field":"none"}}}`)
	f.until("a", notReadAgain, "fog")
	f.write("manifest.json", `{}`)
	f.write("a.csv", "title\nrain\n")
	if text := f.later("a"); !strings.Contains(text, "rain") || !strings.Contains(text, `"warnings":[]`) {
		t.Errorf("it answers before the look that it began has ended: %s", text)
	}
}

// statements runs SQL statements in an index, as another process does.
func statements(t *testing.T, db string) func(query string, arguments ...any) {
	t.Helper()
	index, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	return func(query string, arguments ...any) {
		t.Helper()
		if _, err := index.ExecContext(t.Context(), query, arguments...); err != nil {
			t.Fatal(err)
		}
	}
}

// If records could not be stored, as on a full disk, the files are read again after a minute, although they have not changed.
func TestAFailedReadingIsRepeated(t *testing.T) {
	dir, db := t.TempDir(), filepath.Join(t.TempDir(), "index.db")
	for _, name := range []string{"a.csv", "same.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("title\nfog\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := serveFolder(t, dir, db)
	f.ask("a")
	run := statements(t, db)
	run("CREATE TRIGGER fails BEFORE INSERT ON parts BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
	f.write("a.csv", "title\nrain\n")
	f.until("a", notReadAgain, "fog")
	run("DROP TRIGGER fails")
	if text := f.later("a"); !strings.Contains(text, notReadAgain) || !strings.Contains(text, "fog") {
		t.Errorf("it is tried again at once: %s", text)
	}
	f.seconds.Add(int64(retryAfter.Seconds()))
	if text := f.ask("a"); !strings.Contains(text, "rain") || !strings.Contains(text, `"warnings":[]`) {
		t.Errorf("it is not tried again: %s", text)
	}
}

// If a folder is missing, as on a disk that is not mounted, its index is served until the folder is back.
func TestAMissingFolderIsServedFromItsIndex(t *testing.T) {
	dir, db := filepath.Join(t.TempDir(), "files"), filepath.Join(t.TempDir(), "index.db")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	before := &servedFolder{T: t, dir: dir}
	before.write("a.csv", "title\nfog\n")
	before = serveFolder(t, dir, db)
	before.ask("a")
	before.Close()
	move(dir, dir+"-away")
	f := serveFolder(t, dir, db)
	for range 2 {
		if text := f.later("a"); !strings.Contains(text, "fog") || !strings.Contains(text, cannotRead) {
			t.Errorf("the folder is away: %s", text)
		}
	}
	move(dir+"-away", dir)
	if text := f.later("a"); !strings.Contains(text, "fog") || !strings.Contains(text, `"warnings":[]`) {
		t.Errorf("the folder is back: %s", text)
	}
	move(dir, dir+"-away")
	if text := f.later("a"); !strings.Contains(text, "fog") || !strings.Contains(text, cannotRead) {
		t.Errorf("the folder is away while it is served: %s", text)
	}
	if err := os.WriteFile(dir, []byte("not a folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := f.later("a"); !strings.Contains(text, "fog") || !strings.Contains(text, notReadAgain) {
		t.Errorf("a file is in the place of the folder: %s", text)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir+"-away", dir); err != nil {
		t.Skip(err)
	}
	f.dir = dir + "-away"
	f.write("a.csv", "title\nrain\n")
	if text := f.later("a"); !strings.Contains(text, "rain") || !strings.Contains(text, `"warnings":[]`) {
		t.Errorf("a link is in the place of the folder: %s", text)
	}
}

// A file without read permission is read when it gets the permission, although nothing else of it changes.
func TestAFileThatBecomesReadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("files cannot be made unreadable")
	}
	f := &servedFolder{T: t, dir: t.TempDir()}
	f.write("a.csv", "title\nfog\n")
	f.write("b.csv", "title\nrain\n")
	if err := os.Chmod(filepath.Join(f.dir, "b.csv"), 0); err != nil {
		t.Fatal(err)
	}
	f = serveFolder(t, f.dir, "")
	if text := f.ask("b"); strings.Contains(text, "rain") {
		t.Fatal(text)
	}
	if err := os.Chmod(filepath.Join(f.dir, "b.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := f.later("b"); !strings.Contains(text, "rain") {
		t.Error(text)
	}
}

// A damaged index is reported with what to do about it. After it is deleted, the files are read again without a restart.
func TestADamagedIndex(t *testing.T) {
	db := filepath.Join(t.TempDir(), "index.db")
	f := &servedFolder{T: t, dir: t.TempDir()}
	f.write("a.csv", "title\n"+strings.Repeat("fog\n", 1000))
	f = serveFolder(t, f.dir, db)
	f.ask("a")
	f.Close()
	whole, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"cut off": whole[:len(whole)/2], "written over": slices.Concat(whole[:4096], bytes.Repeat([]byte("Z"), len(whole)-4096)),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(db, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			f := serveFolder(t, f.dir, db)
			for range 2 {
				text := f.ask("a")
				if !strings.Contains(text, `"index_failed"`) || !strings.Contains(text, "is damaged") || !strings.Contains(text, filepath.Base(db)) {
					t.Fatalf("there is no warning: %s", text)
				}
			}
			if err := os.Remove(db); err != nil {
				t.Fatal(err)
			}
			f.seconds.Add(int64(retryAfter.Seconds()))
			if text := f.ask("a"); !strings.Contains(text, "fog") {
				t.Errorf("the files are not read again: %s", text)
			}
		})
	}
}

// If two versions of the program share an index, the older one answers from what the newer one read; otherwise each would read all files
// again after the other, endlessly.
func TestAnIndexOfANewerProgram(t *testing.T) {
	db := filepath.Join(t.TempDir(), "index.db")
	f := &servedFolder{T: t, dir: t.TempDir()}
	f.write("a.csv", "title\nfog\n")
	older := serveFolder(t, f.dir, db)
	older.ask("a")
	held, _ := older.index.store.Loaded()
	place, files, _ := strings.Cut(held, placeEnd)
	_, files, _ = strings.Cut(files, " ")
	newer := place + placeEnd + "1000 " + files
	statements(t, db)("UPDATE meta SET value = CASE name WHEN 'fingerprint' THEN ? ELSE 'newer' END WHERE name IN ('fingerprint', 'generation')", newer)
	check := func(f *servedFolder, when, warning string) {
		t.Helper()
		if text := f.later("a"); !strings.Contains(text, "fog") || !strings.Contains(text, warning) {
			t.Errorf("%s: %s", when, text)
		}
		if held, _ := f.index.store.Loaded(); held != newer {
			t.Errorf("%s the older program reads the files again", when)
		}
	}
	check(older, "at first", `"warnings":[]`)
	started := serveFolder(t, f.dir, db)
	check(started, "after a start", `"warnings":[]`)
	f.write("a.csv", "title\nrain\n")
	check(older, "when files change", readByNewer)
	check(started, "when files change after a start", readByNewer)
}

// A file that is constantly written does not keep others from being read. It is read as soon as it stops changing.
func TestAFileThatAlwaysGrows(t *testing.T) {
	f := &servedFolder{T: t, dir: t.TempDir()}
	f.write("grows.csv", "title\nfog\n")
	f = serveFolder(t, f.dir, "")
	f.ask("grows")
	f.write("other.csv", "title\nrain\n")
	enough, ended := make(chan struct{}), make(chan error)
	go func() {
		ticker := time.NewTicker(settledTime / 30)
		defer ticker.Stop()
		text := "title\nfog\n"
		for {
			text += "hail\n"
			if err := os.WriteFile(filepath.Join(f.dir, "grows.csv"), []byte(text), 0o600); err != nil {
				ended <- err
				return
			}
			select {
			case <-ticker.C:
			case <-enough:
				ended <- nil
				return
			}
		}
	}()
	f.later("grows")
	if text := f.later("other"); !strings.Contains(text, "rain") || !strings.Contains(text, stillWritten) {
		t.Errorf("the other file is not read: %s", text)
	}
	if text := f.later("grows"); strings.Contains(text, "hail") || !strings.Contains(text, "fog") || !strings.Contains(text, stillWritten) {
		t.Errorf("the file that grows is read, or lost: %s", text)
	}
	f.write("third.csv", "title\nsnow\n")
	if text := f.later("third"); !strings.Contains(text, "snow") || !strings.Contains(text, stillWritten) {
		t.Errorf("the next file that changes is not read: %s", text)
	}
	close(enough)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if text := f.later("grows"); !strings.Contains(text, "hail") || !strings.Contains(text, `"warnings":[]`) {
		t.Errorf("after the file stopped growing: %s", text)
	}
}
