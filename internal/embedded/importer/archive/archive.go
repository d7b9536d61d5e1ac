// Package archive presents zip archives and gzip files as folders. It unpacks nothing to disk, and uses no name in an archive as a path.
package archive

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Limits of an archive: its entries, its unpacked bytes, and the ratio of these to its size, beyond freeBytes. Text packs to a fiftieth.
const (
	MaxEntries = 100_000
	MaxBytes   = 64 << 30
	MaxRatio   = 200
	freeBytes  = 64 << 20
	// MaxNested is the maximum size of an archive in an archive, in bytes. It is read into memory.
	MaxNested = 128 << 20
	maxKept   = 16 // maximum number of open archives
)

// Errors for files that are not read.
var (
	errEncrypted = errors.New("encrypted")
	errDepth     = errors.New("an archive in two others, which is not unpacked")
)

// An FS is a folder in which archives, also those in an archive, are folders. It is safe for concurrent use.
type FS struct {
	base fs.FS
	mu   sync.Mutex
	kept map[string]*contents
}

type contents struct {
	fs.FS
	nested bool // in another archive
}

// In returns a folder with its archives as folders.
func In(base fs.FS) *FS { return &FS{base: base, kept: map[string]*contents{}} }

// IsName reports whether a name is that of a zip archive or a gzip file. A tar file in gzip is neither.
func IsName(name string) bool { return strings.EqualFold(path.Ext(name), ".zip") || isGzip(name) }

// Open opens a file, or a folder or an archive to list it. A file in an archive cannot seek: open it again to start over.
func (f *FS) Open(name string) (fs.File, error) {
	place, within, err := f.split("open", name)
	if err != nil {
		return nil, err
	}
	return place.open(within)
}

func (c *contents) open(within string) (fs.File, error) {
	opened, err := c.Open(within)
	if err != nil {
		return nil, err
	}
	info, err := opened.Stat()
	if err != nil {
		return opened, nil //nolint:nilerr // who reads it meets the error
	}
	entry, isEntry := info.Sys().(*zip.FileHeader)
	switch {
	case isEntry && entry.Flags&1 != 0:
		err = errEncrypted
	case isEntry && c.nested && !info.IsDir() && IsName(within):
		err = errDepth
	default:
		return opened, nil
	}
	_ = opened.Close() // it was only looked at
	return nil, &fs.PathError{Op: "open", Path: within, Err: err}
}

// Stat describes a file.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	place, within, err := f.split("stat", name)
	switch {
	case err != nil:
		return nil, err
	case within == "." && name != ".":
		return folderInfo(name), nil
	}
	return fs.Stat(place.FS, within)
}

// ReadDir lists a folder or an archive.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	place, within, err := f.split("open", name)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(place.FS, within)
	for index, entry := range entries {
		if entry.Type().IsRegular() && IsName(entry.Name()) && !place.nested {
			entries[index] = fs.FileInfoToDirEntry(folderInfo(entry.Name()))
		}
	}
	return entries, err
}

func folderInfo(name string) fs.FileInfo { return (&zip.FileHeader{Name: name + "/"}).FileInfo() }

// split returns the innermost archive on a path, or the base folder, and the rest of the path.
func (f *FS) split(op, name string) (*contents, string, error) {
	in := &contents{FS: f.base}
	begin := 0
	for at := 0; at <= len(name); at++ {
		if at < len(name) && name[at] != '/' || !IsName(name[:at]) || begin > at {
			continue
		}
		next, err := f.contents(in, name[:at], name[begin:at])
		if err != nil {
			return nil, "", &fs.PathError{Op: op, Path: name, Err: err}
		}
		if next != nil {
			in, begin = next, at+1
		}
	}
	if begin > len(name) {
		return in, ".", nil
	}
	return in, name[begin:], nil
}

// contents opens the archive name, which is in the base folder or in another archive. It returns nil if name is a folder.
func (f *FS) contents(in *contents, name, within string) (*contents, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.kept[name]; ok {
		return known, nil
	}
	if in.nested {
		return nil, nil
	}
	isOuter := in.FS == f.base
	opened, err := in.open(within)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && !isOuter {
			return nil, nil
		}
		if of, ok := errors.AsType[*fs.PathError](err); ok {
			err = of.Err
		}
		return nil, err
	}
	info, err := opened.Stat()
	if err != nil || info.IsDir() {
		_ = opened.Close() // it was only looked at
		return nil, err
	}
	file, size, err := ReaderAt(opened)
	if err != nil {
		return nil, err
	}
	files, err := list(file, size, info)
	if err != nil {
		_ = opened.Close() // it was only read
		return nil, err
	}
	if len(f.kept) == maxKept || !isOuter {
		clear(f.kept) // unreferenced files get closed; one nested archive is in memory
	}
	f.kept[name] = &contents{files, !isOuter}
	return f.kept[name], nil
}

