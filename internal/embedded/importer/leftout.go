package importer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Limits on what is remembered of skipped data: files, and pieces of each file. The rest is only counted.
const (
	maxLeftOut = 10_000
	maxPieces  = 1000
)

// A leftOut collects, by file, what is left out of the corpus.
type leftOut struct {
	connections []schema.Connection
	known       map[string]*leftFile // files of streams and files with something left out, by name; nil: counted in more
	files       []*leftFile          // files of which something is left out
	more        int                  // files beyond maxLeftOut
}

type leftFile struct {
	model.LeftOut
	part string // empty: it belongs to no part
	rank int    // of its reason: the lowest matters most
}

func newLeftOut(manifest schema.Folder) *leftOut {
	l := &leftOut{known: map[string]*leftFile{}}
	for _, connector := range manifest.Connectors {
		l.connections = append(l.connections, connector.Connections...)
	}
	return l
}

func (l *leftOut) found(connector string, streams []fileStream) {
	for _, stream := range streams {
		for _, file := range stream.files {
			one := &leftFile{part: partName(connector, stream.stream)}
			one.ConnectionID, one.Stream, one.File = file.connection, stream.stream, file.name
			l.known[file.name] = one
		}
	}
}

// follow returns a watch that records each skip and then calls watch.
func (l *leftOut) follow(watch Watch) Watch {
	noting := func(next func(Skip), kept bool) func(Skip) {
		return func(s Skip) {
			if l.add(s, kept); next != nil {
				next(s)
			}
		}
	}
	watch.Skipped, watch.Kept = noting(watch.Skipped, false), noting(watch.Kept, true)
	return watch
}

// add records a skip. It ignores copies, whose content was read elsewhere.
func (l *leftOut) add(s Skip, kept bool) {
	if s.IsCopy() {
		return
	}
	one, known := l.known[s.File]
	if !known {
		at := slices.IndexFunc(l.connections, func(c schema.Connection) bool { return schema.IsWithin(s.File, c.Folder) })
		one = &leftFile{LeftOut: model.LeftOut{ConnectionID: l.connections[max(at, 0)].ID, File: s.File}}
	}
	if one == nil {
		return // it is counted in more
	}
	isFirst, isAside := one.Reason == "", item.IsAside(s.Reason)
	if isFirst && len(l.files) == maxLeftOut {
		l.more++
		l.known[s.File] = nil
		return
	}
	rank := 1 // the loss of a piece, which is worse than no loss, but not than that of a file or of its rest
	if isAside {
		rank = 2
	} else if s.Line == 0 {
		rank = 0
	}
	piece := model.Left{Line: s.Line, Reason: s.Reason}
	if isFirst || rank < one.rank {
		piece, one.Line, one.Reason, one.rank = model.Left{Line: one.Line, Reason: one.Reason}, s.Line, s.Reason, rank
	}
	switch {
	case isFirst:
		l.known[s.File] = one
		l.files = append(l.files, one)
	case strings.Contains(piece.Reason, item.AroundTable): // which concerns the whole table
		one.More = slices.Insert(one.More, 0, piece)
	case len(one.More) < maxPieces:
		one.More = append(one.More, piece)
	}
	switch {
	case s.Line == 0:
		return
	case isAside:
		one.Aside++
	case kept:
		one.Kept++
	}
	one.Pieces++
}

// of lists what was left out of the files of the wanted parts. Files of no part have the part name "".
func (l *leftOut) of(isWanted func(part string) bool) (list []model.LeftOut) {
	for _, one := range l.files {
		if isWanted(one.part) {
			list = append(list, one.LeftOut)
		}
	}
	if l.more > 0 && isWanted("") {
		list = append(list, model.LeftOut{ConnectionID: l.connections[0].ID, File: fmt.Sprintf("%d more files", l.more),
			Reason: "too many to be named"})
	}
	return list
}

// ofPart lists what was left out of the files of a part; without a name, of the files of no part.
func (l *leftOut) ofPart(name string) []model.LeftOut {
	return l.of(func(part string) bool { return part == name })
}

// A Watch follows the reading of files. Any of its fields may be nil or zero.
type Watch struct {
	Kept    func(Skip)  // called for each record that is kept without some of its data
	Skipped func(Skip)  // called for each piece that is left out; in streams with declared fields, while their records are read
	Found   func(n int) // called for each thousand records found, before any is loaded
	Now     time.Time   // time of the import, on which it depends how far events recur; zero: now
	Later   []string    // files that are still being written: what is known of them stays as it is
}

// stillWritten is the reason to postpone a new file.
const stillWritten = "still being written: it is read once it no longer changes"

// isLater reports whether a file, or the archive that it is in, is still being written.
func (w Watch) isLater(name string) bool {
	return slices.ContainsFunc(w.Later, func(one string) bool { return name == one || strings.HasPrefix(name, one+"/") })
}

// kept reports a record that is kept without some of its data, which the note describes; "": it lacks nothing.
func (w Watch) kept(file string, line int, note string) {
	if note != "" {
		w.Kept(Skip{File: file, Line: line, Reason: note})
	}
}
