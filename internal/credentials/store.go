package credentials

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxName   = 64  // characters, as in nameForm
	maxSlots  = 100 // names tried for one source
	checkName = ".check"
)

// lockSlots takes the lock that allows one process at a time to choose a slot in a cache root.
func lockSlots(ctx context.Context, root string) (unlock func(), err error) {
	return Lock(ctx, filepath.Join(root, "clients", "places"))
}

// Check verifies that a credential can be stored under a name, or in the slot that [Store] would choose for an empty name, and read
// again. It runs before the owner is asked: an approved grant that cannot be stored would stay valid, unused, until it is revoked.
func Check(ctx context.Context, root, name string) error {
	unlock, err := lockSlots(ctx, root)
	if err != nil {
		return err
	}
	defer unlock()
	s := newSlot(root, cmp.Or(name, DefaultName), "")
	folders := s.folders
	if others := filepath.Join(root, "connections"); name == "" {
		if _, err := os.Stat(others); err == nil {
			folders = append(folders, others)
		}
	}
	if err := trustFolders(folders); err != nil {
		return err
	}
	if err := os.MkdirAll(s.path, 0o700); err != nil {
		return err
	}
	tried, err := reserve(filepath.Join(folders[len(folders)-1], checkName), newSuffix, Document{}, mark{})
	if err != nil {
		return err
	}
	return tried.Drop()
}

// Store writes a new credential under a name, and returns the name with the credential that it replaced, or nil. An empty name means
// the slot that the TypeScript tools read or, if that is taken, the key of the source as the name. A credential of another provider is
// never replaced, nor one of another source unless it was named: a number is appended to the name instead.
func Store(ctx context.Context, root, name string, document Document) (stored string, replaced *Document, err error) {
	unlock, err := lockSlots(ctx, root)
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	s, err := choose(root, name, document)
	if err != nil {
		return "", nil, err
	}
	if err := trustFolders(s.folders); err != nil {
		return "", nil, err
	}
	give, err := Lock(ctx, s.path) // no other process may renew the credential there
	if err != nil {
		return "", nil, err
	}
	defer give()
	there, err := s.open().current(document.ProviderURL)
	if err == nil {
		replaced = &there
	}
	if err := Save(s.path, document); err != nil {
		return "", nil, err
	}
	return s.name, replaced, nil
}

// choose returns the slot of a new credential: that of the one it replaces, else the first free one.
func choose(root, name string, document Document) (slot, error) {
	var free *slot
	for n := range maxSlots {
		s := newSlot(root, slotName(name, document.Grant.SourceKey(), n), credentialFile(document.ProviderURL))
		there, err := s.open().current(document.ProviderURL)
		switch {
		case err == nil && there.ProviderURL == document.ProviderURL && (there.Grant.Source == document.Grant.Source || name != "" && n == 0):
			return s, nil
		case errors.Is(err, fs.ErrNotExist) && free == nil:
			free = &s
		}
	}
	if free == nil {
		return slot{}, fmt.Errorf("%d names are taken: disconnect a grant that is not needed", maxSlots)
	}
	return *free, nil
}

// slotName returns the n-th name to try for a grant: the requested one, or "default" and then the key of the source, with a number.
func slotName(name, key string, n int) string {
	if name == "" {
		if n == 0 {
			return DefaultName
		}
		name, n = nameOf(key), n-1
	}
	if n == 0 {
		return name
	}
	suffix := fmt.Sprintf("-%d", n+1)
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

// nameOf turns a source's key into a valid name.
func nameOf(key string) string {
	valid := strings.Trim(notInName.ReplaceAllString(key, "-"), "._-")
	return cmp.Or(strings.TrimRight(valid[:min(len(valid), maxName)], "._-"), "source")
}
