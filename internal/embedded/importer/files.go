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
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

type listing struct {
	streams [][]fileStream // of each connector, in the order of the manifest and then of file names
	blobs   []sourceFile   // files that records may name
	skips   []Skip
}

// list finds the files of a folder in the order of their names, and tells which it cannot use.
func (f folder) list(ctx context.Context, manifest schema.Folder, known map[fileState]knownFile) (listing, error) {
	var found listing
	usable := false
	for _, connector := range manifest.Connectors {
		var streams []fileStream
		for _, connection := range connector.Connections {
			l := lister{
				ctx: ctx, from: f, blobs: manifest.Blobs, connection: connection, declared: connector.Streams, taken: map[string]bool{},
				groups: map[group]int{}, known: known, given: map[string]int{},
			}
			err := l.list()
			if len(connector.Streams) == 0 { // a manifest names streams
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

// maxStreams is how many streams a connection may have: an index has tables for each, and a client reads about each.
const maxStreams = 2000

// leaveOut says which streams are too many.
func (l *lister) leaveOut() {
	count := min(len(l.sources), maxStreams)
	for _, one := range l.sources[count:] {
		for _, file := range one.files {
			l.skip(file.name, fmt.Sprintf("the stream %s is left out: %d others come before it, and more are not read", one.stream, maxStreams))
		}
	}
	l.sources = l.sources[:count]
}

// addSources puts the files of another connection with those of the streams that have the same names.
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
				return fmt.Errorf("%s: stream %q: no file is called so", schema.ManifestName, declared.Name)
			}
		}
	}
	return nil
}

// arrange gives each stream what the manifest says about it, and puts those that it names first.
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

// list adds the files of the connection, which may be one file alone.
func (l *lister) list() error {
	defer l.addNotes() // once all of them are known
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
		info, err = fs.Stat(l.from.fsys, name) // of what it leads to
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

// sourceFormat settles how a file is read, or says why it is not; "" for what belongs to a database or is no file of the person's.
func (l *lister) sourceFormat(name string, info fs.FileInfo) (kind format, reason string) {
	if _, isBeside := besideOf(l.from.fsys, name, besideDatabase, database.Is); isBeside || l.from.passesOver(info) {
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

// add makes a file a source, or tells why not.
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
		if about := ways[kind].about; path.Base(name) == about.file {
			file.part = about.part
			l.addTo(path.Join(group, about.part), kind, file).relations = []model.Relation{model.HasMany("messages", added.stream, about.key)}
		}
	case kind == formatArray && l.addArrays(called, &file):
	case kind == formatTable:
		file.sections = l.sections(file, func(sections map[string][]table.Section) error { return l.sectionsOf(file, sections) })
		l.addSections(kind, called, file)
	default:
		l.addStream(l.streamFor(kind, called), kind, file)
	}
	return nil
}

// isTwin reports a page of HTML beside a note of Google Keep of its name, which says the same.
func (l *lister) isTwin(name string) bool {
	note := strings.TrimSuffix(name, path.Ext(name)) + ".json"
	start, err := beginning(l.from.fsys, note, startBytes)
	return err == nil && ways[formatKeep].is(note, start)
}

// takeoutPart is one of the archives that an export of Google is divided into.
var takeoutPart = item.Expression(`(takeout-\d{8}(?:T\d{6}Z)?)(?:-\d+)?-\d{3}(?:\.zip)?/`)

func (f folder) nothingToLoad() error {
	return fmt.Errorf("nothing to load in %s: name a folder or a file of %s", f.shown, knownEndings)
}
