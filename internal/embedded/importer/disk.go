package importer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// folderAt returns the folder at a path on disk, or the folder of one file there. The files of except are skipped.
func folderAt(path string, except []string) (folder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return folder{}, fmt.Errorf("%s cannot be read: %w", path, errors.Unwrap(err)) // *fs.PathError repeats the path
	}
	from := folder{name: filepath.Base(path), shown: path}
	if absolute, err := filepath.Abs(path); err == nil { // "." has a name too
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

// walk visits the files below root, except hidden ones and those in hidden folders other than those of a Maildir, or the one file. An error
// of root itself ends the walk.
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
			if entry.IsDir() && !f.isMailFolder(name) {
				return fs.SkipDir
			}
			return nil
		case err == nil && entry.IsDir():
			return nil
		}
		return visit(name, entry, err)
	})
}

// isMailFolder reports a mailbox in a Maildir: mail servers hide it, and copies lack its empty folders.
func (f folder) isMailFolder(name string) bool {
	holdsMail := func(folder string) bool {
		return slices.ContainsFunc([]string{"cur", "new"}, func(part string) bool {
			info, err := fs.Stat(f.fsys, path.Join(folder, part))
			return err == nil && info.IsDir()
		})
	}
	return holdsMail(name) && holdsMail(path.Dir(name))
}

// A rootFS is a folder on disk. It follows no links out of the folder, and opens only regular files and folders. The garbage collector
// closes the root.
type rootFS struct{ root *os.Root }

func (r rootFS) Open(name string) (fs.File, error) {
	return usableFile(r.root.OpenFile(name, openFlags, 0))
}

func (r rootFS) Stat(name string) (fs.FileInfo, error) { return r.root.Stat(name) }

// A namedFile is the one file that the user named. It may be a link.
type namedFile string

func (n namedFile) Open(string) (fs.File, error) {
	return usableFile(os.OpenFile(string(n), openFlags, 0)) // #nosec G304 -- the file that the user named
}

func (n namedFile) Stat(string) (fs.FileInfo, error) { return os.Stat(string(n)) }

// notRegular is the reason not to read a pipe or a device.
const notRegular = "not a regular file"

const openFlags = os.O_RDONLY | syscall.O_NONBLOCK // O_NONBLOCK: else a pipe without a writer blocks

// usableFile returns the file if it is a regular file or a folder; else it closes the file and returns an error.
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
