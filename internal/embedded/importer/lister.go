package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/database"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"golang.org/x/text/unicode/norm"
)

type lister struct {
	ctx        context.Context
	from       folder
	blobs      string
	connection schema.Connection
	declared   []schema.Stream // by the manifest
	root       string          // the folder, or the archive
	sources    []fileStream
	groups     map[group]int // places in sources, by the names of streams
	notes      []sourceFile
	skips      []Skip
	taken      map[string]bool         // names of streams
	given      map[string]int          // the numbers behind them
	known      map[fileState]knownFile // what files held when they were listed before
}

// A group is what files share that are parts of one thing.
type group struct {
	folder, stem, part string
	kind               format
	header             string // the first line, where that has to be the same
}

// Some files hold several streams: a workbook its sheets, a database its tables, JSON its arrays. Each is a stream of the one file.

// addTables makes a stream of each table of an SQLite database, and a relation of each foreign key.
func (l *lister) addTables(file sourceFile) error {
	opened, err := l.from.fsys.Open(file.name)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }()          // it was only read
	log, beside := openLog(l.from.fsys, file.name) // what was written last may be in the log alone
	tables, virtual, wide, err := database.Tables(l.ctx, opened, log)
	_ = log.Close() // it was only read
	if err != nil {
		return err
	}
	for _, one := range virtual {
		l.skip(file.name, fmt.Sprintf("the table %q is virtual: only ordinary tables are read", one))
	}
	for _, one := range wide {
		l.skip(file.name, fmt.Sprintf("the table %q has more than %d columns", one, item.MaxFields))
	}
	first := len(l.sources)
	name := strings.TrimSuffix(l.relative(file.name), path.Ext(file.name))
	file.used = map[string]int{}
	for _, one := range tables {
		file.part = one.Name
		l.addStream(l.free(streamName(name+"/"+one.Name)), formatDatabase, file).dependsOn = beside
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

// addArrays makes a stream of each array of objects that a JSON file holds, if there are several, and of what is beside them.
func (l *lister) addArrays(called string, file *sourceFile) bool {
	stream := streamName(strings.TrimSuffix(called, path.Ext(called)))
	if file.size > maxDivided || slices.ContainsFunc(l.declared, func(s schema.Stream) bool { return s.Name == stream }) {
		return false
	}
	if file.divided = l.divided(*file); len(file.divided) == 0 {
		return false
	}
	parts := file.divided
	for index := range parts {
		one := &parts[index]
		file.objects, file.part = one, one.Name
		if items := l.addStream(l.streamFor(formatArray, partOf(called, one.Name)), formatArray, *file); one.Items {
			holder := &l.sources[len(l.sources)-2]
			holder.relations = []model.Relation{model.HasMany(one.List, items.stream, objects.ParentField)}
		}
	}
	return true
}

// divided are the arrays of a JSON file. They are known of a file that has not changed since it was listed before; to find them the whole
// file is read.
func (l *lister) divided(file sourceFile) []objects.Part {
	if before := l.known[stateOf(l.from.fsys, []sourceFile{file})[0]]; before.divided != nil {
		return before.divided
	}
	parts := []objects.Part{}
	opened, err := openFile(l.from.fsys, file.name)
	if err != nil {
		return parts
	}
	defer func() { _ = opened.Close() }() // it was only read
	return append(parts, services.Parts(stopping{opened, l.ctx})...)
}

// A knownFile is what a file held when it was listed before; nil: unknown.
type knownFile struct {
	divided  []objects.Part
	sections map[string][]table.Section
}

// knownFiles are those of which it is known what they hold, by the files as they were then.
func knownFiles(known map[string]model.Part) map[fileState]knownFile {
	files := map[fileState]knownFile{}
	for _, part := range known {
		var read partFiles
		if err := json.Unmarshal([]byte(part.Files), &read); err != nil || read.Version != readerVersion {
			continue
		}
		for _, file := range read.Files {
			one := knownFile{read.Divided[file.Name], read.Sections[file.Name]}
			if file.Hash = ""; one.divided != nil || one.sections != nil {
				files[file] = one
			}
		}
	}
	return files
}

// maxDivided is the size of a file, in bytes, of which the arrays or tables are found when the folder is listed.
const maxDivided = 64 << 20

// partOf is the path of a part of a file, as if it were a file in a folder. That without a name is the file.
func partOf(file, part string) string {
	if part == "" {
		return file
	}
	ending := path.Ext(file)
	return strings.TrimSuffix(file, ending) + "/" + part + ending
}

// besideDatabase ends the names of the files that SQLite keeps beside a database.
var besideDatabase = []string{logEnding, "-shm", "-journal"}

// indexOf returns the name of the index of this program that a file is, or belongs to. It opens only what has the size of a database.
func indexOf(fsys fs.FS, name string) (index string, ok bool) {
	return besideOf(fsys, name, append([]string{"", ".lock", ".key"}, besideDatabase...), database.IsIndex)
}

// besideOf returns the name of the database to whose name a file adds an ending.
func besideOf(fsys fs.FS, name string, endings []string, is func(start []byte) bool) (of string, ok bool) {
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

// addTo puts a file with the others of its stream, which is called after what they have in common.
func (l *lister) addTo(name string, kind format, file sourceFile) *fileStream {
	of := group{stem: name, kind: kind}
	at, known := l.groups[of]
	if known {
		l.sources[at].files = append(l.sources[at].files, file)
	} else {
		at = len(l.sources)
		l.groups[of] = at
		l.addStream(l.free(streamName(name)), kind, file)
	}
	added := &l.sources[at]
	for _, beside := range ways[kind].dependsOn {
		beside = path.Join(path.Dir(file.name), beside)
		if slices.ContainsFunc(added.dependsOn, func(one sourceFile) bool { return one.name == beside }) {
			continue
		}
		if info, err := fs.Stat(l.from.fsys, beside); err == nil {
			added.dependsOn = append(added.dependsOn, sourceFile{name: beside, size: info.Size()})
		}
	}
	return added
}

func (l *lister) relative(name string) string {
	return packedAlone().ReplaceAllString(strings.TrimPrefix(name, l.root+"/"), "$1")
}

// streamFor names the stream of a file: once for a file that is called as its folder, and with the name of all that is read for one at the
// top whose own name has no word. Of two files that differ in their ending alone, the second keeps it.
func (l *lister) streamFor(kind format, name string) string {
	ending := path.Ext(name)
	isNamed := slices.ContainsFunc(l.declared, func(s schema.Stream) bool { return s.Name == streamName(strings.TrimSuffix(name, ending)) })
	if folder, base := path.Split(strings.TrimSuffix(name, ending)); !isNamed && path.Base(folder) == base {
		name = path.Dir(name) + ending
	} else if isNumber := strings.Trim(base, "0123456789 ._-") == "" && strings.ContainsAny(base, "0123456789"); isNumber &&
		folder == "" && !isNamed && name != l.from.name { // not for a file by itself
		name = l.from.name + "/" + name
	}
	if formatOf(name) == formatUnknown && kind < formatChat { // the formats of services say by themselves what they are
		return l.free(streamName(name))
	}
	short := streamName(strings.TrimSuffix(name, ending))
	if l.taken[short] {
		return l.free(streamName(name))
	}
	return l.free(short)
}

// free reserves a name for a stream: the one given, or else the first with a number that is neither a stream's nor that of its
// attachments.
func (l *lister) free(name string) string {
	unique := name
	for l.collides(unique) {
		l.given[name]++
		unique = fmt.Sprintf("%s_%d", name, l.given[name]+1)
	}
	l.taken[unique] = true
	return unique
}

// collides reports whether a name is taken, or is kept for the attachments of a stream.
func (l *lister) collides(name string) bool {
	for _, suffix := range [...]string{attachmentsSuffix, linksSuffix, aroundSuffix} {
		if l.taken[name+suffix] || l.taken[strings.TrimSuffix(name, suffix)] {
			return true
		}
	}
	return false
}

var (
	notInNames    = item.Expression(`[^\pL\pM\pN._-]+`)
	severalDots   = item.Expression(`\.{2,}`)
	packedAlone   = item.Expression(`(?i)(^|/)[^/]+\.gz/`) // a file by itself, which is called as without that
	archiveEnding = item.Expression(`(?i)\.zip(/|$)`)      // of archives that lead to a file, or hold all of a stream
)

// streamName makes a path a name that can be a segment of paths.
func streamName(name string) string {
	name = norm.NFC.String(archiveEnding().ReplaceAllString(name, "$1")) // some systems write ü as two characters
	name = severalDots().ReplaceAllString(notInNames().ReplaceAllString(name, "_"), ".")
	if strings.Trim(name, "._-") == "" {
		return "stream"
	}
	return name
}
