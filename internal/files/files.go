// Package files reads and replaces files that other users and programs may change at the same time.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// An UnfitError is the reason why a file is not read, such as "it is not a regular file".
type UnfitError string

// Error returns the reason.
func (e UnfitError) Error() string { return string(e) }

const errNotRegular = UnfitError("it is not a regular file")

// Read reads a file of at most most bytes. It opens only regular files, because opening a device can have effects, and does not wait for a
// writer of a pipe. Its errors are an [UnfitError] or those of the file system.
func Read(path string, most int64) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- a file that the user named, or in the home folder
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errNotRegular // it has been replaced since
	}
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(body)) > most {
		err = UnfitError(fmt.Sprintf("it is larger than %d bytes", most))
	}
	if err != nil {
		return nil, nil, err
	}
	return body, info, nil
}

// Replace writes a file next to the one at path and renames it to path. The owner stays; see [KeepOwner]. If check is not nil, Replace
// calls it right before that, and stops if it returns an error.
func Replace(path string, data []byte, mode fs.FileMode, check func() error) error {
	fresh, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(fresh.Name()) }() // after the move it does not exist
	_, err = fresh.Write(data)
	if err = errors.Join(err, KeepOwner(fresh, path), fresh.Chmod(mode), fresh.Sync(), fresh.Close()); err != nil {
		return err
	}
	if check != nil {
		if err = check(); err != nil {
			return err
		}
	}
	return os.Rename(fresh.Name(), path)
}
