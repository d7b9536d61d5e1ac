package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// maxFileBytes bounds a host's file. Claude Code keeps much in its own.
const maxFileBytes = 64 << 20

// A Change is an edit of a host's file that is worked out but not yet made.
type Change struct {
	Path   string // as asked for
	Before []byte // nil when there is no file
	After  []byte

	target string // Path without symbolic links
	mode   fs.FileMode
}

// Plan reads the file at path, which need not exist, and works out an edit. It writes nothing. Its errors are
// RefusedErrors, or say in one sentence why the file cannot be read.
func Plan(path string, edit func([]byte) ([]byte, error)) (Change, error) {
	change := Change{Path: path, target: path, mode: 0o600}
	_, err := os.Lstat(path)
	if err == nil {
		if change.target, err = filepath.EvalSymlinks(path); err != nil {
			return change, fmt.Errorf("%s is a link that leads nowhere", path)
		}
		if change.Before, change.mode, err = read(change.target); err != nil {
			return change, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return change, fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	if change.After, err = edit(change.Before); err != nil {
		return change, inFile(path, err)
	}
	return change, nil
}

// inFile names the file in a refusal.
func inFile(path string, err error) error {
	var refusal *RefusedError
	if errors.As(err, &refusal) {
		return &RefusedError{path + ": " + refusal.Message}
	}
	return err
}

func read(path string) ([]byte, fs.FileMode, error) {
	data, mode, err := Read(path)
	var refusal *RefusedError
	if err != nil && !errors.As(err, &refusal) {
		return nil, 0, fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	return data, mode, err
}

// Read reads a host's file and its permissions. It refuses, with a *RefusedError, what is larger than 64 MiB or not a regular
// file; so it waits for no writer of a pipe, and reads no device. Other errors are those of the file system.
func Read(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path) // opening a device can do something
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, refused("%s is not a regular file", path)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- the client's own file, or the one that the person named
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = refused("%s is not a regular file", path) // it has been replaced since
	}
	if err != nil {
		return nil, 0, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = refused("%s is larger than %d bytes", path, maxFileBytes)
	}
	return data, info.Mode().Perm(), err
}

// IsNothing reports whether the file says already what it should.
func (c Change) IsNothing() bool { return bytes.Equal(c.Before, c.After) }

// Write makes the change: at once or not at all, with the file's mode, through its symbolic links. What stood there is
// kept beside it under a name that holds the time, which is returned; it is empty when there was no file. Its errors
// say in one sentence why the file cannot be written.
func (c Change) Write(now time.Time) (backup string, err error) {
	if c.IsNothing() {
		return "", nil
	}
	folder := filepath.Dir(c.target)
	if c.Before == nil {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", fmt.Errorf("%s cannot be made: %w", folder, reason(err))
		}
	} else {
		if c.mode&0o200 == 0 {
			return "", fmt.Errorf("%s is read-only: something else may manage it; make it writable, or add the entry there", c.Path)
		}
		if backup, err = keep(c.target, c.Before, c.mode, now); err != nil {
			return "", err
		}
	}
	if err := c.replace(folder); err != nil {
		if backup != "" {
			_ = os.Remove(backup)
		}
		return "", err
	}
	return backup, nil
}

// replace writes the new text beside the file and moves it into its place.
func (c Change) replace(folder string) error {
	fresh, err := os.CreateTemp(folder, "."+filepath.Base(c.target)+".*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", folder, reason(err))
	}
	defer func() { _ = os.Remove(fresh.Name()) }() // which after the move is gone
	_, err = fresh.Write(c.After)
	err = errors.Join(err, fresh.Chmod(c.mode), fresh.Sync(), fresh.Close())
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", c.Path, err)
	}
	now, _, err := Read(c.target)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	if err != nil || !bytes.Equal(now, c.Before) || (now == nil) != (c.Before == nil) {
		return fmt.Errorf("%s was changed by something else meanwhile: close the client and run this again", c.Path)
	}
	if err := os.Rename(fresh.Name(), c.target); err != nil {
		return fmt.Errorf("%s cannot be replaced: %w", c.Path, reason(err))
	}
	return nil
}

// keep writes a backup under a name that is not taken.
func keep(path string, data []byte, mode fs.FileMode, now time.Time) (string, error) {
	stem := path + ".bak-" + now.UTC().Format("20060102T150405Z")
	name := stem
	for attempt := 2; ; attempt++ {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200) // #nosec G304 -- beside it
		if errors.Is(err, fs.ErrExist) && attempt < 100 {
			name = stem + "-" + strconv.Itoa(attempt)
			continue
		}
		if err != nil {
			return "", fmt.Errorf("the backup %s cannot be written: %w", name, reason(err))
		}
		_, err = file.Write(data)
		if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
			return "", fmt.Errorf("the backup %s cannot be written: %w", name, err)
		}
		return name, nil
	}
}

// reason is an error without the path, which the sentence names already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
