package importer

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// addSheets makes a stream of each sheet of a workbook, or of each of its tables.
func (l *lister) addSheets(file sourceFile) error {
	book, err := openWorkbook(l.from.fsys, file.name)
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }() // it was only read
	called := l.relative(file.name)
	file.pieces = l.pieces(called, file, func(io.ReadSeeker) (found []piece, err error) {
		for _, sheet := range book.Sheets {
			rows, err := book.Read(sheet.Name)
			if err != nil {
				return nil, fmt.Errorf("read sheet %s: %w", sheet.Name, err) // reported when the sheet is read
			}
			found = append(found, tablesIn(sheet.Name, rows, true)...)
		}
		return found, nil
	})
	for _, sheet := range book.Sheets {
		name := sheet.Name
		if len(book.Sheets) == 1 {
			name = ""
		}
		l.addPieces(sheet.Name, formatWorkbook, partOf(called, name), file)
	}
	return nil
}

// addPieces makes a stream of each piece of a sheet or a file, or of all of it if it has no pieces or the manifest declares it as one.
func (l *lister) addPieces(part string, kind format, called string, file sourceFile) {
	pieces := slices.DeleteFunc(slices.Clone(file.pieces), func(one piece) bool { return one.Part != part || l.declares(called) })
	if len(pieces) == 0 {
		pieces = []piece{{Part: part}}
	}
	for _, file.piece = range pieces {
		added := l.addStream(l.streamFor(kind, partOf(called, file.title())), kind, file)
		if of := file.Objects; of != nil && of.Items {
			holder := &l.sources[len(l.sources)-2]
			holder.relations = []model.Relation{model.HasMany(of.List, added.stream, objects.ParentField)}
		}
	}
}

// maxDivided is the largest size of a file, in bytes, that is searched for arrays or tables while its folder is listed.
const maxDivided = 64 << 20

// pieces returns the pieces of a file that find finds: nil if it fails, the file is too large, or the manifest declares it as one stream.
// Those of an unchanged file are known from the previous listing.
func (l *lister) pieces(called string, file sourceFile, find func(io.ReadSeeker) ([]piece, error)) []piece {
	if file.size > maxDivided || l.declares(called) {
		return nil
	}
	if known, ok := l.known[stateOf(l.from.fsys, []sourceFile{file})[0]]; ok {
		return known
	}
	found := []piece{}
	err := guard(func() error {
		opened, err := openFile(l.from.fsys, file.name)
		if err != nil {
			return err
		}
		defer func() { _ = opened.Close() }() // it was only read
		some, err := find(stopping{opened, l.ctx})
		found = append(found, some...)
		return err
	})
	if err != nil {
		return nil
	}
	return found
}

// knownPieces returns the pieces of files from the previous listing, by the state of the files at that time.
func knownPieces(known map[string]model.Part) map[fileState][]piece {
	pieces := map[fileState][]piece{}
	for _, part := range known {
		var read partFiles
		if err := json.Unmarshal([]byte(part.Files), &read); err != nil || read.Version != readerVersion {
			continue
		}
		for _, file := range read.Files {
			of := read.Pieces[file.Name]
			if file.Hash = ""; of != nil {
				pieces[file] = of
			}
		}
	}
	return pieces
}

// partOf returns the path of a part as if its file were a folder: "a/b/c.json" for the part "c" of "a/b.json". A part without a name is the
// file.
func partOf(file, part string) string {
	if part == "" {
		return file
	}
	ending := path.Ext(file)
	return strings.TrimSuffix(file, ending) + "/" + part + ending
}
