package importer

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"hash/crc64"
	"io"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
)

// A partFiles is the recorded state of the files of a part, as JSON in model.Part.
type partFiles struct {
	Version  int
	Format   format
	Declared schema.Stream
	Files    []fileState
	Blobs    []fileState
	Year     int                `json:",omitempty"` // in which a calendar was read
	Pieces   map[string][]piece `json:",omitempty"` // of its files, by name
}

// compare returns the state of the files of a stream and of its declaration, and reports whether the state before was the same.
func (s *fileStream) compare(ctx context.Context, before string, blobs []fileState) (now string, same bool) {
	var old partFiles
	_ = json.Unmarshal([]byte(before), &old) // on an error no files are known
	current := partFiles{
		Version: readerVersion, Format: s.format, Declared: s.declared, Files: stateOf(s.from.fsys, slices.Concat(s.files, s.dependsOn)),
		Blobs: blobs, Pieces: map[string][]piece{},
	}
	if s.format == formatCalendar {
		current.Year = s.from.now.Year()
	}
	for _, file := range s.files {
		if file.pieces != nil {
			current.Pieces[file.name] = file.pieces
		}
	}
	same = len(old.Files) == len(current.Files)
	for index := range current.Files {
		one := &current.Files[index]
		var earlier fileState
		if index < len(old.Files) {
			earlier = old.Files[index]
		}
		if one.Hash = earlier.Hash; *one == earlier {
			continue
		}
		one.Hash = ""
		// hashed before the records are read: what is written later is a change
		one.Hash = s.from.cache.hash(*one, func(name string) string { return s.hash(ctx, name) })
		same = same && one.Hash != "" && one.Name == earlier.Name && one.Size == earlier.Size && one.Hash == earlier.Hash
	}
	old.Files = current.Files
	was, _ := json.Marshal(old) // cannot fail: strings and numbers
	is, _ := json.Marshal(current)
	return string(is), same && string(was) == string(is)
}

func (s *fileStream) hash(ctx context.Context, name string) string {
	opened, err := openFile(s.from.fsys, name)
	if err != nil {
		return ""
	}
	defer func() { _ = opened.Close() }()            // it was only read
	digest := crc64.New(crc64.MakeTable(crc64.ECMA)) // files change by accident, not to deceive; and some have gigabytes
	if err := guard(func() error { _, err := io.Copy(digest, stopping{opened, ctx}); return err }); err != nil {
		return ""
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// readerVersion changes when the same files give other records than before, so that existing indexes are rebuilt.
const readerVersion = 60
