package archive

import (
	"archive/zip"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

func isGzip(name string) bool {
	packed, ok := strings.CutSuffix(strings.ToLower(name), ".gz")
	return ok && path.Ext(packed) != "" && path.Ext(packed) != ".tar"
}

// A packedFile is a folder of the one file that gzip packed.
type packedFile struct {
	header *zip.FileHeader
	from   io.ReaderAt
	size   int64
}

// listGzip is the one file that gzip packed, which is called as what it is packed in, without the ending. Its size and checksum stand at
// the end.
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

// An unpacked file refuses to come to more than a text may.
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
