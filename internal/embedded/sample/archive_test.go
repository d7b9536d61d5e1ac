package sample

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "pack the folder year anew")

// pack returns an archive of the files of the folder year: the same bytes for the same files.
func pack(t *testing.T) []byte {
	t.Helper()
	var written bytes.Buffer
	archive := zip.NewWriter(&written)
	folder := os.DirFS("year")
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		into, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		_, err = into.Write(file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return written.Bytes()
}

// The archive has exactly the files of the folder; -update writes it.
func TestThePackedYearIsTheFolder(t *testing.T) {
	if *update {
		file, err := os.Create("year.zip.gz")
		if err != nil {
			t.Fatal(err)
		}
		compressed, err := gzip.NewWriterLevel(file, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compressed.Write(pack(t)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(compressed.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		return
	}
	held, err := unpack()
	if err != nil {
		t.Fatal(err)
	}
	anew := pack(t)
	wanted, err := zip.NewReader(bytes.NewReader(anew), int64(len(anew)))
	if err != nil {
		t.Fatal(err)
	}
	if len(held.File) != len(wanted.File) {
		t.Fatalf("%d files are packed, want %d: go test ./internal/embedded/sample -update", len(held.File), len(wanted.File))
	}
	for i, file := range held.File {
		if file.Name != wanted.File[i].Name || !bytes.Equal(contents(t, file), contents(t, wanted.File[i])) {
			t.Errorf("%s differs from the folder: go test ./internal/embedded/sample -update", file.Name)
		}
	}
}

func contents(t *testing.T, file *zip.File) []byte {
	t.Helper()
	reader, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}
