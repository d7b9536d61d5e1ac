package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/archive"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/database"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

type listing struct {
	streams [][]fileStream // by connector; in the order of the manifest, then of file names
	blobs   []sourceFile   // files that records may name
	skips   []Skip
}

// list finds the files of a folder, sorted by name, and the reasons why others cannot be used.
func (f folder) list(ctx context.Context, manifest schema.Folder, known map[fileState][]piece) (listing, error) {
	var found listing
	usable := false
	for _, connector := range manifest.Connectors {
		var streams []fileStream
		for _, connection := range connector.Connections {
			l := lister{
				ctx: ctx, from: f, blobs: manifest.Blobs, connection: connection, declared: connector.Streams, taken: map[string]bool{},
				groups: map[fileGroup]int{}, known: known, given: map[string]int{},
			}
			err := l.list()
			if len(connector.Streams) == 0 { // declared streams are not merged
				l.gatherMailboxes(true)
				l.gatherMailboxes(false)
				l.gather()
			}
			l.leaveOut()
			found.skips = append(found.skips, l.skips...)
			if err != nil {
				return found, err
			}
			streams = found.addSources(streams, l.sources)
		}
		usable = usable || len(streams) > 0
		arrange(connector, streams)
		found.streams = append(found.streams, streams)
	}
	if !usable {
		return found, f.nothingToLoad()
	}
	var err error
	found.blobs, err = f.listBlobs(manifest.Blobs)
	return found, err
}

// maxStreams is the most streams of a connection: an index has tables for each, and a client reads about each.
const maxStreams = 2000

// leaveOut drops the streams beyond maxStreams, and reports their files as skipped.
func (l *lister) leaveOut() {
	count := min(len(l.sources), maxStreams)
	for _, one := range l.sources[count:] {
		for _, file := range one.files {
			l.skip(file.name, fmt.Sprintf("the stream %s is left out: %d others come before it, and more are not read", one.stream, maxStreams))
		}
	}
	l.sources = l.sources[:count]
}

// addSources adds the streams of another connection. The files of a stream whose name is known join that stream.
func (l *listing) addSources(streams, more []fileStream) []fileStream {
	for _, one := range more {
		at := slices.IndexFunc(streams, func(s fileStream) bool { return s.stream == one.stream })
		switch {
		case at < 0:
			streams = append(streams, one)
		case streams[at].format != one.format:
			for _, file := range one.files {
				l.skips = append(l.skips, Skip{File: file.name, Reason: "another connection has a file of another kind for the stream " + one.stream})
			}
		default:
			streams[at].files = append(streams[at].files, one.files...)
		}
	}
	return streams
}

func (l listing) checkStreams(m schema.Folder) error {
	for index, connector := range m.Connectors {
		for _, declared := range connector.Streams {
			if !slices.ContainsFunc(l.streams[index], func(one fileStream) bool { return one.stream == declared.Name }) {
				return fmt.Errorf("%s: stream %q: no file has this name", schema.ManifestName, declared.Name)
			}
		}
	}
	return nil
}

// arrange gives each stream its declaration in the manifest, and sorts declared streams to the front.
func arrange(c schema.Connector, streams []fileStream) {
	rank := func(name string) int {
		if at := slices.IndexFunc(c.Streams, func(s schema.Stream) bool { return s.Name == name }); at >= 0 {
			return at
		}
		return len(c.Streams)
	}
	slices.SortStableFunc(streams, func(a, b fileStream) int { return rank(a.stream) - rank(b.stream) })
	for index := range streams {
		streams[index].declared = schema.Stream{Name: streams[index].stream}
		if at := rank(streams[index].stream); at < len(c.Streams) {
			streams[index].declared = c.Streams[at]
		}
		streams[index].idField = streams[index].declared.ID()
	}
}

// list adds the files of the connection: those of its folder, or one file.
func (l *lister) list() error {
	defer l.addNotes() // when all notes are known
	l.root = l.connection.Folder
	if archive.IsName(l.from.only) {
		l.root = l.from.only
	}
	err := l.from.walk(l.root, l.visit)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: connection %q: there is no folder %q", schema.ManifestName, l.connection.ID, l.root)
	}
	return err
}