// ReaderAt returns a file for random access, and its size. It reads a file in an archive into memory, if it has at most MaxNested bytes.
func ReaderAt(file fs.File) (io.ReaderAt, int64, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	if at, ok := file.(io.ReaderAt); ok {
		return at, info.Size(), nil
	}
	if info.Size() > MaxNested {
		return nil, 0, fmt.Errorf("larger than %d MiB, which is too large for one in an archive", MaxNested>>20)
	}
	content, err := io.ReadAll(io.LimitReader(file, MaxNested))
	return bytes.NewReader(content), int64(len(content)), err
}

// list reads the directory of an archive. It renames the second entry with a name to NAME-2.
func list(file io.ReaderAt, size int64, info fs.FileInfo) (fs.FS, error) {
	if isGzip(info.Name()) {
		return listGzip(file, size, info)
	}
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("not a zip archive that can be read: %w", err)
	}
	if len(archive.File) > MaxEntries {
		return nil, fmt.Errorf("an archive of more than %d entries", MaxEntries)
	}
	var bytes uint64
	var files []*zip.File
	taken := map[string]bool{} // names of folders, and then of files
	encrypted := 0
	for _, packed := range archive.File {
		if bytes += packed.UncompressedSize64; bytes > MaxBytes || bytes > uint64(size)*MaxRatio+freeBytes || packed.UncompressedSize64 > MaxBytes { // #nosec G115 -- a size is not negative
			return nil, fmt.Errorf("an archive that unpacks to more than %d GiB, or to more than %d times its size", MaxBytes>>30, MaxRatio)
		}
		name := entryName(packed.Name)
		if packed.FileInfo().IsDir() || !fs.ValidPath(name) || name == "." {
			continue
		}
		packed.Name, files = name, append(files, packed)
		for folder := path.Dir(name); !taken[folder]; folder = path.Dir(folder) {
			taken[folder] = true
		}
		if packed.Flags&1 != 0 {
			encrypted++
		}
	}
	if encrypted > 0 && encrypted == len(files) {
		return nil, errEncrypted
	}
	given := map[string]int{} // the last number in each name
	for _, packed := range files {
		name := packed.Name
		ending := path.Ext(name)
		for stem := strings.TrimSuffix(name, ending); taken[packed.Name]; {
			given[name]++
			packed.Name = fmt.Sprintf("%s-%d%s", stem, given[name]+1, ending)
		}
		taken[packed.Name] = true
	}
	archive.File = files
	return archive, nil
}

// entryName returns the path of an entry in its archive, with slashes. Of a path that leads out of the archive it returns the last part.
func entryName(name string) string {
	if !utf8.ValidString(name) { // in the code page of Windows
		if known, err := charmap.CodePage437.NewDecoder().String(name); err == nil {
			name = known
		}
	}
	if name = path.Clean(strings.ReplaceAll(name, `\`, "/")); !fs.ValidPath(name) {
		return path.Base(name)
	}
	return name
}

func isGzip(name string) bool {
	packed, ok := strings.CutSuffix(strings.ToLower(name), ".gz")
	return ok && path.Ext(packed) != "" && path.Ext(packed) != ".tar"
}

// A packedFile is a gzip file as a folder with one file.
type packedFile struct {
	header *zip.FileHeader
	from   io.ReaderAt
	size   int64
}

// listGzip returns a gzip file as a folder. The file in it has the name of the gzip file without its ending, and the size and checksum from
// the trailer.
func listGzip(from io.ReaderAt, size int64, info fs.FileInfo) (fs.FS, error) {
	const trailer = 8
	var end [trailer]byte
	if _, err := from.ReadAt(end[:], max(size-trailer, 0)); err != nil {
		return nil, errors.New("not a file that gzip packed")
	}
	header := &zip.FileHeader{Name: info.Name()[:len(info.Name())-len(".gz")], Modified: info.ModTime(),
		CRC32: binary.LittleEndian.Uint32(end[:]), UncompressedSize64: uint64(binary.LittleEndian.Uint32(end[4:]))}
	header.SetMode(0o400)
	packed := packedFile{header, from, size}
	if _, err := packed.Open(header.Name); err != nil {
		return nil, fmt.Errorf("not a file that gzip packed: %w", err)
	}
	return packed, nil
}

// Open unpacks the file.
func (p packedFile) Open(name string) (fs.File, error) {
	if name != p.header.Name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	from, err := gzip.NewReader(io.NewSectionReader(p.from, 0, p.size))
	return &unpacked{from, p.header, p.size*MaxRatio + freeBytes}, err
}

// ReadDir lists the file.
func (p packedFile) ReadDir(string) ([]fs.DirEntry, error) {
	return []fs.DirEntry{fs.FileInfoToDirEntry(p.header.FileInfo())}, nil
}

// An unpacked file returns an error once it has more bytes than its limit.
type unpacked struct {
	io.ReadCloser
	header *zip.FileHeader
	left   int64
}

// Stat describes the file.
func (u *unpacked) Stat() (fs.FileInfo, error) { return u.header.FileInfo(), nil }

func (u *unpacked) Read(into []byte) (int, error) {
	if u.left <= 0 {
		return 0, fmt.Errorf("it unpacks to more than %d times its size", MaxRatio)
	}
	count, err := u.ReadCloser.Read(into[:min(int64(len(into)), u.left)])
	u.left -= int64(count)
	return count, err
}
