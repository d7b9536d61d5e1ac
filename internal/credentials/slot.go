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

// DefaultName is the name of the credential that the TypeScript tools see: they know one per host. The others are in separate cache
// roots, ROOT/connections/NAME, which those tools accept as a root.
const DefaultName = "default"

// nameForm matches valid credential names, which are also folder names.
var (
	nameForm  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	notInName = regexp.MustCompile(`[^A-Za-z0-9._-]`)
	notInFile = regexp.MustCompile(`[^A-Za-z0-9.-]`)
)

// A slot is where one credential is kept.
type slot struct {
	root, name, path string
	folders          []string // no other user may write to these
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

// filesOf returns the files of a provider in a root, or those of all providers if provider is empty: the default first, then by name.
func filesOf(root, provider string) (all []file) {
	if root == "" { // unknown; not the working directory
		return nil
	}
	names := []string{DefaultName}
	entries, _ := os.ReadDir(filepath.Join(root, "connections")) // optional
	for _, entry := range entries {
		if nameForm.MatchString(entry.Name()) && entry.Name() != DefaultName {
			names = append(names, entry.Name())
		}
	}
	for _, name := range names {
		inFolder := []string{credentialFile(provider)}
		if provider == "" {
			folder := newSlot(root, name, "")
			entries, err := os.ReadDir(folder.path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				all = append(all, file{slot: folder, err: err})
			}
			inFolder = nil
			for _, entry := range entries {
				inFolder = append(inFolder, entry.Name())
			}
		}
		for _, one := range inFolder {
			if f := newSlot(root, name, one).open(); strings.HasSuffix(one, ".json") && !errors.Is(f.err, fs.ErrNotExist) {
				all = append(all, f)
			}
		}
	}
	return all
}

// Path returns the path of a provider's credential of a name. Its error has the code exit.Usage and names the invalid name.
func Path(root, name, provider string) (string, error) {
	if !nameForm.MatchString(name) {
		return "", exit.UsageError(fmt.Sprintf("%q is not a valid name for a grant: use letters, digits, dots, dashes and underscores, at most 64.", name))
	}
	return newSlot(root, name, credentialFile(provider)).path, nil
}

// credentialFile returns the name of a provider's credential file: its host and port, with other characters than letters, digits, dots and
// dashes replaced.
func credentialFile(provider string) string {
	_, host, _ := strings.Cut(provider, "://")
	host, _, _ = strings.Cut(host, "/")
	return notInFile.ReplaceAllString(host, "_") + ".json"
}
