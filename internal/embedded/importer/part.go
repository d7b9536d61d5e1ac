package importer

import (
	"archive/zip"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// What hangs together is read together: the ids, types and threads of a stream follow from all of its files. So a stream is the part that
// is read again when one of its files changes.

// A reading is one pass over a folder.
type reading struct {
	ctx    context.Context
	known  map[string]model.Part // of an earlier pass
	watch  Watch
	left   *leftOut
	found  int
	sorted bool                             // the records of all parts come among one another
	runs   []iter.Seq2[model.Record, error] // of all parts, in their order
}

// connector describes a connector, and the parts that it is read in.
func (r *reading) connector(c schema.Connector, sources []fileStream, blobs []fileState) (model.Connector, []model.Part, error) {
	connector := model.Connector{Key: c.Key, SourceID: c.SourceID}
	for _, connection := range c.Connections {
		connector.Connections = append(connector.Connections, model.Connection{ID: connection.ID, DisplayName: connection.DisplayName})
	}
	var parts []model.Part
	add := func(part model.Part) {
		parts = append(parts, part)
		for _, stream := range part.Streams {
			stream.Fields, stream.Relations = slices.Clone(stream.Fields), slices.Clone(stream.Relations) // a relation may change them
			connector.Streams = append(connector.Streams, stream)
		}
	}
	for index := range sources {
		source := &sources[index]
		if _, isKnown := r.known[partName(c.Key, source.stream)]; !isKnown {
			source.files = slices.DeleteFunc(source.files, r.leaveForLater)
		}
		if len(source.files) == 0 {
			continue
		}
		part, err := r.part(c, source, blobs)
		if err != nil {
			return model.Connector{}, nil, err
		}
		add(part)
	}
	for _, name := range slices.Sorted(maps.Keys(r.known)) { // what a file that is half written does not show
		before := r.known[name]
		isListed := slices.ContainsFunc(parts, func(part model.Part) bool { return part.Name == name })
		if !isListed && partName(c.Key, path.Base(name)) == name && r.isLater(before.Files) {
			add(model.Part{Name: name, Connector: c.Key, Files: before.Files, Streams: before.Streams, Same: true})
		}
	}
	for _, connection := range c.Connections {
		for index := range sources {
			if r.sorted {
				r.runs = append(r.runs, sources[index].records(r.ctx, connection.ID, &blobBudget{left: maxBlobBytes}, r.watch))
			}
		}
	}
	return connector, parts, relate(c, sources, connector.Streams)
}

// leaveForLater reports a file that is still being written, to the watch as well.
func (r *reading) leaveForLater(file sourceFile) bool {
	later := r.watch.isLater(file.name)
	if later {
		r.watch.skipped(Skip{File: file.name, Reason: stillWritten})
	}
	return later
}

// isLater reports that one of the files of a part is still being written.
func (r *reading) isLater(files string) bool {
	var read partFiles
	_ = json.Unmarshal([]byte(files), &read) // nothing was known
	return slices.ContainsFunc(read.Files, func(file fileState) bool { return r.watch.isLater(file.Name) })
}

func (r *reading) part(c schema.Connector, source *fileStream, blobs []fileState) (model.Part, error) {
	name := partName(c.Key, source.stream)
	part := model.Part{Name: name, Connector: c.Key, LeftOut: func() []model.LeftOut { return r.left.of(name) }}
	before, isKnown := r.known[name]
	if part.Files, part.Same = before.Files, true; !isKnown || !source.waits(r.watch) {
		part.Files, part.Same = source.compare(before.Files, blobs)
	}
	part.Same = part.Same && isKnown && !r.sorted
	var err error
	if part.Streams = before.Streams; !part.Same {
		part.Streams, err = source.describe(r.ctx, r.watch, &r.found)
	}
	described := !part.Same
	part.Records = func(yield func(model.Record, error) bool) {
		if !described { // its files are the same, but not what other files say about it
			if _, err := source.describe(r.ctx, r.watch, &r.found); err != nil {
				yield(model.Record{}, err)
				return
			}
			described = true
		}
		var runs []iter.Seq2[model.Record, error]
		keep := &blobBudget{left: maxBlobBytes} // what other files hold makes no difference
		for _, connection := range c.Connections {
			runs = append(runs, source.records(r.ctx, connection.ID, keep, r.watch))
		}
		concatenate(runs, yield)
	}
	if !r.sorted {
		r.runs = append(r.runs, part.Records)
	}
	return part, err
}

// A fileState is what is compared of a file.
type fileState struct {
	Name     string
	Size     int64
	Modified int64  // nanoseconds since 1970
	Node     uint64 // inode; 0: unknown
	Changed  int64  // nanoseconds since 1970; 0: unknown
	Sum      uint32 // CRC-32 of an entry of an archive
	Hash     string // of what it holds
}

func stateOfFile(name string, info fs.FileInfo) fileState {
	state := fileState{Name: name, Size: info.Size(), Modified: info.ModTime().UnixNano()}
	state.Node, state.Changed = nodeOf(info)
	if entry, ok := info.Sys().(*zip.FileHeader); ok {
		state.Sum = entry.CRC32
	}
	return state
}

func stateOf(fsys fs.FS, files []sourceFile) []fileState {
	states := make([]fileState, len(files))
	for index, file := range files {
		states[index] = fileState{Name: file.name, Size: file.size}
		if info, err := fs.Stat(fsys, file.name); err == nil {
			states[index] = stateOfFile(file.name, info)
		}
	}
	return states
}

// holdsAs reports whether a file has the name and content of another time.
func (f fileState) holdsAs(before fileState) bool {
	return f.Name == before.Name && f.Size == before.Size && f.Hash == before.Hash
}

// waits reports that a file of the stream is still being written.
func (s *fileStream) waits(watch Watch) bool {
	return slices.ContainsFunc(slices.Concat(s.files, s.beside), func(file sourceFile) bool { return watch.isLater(file.name) })
}

// partFiles are what is written down of the files of a part.
type partFiles struct {
	Version  int
	Format   format
	Declared schema.Stream
	Files    []fileState
	Blobs    []fileState
	Divided  map[string][]objects.Part `json:",omitempty"` // of JSON files, by name
}

// compare writes down the files of a stream and what the manifest says of it, and reports whether that is what was written down before.
func (s *fileStream) compare(before string, blobs []fileState) (now string, same bool) {
	var old partFiles
	_ = json.Unmarshal([]byte(before), &old) // nothing was known
	current := partFiles{
		Version: readerVersion, Format: s.format, Declared: s.declared, Files: stateOf(s.from.fsys, slices.Concat(s.files, s.beside)),
		Blobs: blobs, Divided: map[string][]objects.Part{},
	}
	for _, file := range s.files {
		if file.divided != nil {
			current.Divided[file.name] = file.divided
		}
	}
	same = len(old.Files) == len(current.Files)
	for index := range current.Files {
		one := &current.Files[index]
		if index < len(old.Files) {
			one.Hash = old.Files[index].Hash
			if *one == old.Files[index] {
				continue
			}
		}
		one.Hash = s.hash(one.Name) // before it is read: what is written later is a change
		same = same && one.Hash != "" && one.holdsAs(old.Files[index])
	}
	old.Files = current.Files
	was, _ := json.Marshal(old) // strings and numbers
	is, _ := json.Marshal(current)
	return string(is), same && string(was) == string(is)
}

func (s *fileStream) hash(name string) string {
	opened, err := s.from.fsys.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = opened.Close() }()            // it was only read
	digest := crc64.New(crc64.MakeTable(crc64.ECMA)) // files that change by chance, not to deceive; and some have gigabytes
	if err := guard(func() error { _, err := io.Copy(digest, opened); return err }); err != nil {
		return ""
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// readerVersion changes when the same files give other records than before, so that kept indexes are made again.
const readerVersion = 37

// relate puts the relations on the streams of a connector, once all of them are known.
func relate(c schema.Connector, sources []fileStream, streams []model.Stream) error {
	find := func(name string) *model.Stream {
		if at := slices.IndexFunc(streams, func(stream model.Stream) bool { return stream.Name == name }); at >= 0 {
			return &streams[at]
		}
		return nil
	}
	add := func(from *model.Stream, relation model.Relation) error {
		to := find(relation.Target)
		if to == nil {
			return fmt.Errorf("it leads to %q, and there is no such stream", relation.Target)
		}
		err := leadBy(c, to, relation.ForeignKey)
		if err == nil {
			from.Relations = append(from.Relations, relation)
		}
		return err
	}
	for _, source := range sources {
		for _, relation := range source.relations {
			if from := find(source.stream); from != nil {
				_ = add(from, relation) // a table may be empty, or its key none
			}
		}
	}
	for _, declared := range c.Streams {
		from := find(declared.Name)
		if from == nil {
			continue // its files cannot be used, which has been reported
		}
		for _, relation := range declared.Relations {
			if err := add(from, relation); err != nil {
				return fmt.Errorf("%s: stream %q: relation %q: %w", schema.ManifestName, declared.Name, relation.Name, err)
			}
		}
	}
	return nil
}

// leadBy makes sure that a field can hold the ids of records: one whose type was found becomes a string, one that was declared must be one.
func leadBy(c schema.Connector, target *model.Stream, name string) error {
	if c.Declares(target.Name) {
		field, ok := target.Field(name)
		if !ok {
			return fmt.Errorf("stream %q has no field %q", target.Name, name)
		}
		if field.Type != "string" {
			return fmt.Errorf("field %q of stream %q is of type %s: a foreign key is a string", name, target.Name, field.Type)
		}
		return nil
	}
	return schema.AsKey(target, name)
}
