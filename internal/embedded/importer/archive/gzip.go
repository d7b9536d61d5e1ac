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

// listGzip is the one file that gzip packed, which is called as what it is packed in, without the ending. Its size and checksum stand at
// the end.
func listGzip(file io.ReaderAt, size int64, info fs.FileInfo, nested bool) (*contents, error) {
	const trailer = 8
	var end [trailer]byte
	if _, err := file.ReadAt(end[:], max(size-trailer, 0)); err != nil {
		return nil, errors.New("not a file that gzip packed")
	}
	unpack := func() (io.ReadCloser, error) {
		from, err := gzip.NewReader(io.NewSectionReader(file, 0, size))
		return &limited{from, size*MaxRatio + freeBytes}, err
	}
	if _, err := unpack(); err != nil {
		return nil, fmt.Errorf("not a file that gzip packed: %w", err)
	}
	c := &contents{files: map[string]*entry{}, folders: map[string][]fs.DirEntry{".": nil}, nested: nested}
	header := &zip.FileHeader{Name: info.Name()[:len(info.Name())-len(".gz")], Modified: info.ModTime(),
		CRC32: binary.LittleEndian.Uint32(end[:]), UncompressedSize64: uint64(binary.LittleEndian.Uint32(end[4:]))}
	header.SetMode(0o400)
	c.put(&entry{header, unpack})
	return c, nil
}

// A limited reader refuses to unpack more than a text may come to.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(into []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("it unpacks to more than %d times its size", MaxRatio)
	}
	count, err := l.ReadCloser.Read(into[:min(int64(len(into)), l.left)])
	l.left -= int64(count)
	return count, err
}
