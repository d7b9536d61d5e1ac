// Package archive shows zip archives, and files that gzip packed, as folders. Nothing is unpacked to disk, and no name in an archive is used as a path.
package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// What an archive may hold: entries, and bytes in all and as many times its own size, of which a little is free. Text packs to a fiftieth.
const (
	MaxEntries = 100_000
	MaxBytes   = 64 << 30
	MaxRatio   = 200
	freeBytes  = 64 << 20
	// MaxNested is how large an archive in an archive may be, in bytes. It is in memory.
	MaxNested = 128 << 20
	maxKept   = 16 // archives that are open at a time
)

// Errors of what is not read.
var (
	ErrEncrypted = errors.New("encrypted")
	errDepth     = errors.New("an archive in two others, which is not unpacked")
)

// An FS is a folder in which a zip archive is a folder, and so is one that is in an archive. It is safe for concurrent use.
type FS struct {
	base fs.FS
	mu   sync.Mutex
	kept map[string]*contents
}

// In shows the archives in a folder.
func In(base fs.FS) *FS { return &FS{base: base, kept: map[string]*contents{}} }

// IsName reports a name that archives have, or a file that gzip packed. What tar put into one file is not read.
func IsName(name string) bool { return strings.EqualFold(path.Ext(name), ".zip") || isGzip(name) }

// Open opens a file, or a folder or archive to list it. What is in an archive can be sought back to its beginning only.
func (f *FS) Open(name string) (fs.File, error) {
	place, within, err := f.split(name)
	switch {
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	case place == nil:
		return f.base.Open(name)
	}
	return place.open(within)
}

// Stat describes a file.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	place, within, err := f.split(name)
	switch {
	case err != nil:
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	case place == nil:
		return fs.Stat(f.base, name)
	case within == ".":
		return folderInfo(path.Base(name)), nil
	}
	return place.stat(within)
}

// ReadDir lists a folder or an archive.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	place, within, err := f.split(name)
	switch {
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	case place != nil:
		return place.folders[within], nil
	}
	entries, err := fs.ReadDir(f.base, name)
	for index, entry := range entries {
		if entry.Type().IsRegular() && IsName(entry.Name()) {
			entries[index] = folderEntry{entry}
		}
	}
	return entries, err
}

// A folderEntry is an archive as it is listed.
type folderEntry struct{ fs.DirEntry }

func (folderEntry) IsDir() bool       { return true }
func (folderEntry) Type() fs.FileMode { return fs.ModeDir }

// split finds the archive that a path leads into: none if it leads into no archive.
func (f *FS) split(name string) (*contents, string, error) {
	var in *contents
	begin := 0
	for at := 0; at <= len(name); at++ {
		if at < len(name) && name[at] != '/' || !IsName(name[:at]) {
			continue
		}
		next, err := f.contents(in, name[:at], name[begin:at])
		if err != nil {
			return nil, "", err
		}
		if next != nil {
			in, begin = next, at+1
		}
	}
	if in == nil {
		return nil, "", nil
	}
	if begin > len(name) {
		return in, ".", nil
	}
	return in, name[begin:], nil
}

// contents opens an archive that is in the folder, or in another archive. It returns nil for a folder with the name of an archive.
func (f *FS) contents(in *contents, name, within string) (*contents, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.kept[name]; ok {
		return known, nil
	}
	var opened fs.File
	var err error
	if in == nil {
		opened, err = f.base.Open(name)
	} else {
		if in.nested || in.files[within] == nil {
			return nil, nil
		}
		opened, err = in.open(within)
	}
	if err != nil {
		return nil, reason(err)
	}
	info, err := opened.Stat()
	if err != nil || info.IsDir() {
		_ = opened.Close() // it was only looked at
		return nil, err
	}
	file, size, err := ReaderAt(opened, MaxNested)
	if err != nil {
		return nil, err
	}
	place, err := list(file, size, info, in != nil)
	if err != nil {
		_ = opened.Close() // it was only read
		return nil, err
	}
	if len(f.kept) == maxKept || place.nested {
		clear(f.kept) // a file that nothing refers to is closed, and of those in memory there is one
	}
	f.kept[name] = place
	return place, nil
}

func reason(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}

// ReaderAt is a file that can be read anywhere, with its size: one in an archive is read into memory, up to a limit in bytes.
func ReaderAt(file fs.File, limit int64) (io.ReaderAt, int64, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	if at, ok := file.(io.ReaderAt); ok {
		return at, info.Size(), nil
	}
	if info.Size() > limit {
		return nil, 0, fmt.Errorf("larger than %d MiB, which is too large for one in an archive", limit>>20)
	}
	content, err := io.ReadAll(io.LimitReader(file, limit))
	return bytes.NewReader(content), int64(len(content)), err
}

