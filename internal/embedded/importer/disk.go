package importer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A folder is what is read: all that is in it, or one file.
type folder struct {
	fsys   fs.FS
	name   string        // what a person calls it
	shown  string        // how the user named it
	only   string        // the one file that is read; empty: all
	except []fs.FileInfo // files that are not the person's
	now    time.Time     // when it is read
	cache  *openedCache
}

func (f folder) passesOver(info fs.FileInfo) bool {
	return slices.ContainsFunc(f.except, func(other fs.FileInfo) bool { return os.SameFile(info, other) })
}

// folderAt is a folder on disk, or one file there. The files of except are passed over.
func folderAt(path string, except []string) (folder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return folder{}, fmt.Errorf("%s cannot be read: %w", path, errors.Unwrap(err)) // of *fs.PathError, which has the path again
	}
	from := folder{name: filepath.Base(path), shown: path}
	if absolute, err := filepath.Abs(path); err == nil { // however the path is written
		from.name = filepath.Base(absolute)
	}
	for _, name := range except {
		if info, err := os.Stat(name); err == nil {
			from.except = append(from.except, info)
		}
	}
	if !info.IsDir() {
		from.fsys, from.only = namedFile(path), filepath.Base(path)
		return from, nil
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return folder{}, fmt.Errorf("read the folder: %w", err)
	}
	from.fsys = rootFS{root}
	return from, nil
}

// walk visits the files below a folder, but for hidden ones and those in hidden folders, or the one file. An error of the folder itself
// ends the walk.
func (f folder) walk(root string, visit func(name string, entry fs.DirEntry, err error) error) error {
	if f.only != "" && root == "." {
		info, err := fs.Stat(f.fsys, f.only)
		if err != nil {
			return fmt.Errorf("read %s: %w", f.shown, err)
		}
		return visit(f.only, fs.FileInfoToDirEntry(info), nil)
	}
	return fs.WalkDir(f.fsys, root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == root:
			return fmt.Errorf("read the folder: %w", err)
		case err == nil && name != root && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err == nil && entry.IsDir():
			return nil
		}
		return visit(name, entry, err)
	})
}

// A rootFS is a folder on disk. Links are not followed out of it, and what is neither a regular file nor a folder is not opened. The root
// is closed when nothing refers to it any more.
type rootFS struct{ root *os.Root }

func (r rootFS) Open(name string) (fs.File, error) {
	return usableFile(r.root.OpenFile(name, openFlags, 0))
}

func (r rootFS) Stat(name string) (fs.FileInfo, error) { return r.root.Stat(name) }

// A namedFile is the one file that the user named, links included.
type namedFile string

func (n namedFile) Open(string) (fs.File, error) {
	return usableFile(os.OpenFile(string(n), openFlags, 0)) // #nosec G304 -- the file that the user named
}

func (n namedFile) Stat(string) (fs.FileInfo, error) { return os.Stat(string(n)) }

// notRegular is why a pipe or a device is not read.
const notRegular = "not a regular file"

const openFlags = os.O_RDONLY | syscall.O_NONBLOCK // else a pipe without a writer blocks

// usableFile closes what is neither a regular file nor a folder.
func usableFile(file *os.File, err error) (fs.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = errors.New(notRegular)
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, err
	}
	return file, nil
}
