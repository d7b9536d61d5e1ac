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
	maxName   = 64  // characters, as nameForm has it
	maxPlaces = 100 // that are looked at for one source
	checkName = ".check"
)

// lockPlaces waits for the right to choose a place in a cache root, which one process has at a time.
func lockPlaces(ctx context.Context, root string) (unlock func(), err error) {
	return Lock(ctx, filepath.Join(root, "clients", "places"))
}

// Check finds out whether a credential can be stored under a name, or without one where [Store] would choose, and read again. The owner
// is asked after that: what is approved and cannot be stored stays valid unused, until it is revoked.
func Check(ctx context.Context, root, name string) error {
	unlock, err := lockPlaces(ctx, root)
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
	} else if err := os.MkdirAll(s.path, 0o700); err != nil {
		return err
	}
	if err := trustFolders(folders); err != nil {
		return err
	}
	tried, err := reserve(filepath.Join(folders[len(folders)-1], checkName), newSuffix, Document{}, mark{})
	if err != nil {
		return err
	}
	return tried.Drop()
}

// Store writes a new credential under a name, and returns its name with the credential that it replaces, nil for none. Without a name it
// takes the place that the TypeScript tools read, or the key of the source as its name where that holds something else. What is of
// another provider is never replaced, nor without a name what is of another source: a number is added to the name.
func Store(ctx context.Context, root, name string, document Document) (stored string, replaced *Document, err error) {
	unlock, err := lockPlaces(ctx, root)
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	s, err := choose(root, name, document)
	if err != nil {
		return "", nil, err
	}
	give, err := Lock(ctx, s.path) // no process renews what is there meanwhile
	if err != nil {
		return "", nil, err
	}
	defer give()
	if err := trustFolders(s.folders); err != nil {
		return "", nil, err
	}
	there, err := s.open().standing(document.ProviderURL)
	if err == nil {
		replaced = &there
	}
	if err := Save(s.path, document); err != nil {
		return "", nil, err
	}
	return s.name, replaced, nil
}

// choose returns the place of a new credential: the one that it replaces, else the first that is free.
func choose(root, name string, document Document) (slot, error) {
	var free *slot
	for n := range maxPlaces {
		s := newSlot(root, placeName(name, document.Grant.SourceKey(), n), credentialFile(document.ProviderURL))
		there, err := s.open().standing(document.ProviderURL)
		switch {
		case err == nil && there.ProviderURL == document.ProviderURL && (there.Grant.Source == document.Grant.Source || name != "" && n == 0):
			return s, nil
		case errors.Is(err, fs.ErrNotExist) && free == nil:
			free = &s
		}
	}
	if free == nil {
		return slot{}, fmt.Errorf("%d places are taken: disconnect what is not needed", maxPlaces)
	}
	return *free, nil
}

// placeName is the name of a grant that is tried after n others: the one that was asked for, or default and then the key of the source.
func placeName(name, key string, n int) string {
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

// nameOf makes a valid name of a source's key.
func nameOf(key string) string {
	valid := strings.Trim(notInName.ReplaceAllString(key, "-"), "._-")
	return cmp.Or(strings.TrimRight(valid[:min(len(valid), maxName)], "._-"), "source")
}