// contents are the entries of an archive.
type contents struct {
	files   map[string]*entry
	folders map[string][]fs.DirEntry
	nested  bool
}

// An entry is a file in an archive.
type entry struct {
	*zip.FileHeader
	unpack func() (io.ReadCloser, error)
}

// list reads the directory of an archive. Of entries with one name the second is called NAME-2.
func list(file io.ReaderAt, size int64, info fs.FileInfo, nested bool) (*contents, error) {
	if isGzip(info.Name()) {
		return listGzip(file, size, info, nested)
	}
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("not a zip archive that can be read: %w", err)
	}
	if len(archive.File) > MaxEntries {
		return nil, fmt.Errorf("an archive of more than %d entries", MaxEntries)
	}
	c := &contents{files: map[string]*entry{}, folders: map[string][]fs.DirEntry{".": nil}, nested: nested}
	var bytes uint64
	encrypted, plain := 0, 0
	for _, packed := range archive.File {
		if !utf8.ValidString(packed.Name) { // as Windows writes it
			if known, err := charmap.CodePage437.NewDecoder().String(packed.Name); err == nil {
				packed.Name = known
			}
		}
		name := path.Clean(strings.ReplaceAll(packed.Name, `\`, "/"))
		if !fs.ValidPath(name) || name == "." {
			name = path.Base(name) // it leads out of the archive
		}
		if bytes += packed.UncompressedSize64; bytes > MaxBytes || bytes > uint64(size)*MaxRatio+freeBytes || packed.UncompressedSize64 > MaxBytes { // #nosec G115 -- a size is not negative
			return nil, fmt.Errorf("an archive that unpacks to more than %d GiB, or to more than %d times its size", MaxBytes>>30, MaxRatio)
		}
		if packed.FileInfo().IsDir() || !fs.ValidPath(name) || name == "." {
			continue
		}
		ending := path.Ext(name)
		for stem, number := strings.TrimSuffix(name, ending), 2; c.files[name] != nil; number++ {
			name = fmt.Sprintf("%s-%d%s", stem, number, ending)
		}
		if packed.Flags&1 != 0 {
			encrypted++
		} else {
			plain++
		}
		packed.Name = name // as its information gives it
		c.put(&entry{&packed.FileHeader, packed.Open})
	}
	if encrypted > 0 && plain == 0 {
		return nil, ErrEncrypted
	}
	for _, entries := range c.folders {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return c, nil
}

func (c *contents) put(one *entry) {
	c.files[one.Name] = one
	c.add(one.Name, fs.FileInfoToDirEntry(one.FileInfo()))
}

// add lists an entry in its folder, and that folder in the one above.
func (c *contents) add(name string, entry fs.DirEntry) {
	if entry.Type().IsRegular() && IsName(name) && !c.nested {
		entry = folderEntry{entry}
	}
	folder := path.Dir(name)
	_, known := c.folders[folder]
	c.folders[folder] = append(c.folders[folder], entry)
	if !known {
		c.add(folder, folderEntry{fs.FileInfoToDirEntry(folderInfo(path.Base(folder)))})
	}
}

func (c *contents) stat(name string) (fs.FileInfo, error) {
	if entry, ok := c.files[name]; ok {
		return entry.FileInfo(), nil
	}
	if _, ok := c.folders[name]; ok {
		return folderInfo(path.Base(name)), nil
	}
	return nil, fs.ErrNotExist
}

func (c *contents) open(name string) (fs.File, error) {
	entry, ok := c.files[name]
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case entry.Flags&1 != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrEncrypted}
	case c.nested && IsName(name):
		return nil, &fs.PathError{Op: "open", Path: name, Err: errDepth}
	}
	opened, err := entry.unpack()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &file{opened, entry}, nil
}

// A file is an entry that is read.
type file struct {
	io.ReadCloser
	entry *entry
}

func (f *file) Stat() (fs.FileInfo, error) { return f.entry.FileInfo(), nil }

// A folderInfo describes a folder in an archive, by its name.
type folderInfo string

func (f folderInfo) Name() string     { return string(f) }
func (folderInfo) Size() int64        { return 0 }
func (folderInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o500 }
func (folderInfo) ModTime() time.Time { return time.Time{} }
func (folderInfo) IsDir() bool        { return true }
func (folderInfo) Sys() any           { return nil }
