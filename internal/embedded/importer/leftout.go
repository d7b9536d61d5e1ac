package importer

import (
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// maxLeftOut is how many files are remembered of which something was left out.
const maxLeftOut = 100

// A leftOut sums up by file what is left out, for those who ask about the data.
type leftOut struct {
	manifest folderManifest
	found    listing
	files    []model.LeftOut
	at       map[string]int // place in files
	more     int            // files beyond maxLeftOut
}

// follow returns a watch that notes each skip on its way.
func (l *leftOut) follow(watch Watch) Watch {
	skipped := watch.skipped
	watch.Skipped = func(s Skip) {
		l.add(s)
		skipped(s)
	}
	return watch
}

func (l *leftOut) add(s Skip) {
	at, known := l.at[s.File]
	switch {
	case !known && len(l.files) == maxLeftOut:
		l.more++
		return
	case !known:
		at = len(l.files)
		l.at[s.File] = at
		l.files = append(l.files, model.LeftOut{File: s.File, Line: s.Line, Reason: s.Reason})
	}
	if s.Line > 0 {
		l.files[at].Pieces++
	}
}

// list says of each file which stream it belongs to.
func (l *leftOut) list() []model.LeftOut {
	for index := range l.files {
		l.place(&l.files[index])
	}
	if l.more == 0 {
		return l.files
	}
	return append(l.files, model.LeftOut{
		ConnectionID: l.manifest.Connectors[0].Connections[0].ID, File: fmt.Sprintf("%d more files", l.more), Reason: "see where the program was started",
	})
}

func (l *leftOut) place(one *model.LeftOut) {
	for index, connector := range l.manifest.Connectors {
		for _, connection := range connector.Connections {
			if one.ConnectionID == "" || isWithin(one.File, connection.Folder) {
				one.ConnectionID = connection.ID
			}
		}
		for _, stream := range l.found.streams[index] {
			for _, file := range stream.files {
				if file.name == one.File {
					one.Part = partName(connector.Key, stream.stream)
					one.Stream, one.ConnectionID = stream.stream, file.connection
					return
				}
			}
		}
	}
}
