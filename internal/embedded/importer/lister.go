package importer

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/database"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A lister finds the streams of one connection.
type lister struct {
	ctx        context.Context
	from       folder
	blobs      string
	connection schema.Connection
	declared   []schema.Stream // streams that the manifest declares
	root       string          // the folder, or the archive
	sources    []fileStream
	groups     map[fileGroup]int // index in sources, by what addTo was called with
	notes      []sourceFile
	skips      []Skip
	taken      map[string]bool       // names of streams
	given      map[string]int        // how many numbered variants of a name were tried
	known      map[fileState][]piece // by file, from the previous listing
}

// A fileGroup identifies files that form one stream, by what they have in common.
type fileGroup struct {
	folder, stem, part string
	kind               format
	same               string // in their contents, if these must be alike
	single             bool   // each has one record
}

// addTables makes a stream of each table of an SQLite database, and a relation of each foreign key.
func (l *lister) addTables(file sourceFile) error {
	opened, err := l.from.fsys.Open(file.name)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }()        // it was only read
	log, logs := openLog(l.from.fsys, file.name) // the latest writes may be only in the log
	tables, reasons, err := database.Tables(l.ctx, opened, log)
	_ = log.Close() // it was only read
	if err != nil {
		return err
	}
	for _, reason := range reasons {
		l.skip(file.name, reason)
	}
	first := len(l.sources)
	name := strings.TrimSuffix(l.relative(file.name), path.Ext(file.name))
	file.used = map[string]int{}
	for _, one := range tables {
		file.Part = one.Name
		l.addStream(l.free(streamName(name+"/"+one.Name)), formatDatabase, file).dependsOn = logs
	}
	for child, one := range tables {
		for _, parent := range one.Parents {
			at := slices.IndexFunc(tables, func(t database.Table) bool { return t.Key != "" && strings.EqualFold(t.Name, parent.Table) })
			if at < 0 || len(l.sources[first+at].relations) >= item.MaxFields {
				continue
			}
			from := &l.sources[first+at]
			relation := model.HasMany(one.Name, l.sources[first+child].stream, parent.Column)
			if slices.ContainsFunc(from.relations, func(r model.Relation) bool { return r.Name == relation.Name }) {
				relation.Name += "_" + parent.Column
			}
			from.relations = append(from.relations, relation)
		}
	}
	return nil
}

// sidecarSuffixes end the names of the files that SQLite keeps next to a database.
var sidecarSuffixes = []string{logEnding, "-shm", "-journal"}

// indexOf returns the name of the index of this program that a file is or belongs to. It opens only files with the size of a database.
func indexOf(fsys fs.FS, name string) (index string, ok bool) {
	return ownerOf(fsys, name, append([]string{"", ".lock", ".key"}, sidecarSuffixes...), database.IsIndex)
}

// ownerOf returns the name of the database that a file belongs to: its own name without one of the endings.
func ownerOf(fsys fs.FS, name string, endings []string, is func(start []byte) bool) (of string, ok bool) {
	for _, ending := range endings {
		base, ok := strings.CutSuffix(name, ending)
		if !ok {
			continue
		}
		info, err := fs.Stat(fsys, base)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size()%database.PageSize != 0 {
			continue
		}
		if start, err := beginning(fsys, base, startBytes); err == nil && is(start) {
			return base, true
		}
	}
	return "", false
}

func (l *lister) skip(name, reason string) {
	l.skips = append(l.skips, Skip{File: name, Reason: reason})
}

func (l *lister) addStream(name string, kind format, file sourceFile) *fileStream {
	l.sources = append(l.sources, fileStream{stream: name, from: l.from, root: l.root, blobs: l.blobs, format: kind, files: []sourceFile{file},
		idField: "id"})
	return &l.sources[len(l.sources)-1]
}

// addTo adds a file to the stream with this name and format, which the first file creates. The stream also gets the files that it depends
// on.
func (l *lister) addTo(name string, kind format, file sourceFile) *fileStream {
	of := fileGroup{stem: name, kind: kind}
	at, known := l.groups[of]
	if known {
		l.sources[at].files = append(l.sources[at].files, file)
	} else {
		at = len(l.sources)
		l.groups[of] = at
		l.addStream(l.free(streamName(name)), kind, file)
	}
	added := &l.sources[at]
	for _, dependency := range ways[kind].dependsOn {
		dependency = path.Join(path.Dir(file.name), dependency)
		if slices.ContainsFunc(added.dependsOn, func(one sourceFile) bool { return one.name == dependency }) {
			continue
		}
		if info, err := fs.Stat(l.from.fsys, dependency); err == nil {
			added.dependsOn = append(added.dependsOn, sourceFile{name: dependency, size: info.Size()})
		}
	}
	return added
}

