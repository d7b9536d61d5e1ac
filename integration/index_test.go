package integration

import (
	"database/sql"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

// database makes a SQLite file with SQL statements. If keepOpen is true, it stays open until the test ends, so its log is not merged into
// it.
func database(t *testing.T, path string, keepOpen bool, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if keepOpen {
		t.Cleanup(func() { _ = db.Close() })
		return
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// contents returns the modes and bytes of everything in a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := info.Mode().String()
		if info.Mode().IsRegular() {
			bytes, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content += " " + string(bytes)
		}
		all[strings.TrimPrefix(path, dir)] = content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// --db opens an existing index or creates a new one. Any other file is refused with exit code 78 and left unchanged.
func TestAFileThatIsNotAnIndexIsLeftUnchanged(t *testing.T) {
	const rows = "CREATE TABLE taxes (year INTEGER, amount INTEGER); INSERT INTO taxes VALUES (2026, 1234)"
	for name, place := range map[string]func(t *testing.T, path string){
		"a database of another program": func(t *testing.T, path string) { database(t, path, false, rows) },
		"a database with an application id": func(t *testing.T, path string) {
			database(t, path, false, rows, "PRAGMA application_id = 252006673")
		},
		"a database with a table called meta": func(t *testing.T, path string) {
			database(t, path, false, rows, "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
		},
		"a database with a log that is not written back": func(t *testing.T, path string) {
			database(t, path, true, "PRAGMA journal_mode = wal", rows)
		},
		"an empty database": func(t *testing.T, path string) {
			database(t, path, false, "CREATE TABLE taxes (year)", "DROP TABLE taxes")
		},
		"an index of a newer program": func(t *testing.T, path string) {
			database(t, path, false, rows, "PRAGMA application_id = 1346654288", "PRAGMA user_version = 1000")
		},
		"an index that a newer program has not written back": func(t *testing.T, path string) {
			database(t, path, true, "PRAGMA application_id = 1346654288", "PRAGMA user_version = 1",
				"PRAGMA journal_mode = wal", "PRAGMA user_version = 1000")
		},
		"a file of text":       func(t *testing.T, path string) { write(t, path, strings.Repeat("Dear diary, ", 100)) },
		"a short file":         func(t *testing.T, path string) { write(t, path, "x") },
		"a header and no more": func(t *testing.T, path string) { write(t, path, "SQLite format 3\x00") },
		"a folder":             func(t *testing.T, path string) { check(t, os.Mkdir(path, 0o700)) },
		"a pipe":               func(t *testing.T, path string) { check(t, syscall.Mkfifo(path, 0o600)) },
		"a socket": func(t *testing.T, path string) {
			listener, err := net.Listen("unix", path)
			check(t, err)
			t.Cleanup(func() { _ = listener.Close() })
		},
		"a link to another program's database": func(t *testing.T, path string) {
			database(t, path+".other", false, rows)
			check(t, os.Symlink(path+".other", path))
		},
		"a link to nothing": func(t *testing.T, path string) { check(t, os.Symlink(path+".other", path)) },
		"an empty file with another's log": func(t *testing.T, path string) {
			write(t, path, "")
			write(t, path+"-wal", "of another")
		},
		"no file, and another's journal": func(t *testing.T, path string) { write(t, path+"-journal", "of another") },
		"a folder that does not exist":   func(t *testing.T, path string) {},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "index") // a socket's path must be short
			check(t, err)
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			path := filepath.Join(dir, "kept.db")
			if name == "a folder that does not exist" {
				path = filepath.Join(dir, "nowhere", "kept.db")
			}
			place(t, path)
			before := contents(t, dir)
			data := writeFolder(t, map[string]string{"books.csv": "title\nFog\n"})
			for _, arguments := range [][]string{nil, {"--data", data}} {
				got := finish(t, nil, "", append([]string{"demo", "--json", "--listen", "127.0.0.1:0", "--db", path}, arguments...)...)
				if got.code != 78 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, path) {
					t.Errorf("exit %d, stdout %q, stderr\n%s", got.code, got.stdout, got.stderr)
				}
				after := contents(t, dir)
				if name == "an index that a newer program has not written back" {
					delete(before, "/kept.db-shm") // it has the locks of readers, no data
					delete(after, "/kept.db-shm")
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("it was changed (-before +after):\n%s", diff)
				}
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// visit starts the demo on an index, calls look while it serves, and returns its output.
func visit(t *testing.T, look func(*running), arguments ...string) string {
	t.Helper()
	d, err := startDemo(t.TempDir(), arguments...)
	check(t, err)
	if look != nil {
		look(d)
	}
	check(t, d.stop()) // after that its output is complete
	return d.stderr.String()
}

// An index contains everything in the person's files, so no other user may read it, whatever the umask and its previous mode.

func TestAnIndexIsPrivate(t *testing.T) {
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	data := writeFolder(t, map[string]string{"books.csv": "title\nFog\n"})
	path := filepath.Join(t.TempDir(), "index.db")
	look := func(*running) {
		for _, ending := range []string{"", "-wal", "-shm"} {
			if info, err := os.Stat(path + ending); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("index.db%s: %v (%v)", ending, info.Mode(), err)
			}
		}
	}
	t.Run("new", func(t *testing.T) { visit(t, look, "--data", data, "--db", path) })
	t.Run("kept", func(t *testing.T) {
		check(t, os.Chmod(path, 0o644)) // #nosec G302 -- the previous mode
		if output := visit(t, look, "--data", data, "--db", path); !strings.Contains(output, "using the kept index") {
			t.Errorf("it is not reported as kept: %s", output)
		}
	})
	t.Run("an empty file", func(t *testing.T) {
		path = filepath.Join(t.TempDir(), "empty.db")
		check(t, os.WriteFile(path, nil, 0o644)) // #nosec G306 -- the previous mode
		visit(t, look, "--db", path)
	})
}

// A token given to a client is still valid after the demo restarts with its index; --new-token ends that. The key that tokens are derived
// from is private, and no other kind of file is used as the key.
func TestTokensAreKeptWithTheIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	var first, second, third, none string
	visit(t, func(d *running) { first = d.ClientToken }, "--db", path)
	visit(t, func(d *running) { second = d.ClientToken }, "--db", path)
	visit(t, func(d *running) {
		third = d.ClientToken
		if s := overHTTP(t, d.MCPURL, d.ClientToken); s.text("schema", args(`{}`)) == "" {
			t.Error("the new token reads nothing")
		}
	}, "--db", path, "--new-token")
	visit(t, func(d *running) { none = d.ClientToken })
	if first != second || third == first || none == first || none == third {
		t.Errorf("the tokens are %q, %q, %q and %q", first, second, third, none)
	}
	key := path + ".key"
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key is %v (%v)", info, err)
	}
	for want, spoil := range map[string]func(){
		"others can read":      func() { check(t, os.Chmod(key, 0o644)) }, // #nosec G302 -- must be refused
		"holds something else": func() { write(t, key, "my own notes") },
	} {
		spoil()
		p, err := start(t.TempDir(), nil, "demo", "--json", "--listen", "127.0.0.1:0", "--db", path)
		check(t, err)
		<-p.ended
		if code := p.cmd.ProcessState.ExitCode(); code != 78 || !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s: exit code %d: %s", want, code, p.stderr)
		}
		check(t, os.Remove(key))
		visit(t, nil, "--db", path)
	}
}

// An index with an older layout is rebuilt from its source if that is given, and otherwise left unchanged.
func TestAnOlderIndexIsRebuilt(t *testing.T) {
	data := writeFolder(t, map[string]string{"books.csv": "title\nFog\n"})
	path := filepath.Join(t.TempDir(), "index.db")
	arguments := []string{"--data", data, "--db", path}
	visit(t, nil, arguments...)
	t.Run("the sample year does not replace a person's files", func(t *testing.T) {
		for _, version := range []int{1, 0} {
			database(t, path, false, fmt.Sprintf("PRAGMA user_version = %d", version))
			before := contents(t, filepath.Dir(path))
			got := finish(t, nil, "", "demo", "--json", "--listen", "127.0.0.1:0", "--db", path)
			if got.code != 78 || !strings.Contains(got.stderr, "--data") || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("version %d: exit %d, stderr\n%s", version, got.code, got.stderr)
			}
			if diff := cmp.Diff(before, contents(t, filepath.Dir(path))); diff != "" {
				t.Errorf("version %d: it was changed (-before +after):\n%s", version, diff)
			}
		}
	})
	t.Run("an older layout", func(t *testing.T) {
		database(t, path, false, "DROP TABLE meta", "CREATE TABLE meta (unlike TEXT)", "CREATE TABLE earlier (a)", "PRAGMA user_version = 0")
		output := visit(t, func(d *running) {
			if text := overHTTP(t, d.MCPURL, d.ClientToken).text("search", args(`{"q":"fog"}`)); !strings.Contains(text, "books") {
				t.Errorf("the search answers\n%s", text)
			}
		}, arguments...)
		if !strings.Contains(output, "loaded 1 records") {
			t.Errorf("it is not made again: %s", output)
		}
		if output := visit(t, nil, arguments...); !strings.Contains(output, "using the kept index") {
			t.Errorf("the next start does not use it: %s", output)
		}
	})
	t.Run("the sample year of an older layout", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "sample.db")
		visit(t, nil, "--db", path)
		database(t, path, false, "UPDATE meta SET value = 'sample year 1' WHERE name = 'fingerprint'", "PRAGMA user_version = 0")
		visit(t, func(d *running) {
			if text := overHTTP(t, d.MCPURL, d.ClientToken).text("search", args(`{"q":"dentist"}`)); !strings.Contains(text, "dentist") {
				t.Errorf("the search answers\n%s", text)
			}
		}, "--db", path)
	})
}

// An index in the folder that it is made from is not read as data, whatever its name.
func TestAnIndexInItsOwnFolderIsNotRead(t *testing.T) {
	for _, name := range []string{"index.db", "index.csv", "index.eml", "index.mbox", "index.jsonl"} {
		t.Run(name, func(t *testing.T) {
			dir := writeFolder(t, map[string]string{"books.csv": "title\nFog\n"})
			arguments := []string{"--data", dir, "--db", filepath.Join(dir, name)}
			if output := visit(t, nil, arguments...); !strings.Contains(output, "loaded 1 records") || strings.Contains(output, "index.") {
				t.Errorf("the first start prints\n%s", output)
			}
			if output := visit(t, nil, arguments...); !strings.Contains(output, "using the kept index") {
				t.Errorf("the second start prints\n%s", output)
			}
		})
	}
}
