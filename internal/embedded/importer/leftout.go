package importer

import (
	"fmt"
	"slices"
	"strings"

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
	connections []schema.Connection
	known       map[string]*leftFile // those of streams, and those of which something is left out, by name
	files       []*leftFile          // of which something is left out
	more        int                  // files beyond maxLeftOut
}

type leftFile struct {
	model.LeftOut
	part    string // empty: it belongs to none
	isAside bool   // what is said of it first is no record
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

// follow returns a watch that notes each skip on its way.
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

// add takes in a skip, but for what was read elsewhere: no answer misses that.
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
		return // it is one of more
	}
	isFirst := one.Reason == ""
	switch {
	case isFirst && len(l.files) == maxLeftOut:
		l.more++
		l.known[s.File] = nil
		return
	case isFirst:
		one.Line, one.Reason = s.Line, s.Reason
		l.known[s.File] = one
		l.files = append(l.files, one)
	case strings.Contains(s.Reason, item.AroundTable): // which concerns the whole table
		one.More = slices.Insert(one.More, 0, model.Left{Line: s.Line, Reason: s.Reason})
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
	one.isAside = isAside && (isFirst || one.isAside)
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

// of lists what was left out of the files of some parts. Those of no part have the empty name.
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

// ofPart lists what was left out of the files of a part or, of none, of those that belong to no part.
func (l *leftOut) ofPart(name string) []model.LeftOut {
	return l.of(func(part string) bool { return part == name })
}
