package integration

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// --data serves only the files in its folder. Links are not followed out of it, and the output names those that were not.
func TestNoLinkLeadsOutOfAFolder(t *testing.T) {
	outside := writeFolder(t, map[string]string{
		"secret.csv": "title\nhush-outside\n", "manifest.json": `{"display_name":"hush-outside"}`,
		"letter.eml": "Subject: hush-outside\n\nhush-outside\n",
	})
	dir := writeFolder(t, map[string]string{"books.csv": "title\nA book about fog\n"})
	check(t, os.Mkdir(filepath.Join(dir, "inner"), 0o700))
	write(t, filepath.Join(dir, "inner", "notes.csv"), "title\nA note about fog\n")
	check(t, syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600))
	for link, target := range map[string]string{
		"passwd.csv":       "/etc/passwd",
		"absolute.csv":     filepath.Join(outside, "secret.csv"),
		"relative.csv":     upTo(t, dir, filepath.Join(outside, "secret.csv")),
		"letter.eml":       filepath.Join(outside, "letter.eml"),
		"mail.mbox":        filepath.Join(outside, "letter.eml"),
		"inner/deeper.csv": filepath.Join(outside, "secret.csv"),
		"twice.csv":        "absolute.csv",
		"folder":           outside,
		"folder.csv":       outside,
		"way":              "folder",
		"within":           "inner",
		"nothing.csv":      "not there",
		"loop.csv":         "loop.csv",
		"device.csv":       "/dev/zero",
		"self.csv":         "/proc/self/environ",
		"again.csv":        "inner/notes.csv",
	} {
		check(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	d := runDemo(t, "--data", dir)
	for _, name := range []string{
		"passwd.csv", "absolute.csv", "relative.csv", "letter.eml", "mail.mbox", "inner/deeper.csv", "twice.csv",
		"folder", "folder.csv", "way", "within", "nothing.csv", "loop.csv", "device.csv", "self.csv",
	} {
		if _, err := d.stderr.find(startTime, func(line string) bool {
			return strings.Contains(line, "skipped "+name+": ") && strings.Contains(line, "not followed")
		}); err != nil {
			t.Errorf("the output does not name the link %s that was not followed:\n%s", name, d.stderr)
		}
	}
	s := overHTTP(t, d.MCPURL, d.ClientToken)
	for _, name := range []string{"passwd", "secret", "letter"} {
		if text := s.text("list_streams", args(`{}`)); strings.Contains(text, name) {
			t.Errorf("the streams are\n%s", text)
		}
	}
	for _, query := range []string{"hush", "outside", "root"} {
		if ids := printedIDs(s.text("search", map[string]any{"q": query})); len(ids) > 0 {
			t.Errorf("%q finds %v", query, ids)
		}
	}
	if ids := printedIDs(s.text("search", args(`{"q":"fog"}`))); len(ids) != 3 {
		t.Errorf("a link inside of the folder, and two files: %v", ids)
	}
}

// upTo returns a relative path from a folder to a file elsewhere.
func upTo(t *testing.T, from, to string) string {
	t.Helper()
	path, err := filepath.Rel(from, to)
	check(t, err)
	return path
}

// Links are not followed out of a folder for its manifest, or for its only file, either.
func TestTheManifestAndOnlyFileOfAFolderAreNotLinks(t *testing.T) {
	outside := writeFolder(t, map[string]string{"secret.csv": "title\nhush-outside\n", "manifest.json": `{"hush-outside":1}`})
	for name, put := range map[string]func(path string) error{
		"a link":           func(path string) error { return os.Symlink(filepath.Join(outside, "manifest.json"), path) },
		"a link to zeroes": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run("a manifest that is "+name, func(t *testing.T) {
			dir := writeFolder(t, map[string]string{"books.csv": "title\nFog\n"})
			check(t, put(filepath.Join(dir, "manifest.json")))
			got := finish(t, nil, "", "call", "query_records", "stream=books", "--data", dir)
			if got.code != 0 || !strings.Contains(got.stdout, "Fog") || !strings.Contains(got.stderr, "skipped manifest.json") || strings.Contains(got.stdout+got.stderr, "hush") {
				t.Errorf("exit %d, stdout %q, stderr\n%s", got.code, got.stdout, got.stderr)
			}
		})
	}
	t.Run("the only file", func(t *testing.T) {
		dir := t.TempDir()
		check(t, os.Symlink(filepath.Join(outside, "secret.csv"), filepath.Join(dir, "secret.csv")))
		got := finish(t, nil, "", "demo", "--json", "--listen", "127.0.0.1:0", "--data", dir)
		if got.code != 64 || got.stdout != "" || !strings.Contains(got.stderr, "skipped secret.csv: ") || strings.Contains(got.stderr, "hush") {
			t.Errorf("exit %d, stdout %q, stderr\n%s", got.code, got.stdout, got.stderr)
		}
	})
}
