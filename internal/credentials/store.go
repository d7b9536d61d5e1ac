package credentials

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// DefaultName is the name of the credential that the TypeScript tools see: they know one for each host. Others are in cache roots of
// their own, ROOT/connections/NAME, which those tools can be given.
const DefaultName = "default"

// nameForm is what names a credential: it is the name of a folder.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// A slot is where one credential is kept.
type slot struct {
	name, path string
	folders    []string // which no other user may write to
}

func newSlot(root, name, file string) slot {
	folders := []string{root}
	if name != DefaultName {
		root = filepath.Join(root, "connections", name)
		folders = append(folders, filepath.Dir(root), root)
	}
	clients := filepath.Join(root, "clients")
	return slot{name, filepath.Join(clients, file), append(folders, clients)}
}

// slotsOf lists the files that a root has for a provider, or for any where it is empty: the default first, then by name.
func slotsOf(root, provider string) []slot {
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
	var slots []slot
	for _, name := range names {
		if provider != "" {
			slots = append(slots, newSlot(root, name, credentialFile(provider)))
			continue
		}
		files, _ := os.ReadDir(newSlot(root, name, "").path) // the folder itself
		for _, file := range files {
			if strings.HasSuffix(file.Name(), ".json") {
				slots = append(slots, newSlot(root, name, file.Name()))
			}
		}
	}
	return slots
}

// Stored are all credentials of a cache root that can be read, and when each was last used (zero where that is not known).
// Those that [Unusable] names are left out; one that has ended is not.
func Stored(root string) (all []Credential, used []time.Time) {
	for _, s := range slotsOf(root, "") {
		provider := s.provider()
		credential, err := s.load(provider, "", time.Time{})
		if provider == "" || err != nil {
			continue
		}
		var at time.Time
		if info, err := os.Stat(s.path + lockSuffix); err == nil {
			at = info.ModTime()
		}
		all, used = append(all, credential), append(used, at)
	}
	return all, used
}

// Unusable says of each file of a cache root that holds no credential, or none that can be trusted, which it is and why.
func Unusable(root string) (why []error) {
	for _, s := range slotsOf(root, "") {
		_, _, err := readPrivate(s.path, s.folders...)
		if err == nil {
			if _, err = standing(s.path, ""); err != nil {
				err = errors.New("it holds no credential of a client")
			}
		}
		if err != nil {
			why = append(why, fmt.Errorf("%s cannot be used: %w", s.path, err))
		}
	}
	return why
}

// Path returns where the credential of a provider and a name is kept. Its error is an exit.Usage about the name.
func Path(root, name, provider string) (string, error) {
	if !nameForm.MatchString(name) {
		return "", exit.UsageError(fmt.Sprintf("%q is no name for a grant: letters, digits, dots, dashes and underscores, at most 64.", name))
	}
	return newSlot(root, name, credentialFile(provider)).path, nil
}

// Save writes a credential to where [Path] says, with mode 0600: a reader finds all of it or what was there before. The caller holds
// the lock of the path.
func Save(path string, document Document) error {
	r, err := reserve(path, newSuffix, document, mark{})
	if err != nil {
		return err
	}
	if err := r.Commit(document); err != nil {
		return errors.Join(err, r.Drop())
	}
	return forget(path)
}

// forget deletes what an interrupted renewal left of a credential.
func forget(path string) error {
	if err := os.Remove(path + nextSuffix); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Remove deletes a credential, and what an interrupted renewal left of it. The caller holds the lock of the path.
func Remove(path string) error {
	return errors.Join(forget(path), os.Remove(path))
}

// lockSuffix names the file that stands for the right to change a credential. It is never replaced. Its time of change is when the
// credential was last used.
const lockSuffix = ".lock"

// lockPause is between two tries to get the lock.
const lockPause = 20 * time.Millisecond

// Lock waits for the right to change the credential at a path, which one process has at a time. A process that dies gives it back.
// It makes the folders that are missing, private, and a .gitignore in the root.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := ignoreFolder(filepath.Dir(folder)); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600) // #nosec G304 -- beside the credential
	if err != nil {
		return nil, err
	}
	for {
		locked, err := tryLock(file)
		if locked {
			return func() { _ = file.Close() }, nil // which gives the lock back
		}
		if err == nil {
			select {
			case <-time.After(lockPause):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		return nil, errors.Join(err, file.Close())
	}
}

// ignoreFolder keeps a root out of a repository that it may be in. An empty file is what a full disk left.
func ignoreFolder(root string) error {
	path := filepath.Join(root, ".gitignore")
	if info, err := os.Lstat(path); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
		return nil
	}
	file, err := os.CreateTemp(root, ".gitignore.new-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.WriteString("*\n!.gitignore\n")
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // best effort: what failed is said
	}
	return err
}

// Touch records that a credential was used.
func Touch(path string, now time.Time) {
	_ = os.Chtimes(path+lockSuffix, now, now) // one that was never locked has no such file: then it is not known
}
