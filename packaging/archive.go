package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"time"
)

// A file is one entry of an archive, or one file of a release.
type file struct {
	name       string
	data       []byte
	executable bool
}

func (f file) mode() fs.FileMode {
	if f.executable {
		return 0o755
	}
	return 0o644
}

func (f file) sha256() string {
	sum := sha256.Sum256(f.data)
	return hex.EncodeToString(sum[:])
}

// tarball packs files in the given order, all with one date and without an owner.
func tarball(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	err = packed(files, archive, func(f file) (io.Writer, error) {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: int64(f.mode()), ModTime: date, Format: tar.FormatUSTAR}
		return archive, archive.WriteHeader(header)
	})
	if err == nil {
		err = compressed.Close()
	}
	return out.Bytes(), err
}

// zipped packs files into a zip archive, as tarball does.
func zipped(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	err := packed(files, archive, func(f file) (io.Writer, error) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(f.mode())
		return archive.CreateHeader(header)
	})
	return out.Bytes(), err
}

// packed writes the entry of each file and closes the archive.
func packed(files []file, archive io.Closer, entry func(file) (io.Writer, error)) error {
	for _, f := range files {
		into, err := entry(f)
		if err == nil {
			_, err = into.Write(f.data)
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// sliceAlignment is the alignment of programs in a universal binary, as a power of two: the page size of arm64.
const sliceAlignment = 14

// universal joins programs for several processors into one that macOS runs on each of them: a big-endian table of offsets, then the
// unchanged programs with their signatures.
func universal(programs ...[]byte) ([]byte, error) {
	var table, body bytes.Buffer
	const headerSize, rowSize, page = 8, 20, 1 << sliceAlignment
	offset := headerSize + rowSize*len(programs)
	put := func(values ...uint32) {
		for _, value := range values {
			table.Write(binary.BigEndian.AppendUint32(nil, value))
		}
	}
	put(macho.MagicFat, uint32(len(programs))) // #nosec G115 -- two
	for _, program := range programs {
		parsed, err := macho.NewFile(bytes.NewReader(program))
		if err != nil {
			return nil, err
		}
		padding := (page - offset%page) % page
		body.Write(make([]byte, padding))
		offset += padding
		put(uint32(parsed.Cpu), parsed.SubCpu, uint32(offset), uint32(len(program)), sliceAlignment) // #nosec G115 -- some 50 MB
		body.Write(program)
		offset += len(program)
	}
	return append(table.Bytes(), body.Bytes()...), nil
}
