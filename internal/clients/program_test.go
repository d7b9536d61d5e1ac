package clients_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

func TestTheProgramIsNamedByThePathThatLasts(t *testing.T) {
	folder := t.TempDir()
	executable, other := filepath.Join(folder, "1.0"), filepath.Join(folder, "other")
	for _, path := range []string{executable, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(folder, "pdpp-mcp")
	if err := os.Symlink(executable, link); err != nil {
		t.Skip("no links here: ", err)
	}
	for name, row := range map[string]struct{ called, want string }{
		"the link with which it was started is kept": {link, link},
		"another file of that name is not kept":      {other, executable},
		"a missing file is not kept":                 {filepath.Join(folder, "gone"), executable},
		"an empty name is not kept":                  {"", executable},
	} {
		if got, notes := clients.Program(executable, row.called); got != row.want || len(notes) != 0 {
			t.Errorf("%s: %s %q, want %s", name, got, notes, row.want)
		}
	}
	if _, notes := clients.Program(filepath.Join(folder, "go-build1", "pdpp-mcp"), ""); len(notes) != 1 {
		t.Errorf("no warning about a program built by go run: %q", notes)
	}
}
