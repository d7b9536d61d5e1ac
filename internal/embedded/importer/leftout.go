package importer

import (
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// How much of what is left out is remembered: so many files, and so many pieces of each. The rest is counted.
const (
	maxLeftOut = 10_000
	maxPieces  = 1000
)

// A leftOut sums up by file what is left out, for those who ask about the data.
type leftOut struct {
	places map[string]place // of files, by name
	within []place          // of connections: what others are in
	files  []*leftFile
	byName map[string]*leftFile
	more   int // files beyond maxLeftOut
}

// A place is what a file belongs to.
type place struct{ connection, folder, stream, part string }

type leftFile struct {
	model.LeftOut
	part    string
	isAside bool // what is said of it first is no record
}

func newLeftOut(manifest schema.Folder) *leftOut {
	l := &leftOut{places: map[string]place{}, byName: map[string]*leftFile{}}
	for _, connector := range manifest.Connectors {
		for _, connection := range connector.Connections {
			l.within = append(l.within, place{connection: connection.ID, folder: connection.Folder})
		}
	}
	return l
}

// found says which files belong to which streams.
func (l *leftOut) found(connector string, streams []fileStream) {
	for _, stream := range streams {
		for _, file := range stream.files {
			l.places[file.name] = place{connection: file.connection, stream: stream.stream, part: partName(connector, stream.stream)}
		}
	}
}

// follow returns a watch that notes each skip on its way.
func (l *leftOut) follow(watch Watch) Watch {
	skipped, kept := watch.skipped, watch.Kept
	watch.Skipped = func(s Skip) {
		l.add(s, false)
		skipped(s)
	}
	watch.Kept = func(s Skip) {
		l.add(s, true)
		if kept != nil {
			kept(s)
		}
	}
	return watch
}

// add takes in a skip, but for what was read elsewhere: no answer misses that.
func (l *leftOut) add(s Skip, kept bool) {
	if s.IsCopy() {
		return
	}
	one, known := l.byName[s.File]
	switch {
	case !known && len(l.files) == maxLeftOut:
		l.more++
		return
	case !known:
		at := l.placeOf(s.File)
		one = &leftFile{LeftOut: model.LeftOut{ConnectionID: at.connection, Stream: at.stream, File: s.File, Line: s.Line, Reason: s.Reason},
			part: at.part}
		l.byName[s.File] = one
		l.files = append(l.files, one)
	case len(one.More) < maxPieces:
		one.More = append(one.More, model.Left{Line: s.Line, Reason: s.Reason})
	}
	isAside := item.IsAside(s.Reason)
	if !isAside && (one.isAside || s.Line == 0 && one.Line > 0) { // this, or the loss of all of the rest, matters more
		if last := len(one.More) - 1; last >= 0 {
			one.More[last] = model.Left{Line: one.Line, Reason: one.Reason}
		}
		one.Line, one.Reason = s.Line, s.Reason
	}
	one.isAside = isAside && (!known || one.isAside)
	switch {
	case s.Line == 0:
		return
	case kept:
		one.Kept++
	case isAside:
		one.Aside++
	}
	one.Pieces++
}

func (l *leftOut) placeOf(name string) place {
	if at, ok := l.places[name]; ok {
		return at
	}
	at := slices.IndexFunc(l.within, func(p place) bool { return schema.IsWithin(name, p.folder) })
	return l.within[max(at, 0)]
}

// of lists what was left out of the files of a part or, of none, of those that belong to no part.
func (l *leftOut) of(part string) []model.LeftOut {
	return l.list(part == "", func(one *leftFile) bool { return one.part == part })
}

func (l *leftOut) all() []model.LeftOut { return l.list(true, func(*leftFile) bool { return true }) }

func (l *leftOut) list(rest bool, wanted func(*leftFile) bool) (list []model.LeftOut) {
	for _, one := range l.files {
		if wanted(one) {
			list = append(list, one.LeftOut)
		}
	}
	if l.more > 0 && rest {
		list = append(list, model.LeftOut{ConnectionID: l.within[0].connection, File: fmt.Sprintf("%d more files", l.more),
			Reason: "too many to be named"})
	}
	return list
}
