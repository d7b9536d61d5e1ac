package credentials

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// DefaultName is the name of the credential that the TypeScript tools see: they know one for each host. Others are in cache roots of
// their own, ROOT/connections/NAME, which those tools can be given.
const DefaultName = "default"

// nameForm is what names a credential: it is the name of a folder.
var (
	nameForm  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	notInName = regexp.MustCompile(`[^A-Za-z0-9._-]`)
	notInFile = regexp.MustCompile(`[^A-Za-z0-9.-]`)
)

// A slot is where one credential is kept.
type slot struct {
	root, name, path string
	folders          []string // which no other user may write to
}

func newSlot(root, name, file string) slot {
	own, folders := root, []string{root}
	if name != DefaultName {
		own = filepath.Join(root, "connections", name)
		folders = append(folders, filepath.Dir(own), own)
	}
	clients := filepath.Join(own, "clients")
	return slot{root, name, filepath.Join(clients, file), append(folders, clients)}
}

// held are the files that a root has for a provider, or for any where it is empty: the default first, then by name.
func held(root, provider string) (all []file) {
	if root == "" { // which is no folder, and not that of the working directory
		return nil
	}
	names := []string{DefaultName}
	entries, _ := os.ReadDir(filepath.Join(root, "connections")) // there may be none
	for _, entry := range entries {
		if nameForm.MatchString(entry.Name()) && entry.Name() != DefaultName {
			names = append(names, entry.Name())
		}
	}
	for _, name := range names {
		inFolder := []string{credentialFile(provider)}
		if provider == "" {
			inFolder, _ = fs.Glob(os.DirFS(newSlot(root, name, "").path), "*.json")
		}
		for _, one := range inFolder {
			if f := newSlot(root, name, one).open(); !errors.Is(f.err, fs.ErrNotExist) {
				all = append(all, f)
			}
		}
	}
	return all
}

// Path returns where the credential of a provider and a name is kept. Its error is an exit.Usage about the name.
func Path(root, name, provider string) (string, error) {
	if !nameForm.MatchString(name) {
		return "", exit.UsageError(fmt.Sprintf("%q is no name for a grant: letters, digits, dots, dashes and underscores, at most 64.", name))
	}
	return newSlot(root, name, credentialFile(provider)).path, nil
}

// credentialFile is the name of a provider's cache file: its host and port, with all but letters, digits, dots
// and dashes replaced.
func credentialFile(provider string) string {
	_, host, _ := strings.Cut(provider, "://")
	host, _, _ = strings.Cut(host, "/")
	return notInFile.ReplaceAllString(host, "_") + ".json"
}
