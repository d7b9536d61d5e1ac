package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/files"
)

// maxFileBytes is the largest configuration file. Claude Code keeps much besides settings in its own.
const maxFileBytes = 64 << 20

// A Change is a planned edit of a host's file.
type Change struct {
	Path   string // as given to Plan
	Before []byte // nil: there is no file
	After  []byte

	target string // Path with symbolic links resolved
	mode   fs.FileMode
}

// Plan reads the file at path, which need not exist, and computes an edit. It writes nothing. Its errors are
// RefusedErrors, or say in one sentence why the file cannot be read.
func Plan(path string, edit func([]byte) ([]byte, error)) (Change, error) {
	change := Change{Path: path, target: path, mode: 0o600}
	_, err := os.Lstat(path)
	if err == nil {
		if change.target, err = filepath.EvalSymlinks(path); err != nil {
			return change, fmt.Errorf("%s is a broken link", path)
		}
		change.Before, change.mode, err = Read(change.target)
	}
	if _, refusal := errors.AsType[*RefusedError](err); refusal {
		return change, err
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return change, fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	change.After, err = edit(change.Before)
	if refusal, ok := errors.AsType[*RefusedError](err); ok {
		err = refused("%s: %s", path, refusal.Message)
	}
	return change, err
}

// Read reads a host's file and its permissions. It returns a *RefusedError for a file larger than 64 MiB or not regular, so that it never
// blocks on a pipe or reads a device. Other errors are those of the file system.
func Read(path string) ([]byte, fs.FileMode, error) {
	data, info, err := files.Read(path, maxFileBytes)
	if unfit, ok := errors.AsType[files.UnfitError](err); ok {
		err = refused("%s %s", path, strings.TrimPrefix(string(unfit), "it "))
	}
	if err != nil {
		return nil, 0, err
	}
	return data, info.Mode().Perm(), nil
}

// IsNothing reports whether the file needs no change.
func (c Change) IsNothing() bool { return bytes.Equal(c.Before, c.After) }

// Write replaces the file atomically, keeping its owner, mode and symbolic links. It returns the path of a backup of the old file, which is
// next to it with the time in its name, or "" if there was none. Its errors say in one sentence why the file cannot be written.
func (c Change) Write(now time.Time) (backup string, err error) {
	if c.IsNothing() {
		return "", nil
	}
	folder := filepath.Dir(c.target)
	switch {
	case c.Before == nil:
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", fmt.Errorf("%s cannot be made: %w", folder, reason(err))
		}
	case c.mode&0o200 == 0:
		return "", fmt.Errorf("%s is read-only: something else may manage it; make it writable, or add the entry there", c.Path)
	default:
		if backup, err = keep(c.target, c.Before, c.mode, now); err != nil {
			return "", err
		}
	}
	err = files.Replace(c.target, c.After, c.mode, c.unchanged)
	if err == nil {
		return backup, nil
	}
	if backup != "" {
		_ = os.Remove(backup)
	}
	if errors.Is(err, errChanged) {
		return "", fmt.Errorf("%s %w", c.Path, err)
	}
	return "", fmt.Errorf("%s cannot be written: %w", c.Path, reason(err))
}

var errChanged = errors.New("was changed by another program meanwhile: close the client and run this again")

// unchanged returns errChanged if the file differs from what Plan read.
func (c Change) unchanged() error {
	now, _, err := Read(c.target)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	if err != nil || !bytes.Equal(now, c.Before) || (now == nil) != (c.Before == nil) {
		return errChanged
	}
	return nil
}

// keep writes a backup under a free name.
func keep(path string, data []byte, mode fs.FileMode, now time.Time) (string, error) {
	stem := path + ".bak-" + now.UTC().Format("20060102T150405Z")
	name := stem
	for attempt := 2; ; attempt++ {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200) // #nosec G304 -- next to it
		if errors.Is(err, fs.ErrExist) && attempt < 100 {
			name = stem + "-" + strconv.Itoa(attempt)
			continue
		}
		if err == nil {
			_, err = file.Write(data)
			if err = errors.Join(err, files.KeepOwner(file, path), file.Sync(), file.Close()); err != nil {
				_ = os.Remove(name)
			}
		}
		if err != nil {
			return "", fmt.Errorf("the backup %s cannot be written: %w", name, reason(err))
		}
		return name, nil
	}
}

// reason returns an error without its path, which the message already names.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