func (l *lister) relative(name string) string {
	return packedAlone().ReplaceAllString(strings.TrimPrefix(name, l.root+"/"), "$1")
}

func (l *lister) declares(called string) bool {
	name := streamName(strings.TrimSuffix(called, path.Ext(called)))
	return slices.ContainsFunc(l.declared, func(s schema.Stream) bool { return s.Name == name })
}

// streamFor reserves a name for the stream of a file: its path without the extension. A file with the name of its folder is named like the
// folder. If the name of a top-level file is only a number, the name of what is read comes before it. The name keeps an unknown extension,
// except in formats of services, and of two files that differ only in the extension the second keeps it.
func (l *lister) streamFor(kind format, name string) string {
	ending := path.Ext(name)
	isNamed := l.declares(name)
	if folder, base := path.Split(strings.TrimSuffix(name, ending)); !isNamed && path.Base(folder) == base {
		name = path.Dir(name) + ending
	} else if isNumber := strings.Trim(base, "0123456789 ._-") == "" && strings.ContainsAny(base, "0123456789"); isNumber &&
		folder == "" && !isNamed && name != l.from.name { // unless the file is all that is read
		name = l.from.name + "/" + name
	}
	short := streamName(strings.TrimSuffix(name, ending))
	if formatOf(name) == formatUnknown && !kind.isOfService() || l.taken[short] { // an unknown extension, and no format of a service
		short = streamName(name)
	}
	return l.free(short)
}

// free reserves a name for a stream: the given one, or the first with a number appended that collides with no stream and no attached
// stream.
func (l *lister) free(name string) string {
	unique := name
	for l.collides(unique) {
		l.given[name]++
		unique = fmt.Sprintf("%s_%d", name, l.given[name]+1)
	}
	l.taken[unique] = true
	return unique
}

// collides reports whether a name is taken, or reserved for the attached stream of another stream.
func (l *lister) collides(name string) bool {
	return slices.ContainsFunc([]string{attachmentsSuffix, linksSuffix, aroundSuffix}, func(suffix string) bool {
		return l.taken[name+suffix] || l.taken[strings.TrimSuffix(name, suffix)]
	})
}

var (
	notInNames    = item.Expression(`[^\pL\pM\pN._-]+`)
	severalDots   = item.Expression(`\.{2,}`)
	packedAlone   = item.Expression(`(?i)(^|/)[^/]+\.gz/`) // the archive of a single file, which is left out of names
	archiveEnding = item.Expression(`(?i)\.zip(/|$)`)      // of archives in the path of a file or a stream
)

// streamName turns a path into a name that is valid as one segment of a path.
func streamName(name string) string {
	name = norm.NFC.String(archiveEnding().ReplaceAllString(name, "$1")) // some systems write ü as two code points
	name = severalDots().ReplaceAllString(notInNames().ReplaceAllString(name, "_"), ".")
	if strings.Trim(name, "._-") == "" {
		return "stream"
	}
	return item.Name(name)
}

// mergeGroups merges the sources of each group into one stream, and keeps those without a group. describe returns the name of a group and,
// if its records get the field "file", the folder of its files.
func (l *lister) mergeGroups(groups []fileGroup, describe func(fileGroup) (name, folder string)) {
	for index, source := range l.sources {
		if groups[index] != (fileGroup{}) {
			delete(l.taken, source.stream)
		}
	}
	var kept []fileStream
	places := map[fileGroup]int{}
	for index, source := range l.sources {
		one := groups[index]
		at, known := places[one]
		switch {
		case one == fileGroup{}:
			kept = append(kept, source)
		case known:
			kept[at].files = append(kept[at].files, source.files...)
		default:
			places[one] = len(kept)
			name, folder := describe(one)
			source.stream, source.gathered, source.single = l.free(streamName(name)), folder, one.single
			kept = append(kept, source)
		}
	}
	l.sources = kept
}

// topOf returns the highest folder above folder that is in holds, else folder.
func topOf(folder string, holds map[string]bool) string {
	top := folder
	for folder != "." {
		if folder = path.Dir(folder); holds[folder] {
			top = folder
		}
	}
	return top
}