// visit adds a file of the connection's folder. A link is followed to a file within the folder, never to another folder.
func (l *lister) visit(name string, entry fs.DirEntry, err error) error {
	if name == schema.ManifestName && l.from.only == "" || l.blobs != "" && schema.IsWithin(name, l.blobs) {
		return nil
	}
	if err := l.ctx.Err(); err != nil {
		return err
	}
	var info fs.FileInfo
	isLink := err == nil && entry.Type()&fs.ModeSymlink != 0
	if isLink {
		info, err = fs.Stat(l.from.fsys, name) // of its target
	} else if err == nil {
		info, err = entry.Info()
	}
	switch {
	case err != nil && isLink:
		l.skip(name, linkOut)
	case err != nil:
		l.skip(name, "cannot be read: "+item.Reason(err))
	case info.IsDir():
		l.skip(name, linkToFolder)
	default:
		if err := guard(func() error { return l.add(name, info) }); err != nil {
			l.skip(name, "cannot be read: "+item.Reason(err))
		}
	}
	return nil
}

const (
	linkToFolder = "a link to a folder, which is not followed"
	linkOut      = "a link out of the folder or to nothing, which is not followed"
)

// sourceFormat returns how a file is read, or the reason why it is not. Excluded files, and files that belong to a database or an index,
// have no format and no reason.
func (l *lister) sourceFormat(name string, info fs.FileInfo) (kind format, reason string) {
	if _, isSidecar := ownerOf(l.from.fsys, name, sidecarSuffixes, database.Is); isSidecar || l.from.excludes(info) {
		return formatUnknown, ""
	}
	if !info.Mode().IsRegular() {
		return formatUnknown, notRegular
	}
	if index, ok := indexOf(l.from.fsys, name); ok && index == name {
		return formatUnknown, "an index of pdpp-mcp, not data"
	} else if ok {
		return formatUnknown, ""
	}
	if kind, reason = recognize(l.from.fsys, name); kind == formatDocument && l.isTwin(name) {
		return formatUnknown, item.SameAs + "the .json file beside it"
	}
	return kind, reason
}

// add adds the streams of a file, or the reason why it is skipped.
func (l *lister) add(name string, info fs.FileInfo) error {
	kind, reason := l.sourceFormat(name, info)
	if reason != "" {
		l.skip(name, reason)
	}
	file := sourceFile{name: name, connection: l.connection.ID, size: info.Size()}
	called := takeoutPart().ReplaceAllString(l.relative(name), "$1/")
	group := ""
	if groups := ways[kind].group; groups != nil {
		group = groups(called)
	}
	switch {
	case kind == formatUnknown:
	case kind == formatWorkbook:
		return l.addSheets(file)
	case kind == formatDatabase:
		return l.addTables(file)
	case kind == formatNotes:
		l.notes = append(l.notes, file)
	case group != "":
		added := l.addTo(group, kind, file)
		if conversation := ways[kind].conversation; conversation != nil && path.Base(name) == conversation.file {
			file.Part = conversation.part
			parts := l.addTo(path.Join(group, conversation.part), kind, file)
			parts.relations = []model.Relation{model.HasMany("messages", added.stream, conversation.key)}
		}
	case ways[kind].pieces != nil:
		file.pieces = l.pieces(called, file, ways[kind].pieces)
		l.addPieces("", kind, called, file)
	default:
		l.addStream(l.streamFor(kind, called), kind, file)
	}
	return nil
}

// isTwin reports a page of HTML next to the .json file of the same Google Keep note, which has the same content.
func (l *lister) isTwin(name string) bool {
	note := strings.TrimSuffix(name, path.Ext(name)) + ".json"
	start, err := beginning(l.from.fsys, note, startBytes)
	return err == nil && ways[formatKeep].is(note, start)
}

// takeoutPart matches one of the archives that a Google Takeout export is divided into.
var takeoutPart = item.Expression(`(takeout-\d{8}(?:T\d{6}Z)?)(?:-\d+)?-\d{3}(?:\.zip)?/`)

func (f folder) nothingToLoad() error {
	return fmt.Errorf("nothing to load in %s: name a folder or a file of %s", f.shown, knownEndings)
}
