package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A part is a stream with its attached stream. It is read again as a whole when one of its files changes, because ids, types and threads
// depend on all of them.

// A reading describes the connectors of a corpus, one after the other.
type reading struct {
	ctx    context.Context
	known  map[string]model.Part // of an earlier pass
	watch  Watch
	left   *leftOut
	found  int
	sorted bool                             // the records of all parts are merged by time
	runs   []iter.Seq2[model.Record, error] // records of all parts, in order
}

// connector returns the description of a connector, and the parts that it is read in.
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
			source.files = slices.DeleteFunc(source.files, func(file sourceFile) bool {
				later := r.watch.isLater(file.name)
				if later {
					r.watch.Skipped(Skip{File: file.name, Reason: stillWritten})
				}
				return later
			})
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
	for _, name := range slices.Sorted(maps.Keys(r.known)) { // parts that a half-written file does not show
		before := r.known[name]
		isListed := slices.ContainsFunc(parts, func(part model.Part) bool { return part.Name == name })
		if !isListed && partName(c.Key, path.Base(name)) == name && r.isLater(before.Files) {
			add(model.Part{Name: name, Connector: c.Key, Files: before.Files, Streams: before.Streams, Same: true})
		}
	}
	isEmpty := func(stream model.Stream) bool { return stream.Fields == nil && !c.Names(stream.Name) }
	if !slices.ContainsFunc(connector.Streams, func(s model.Stream) bool { return !isEmpty(s) }) {
		isEmpty = func(model.Stream) bool { return false } // keep them all rather than none
	}
	connector.Streams = slices.DeleteFunc(connector.Streams, isEmpty)
	for _, connection := range c.Connections {
		for index := range sources {
			if r.sorted {
				r.runs = append(r.runs, sources[index].records(r.ctx, connection.ID, &blobBudget{left: maxBlobBytes}, r.watch))
			}
		}
	}
	return connector, parts, relate(c, sources, connector.Streams)
}

func (r *reading) isLater(files string) bool {
	var read partFiles
	_ = json.Unmarshal([]byte(files), &read) // on an error no files are known
	return slices.ContainsFunc(read.Files, func(file fileState) bool { return r.watch.isLater(file.Name) })
}

func (r *reading) part(c schema.Connector, source *fileStream, blobs []fileState) (model.Part, error) {
	name := partName(c.Key, source.stream)
	part := model.Part{Name: name, Connector: c.Key, LeftOut: func() []model.LeftOut { return r.left.ofPart(name) }}
	before, isKnown := r.known[name]
	waits := func(file sourceFile) bool { return r.watch.isLater(file.name) }
	part.Files, part.Same = before.Files, true
	if !isKnown || !slices.ContainsFunc(slices.Concat(source.files, source.dependsOn), waits) {
		part.Files, part.Same = source.compare(r.ctx, before.Files, blobs)
	}
	part.Same = part.Same && isKnown && !r.sorted
	var err error
	if part.Streams = before.Streams; !part.Same {
		part.Streams, err = source.describe(r.ctx, r.watch, &r.found)
	}
	described := !part.Same
	part.Records = func(yield func(model.Record, error) bool) {
		if !described { // its files are the same, but what other files say about it is not
			if _, err := source.describe(r.ctx, r.watch, &r.found); err != nil {
				yield(model.Record{}, err)
				return
			}
			described = true
		}
		var runs []iter.Seq2[model.Record, error]
		budget := &blobBudget{left: maxBlobBytes} // whatever other parts have
		for _, connection := range c.Connections {
			runs = append(runs, source.records(r.ctx, connection.ID, budget, r.watch))
		}
		concatenate(runs, yield)
	}
	if !r.sorted {
		r.runs = append(r.runs, part.Records)
	}
	return part, err
}

// relate adds the relations to the streams of a connector, once all streams are known.
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
				_ = add(from, relation) // a table may be empty, or its key unusable
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

// leadBy makes sure that a field can have the ids of records: an inferred field becomes a string, a declared one must be a string.
func leadBy(c schema.Connector, target *model.Stream, name string) error {
	if !slices.ContainsFunc(c.Streams, func(s schema.Stream) bool { return s.Name == target.Name && s.Fields != nil }) {
		return schema.AsKey(target, name)
	}
	field, ok := target.Field(name)
	switch {
	case !ok:
		return fmt.Errorf("stream %q has no field %q", target.Name, name)
	case field.Type != "string":
		return fmt.Errorf("field %q of stream %q is of type %s: a foreign key is a string", name, target.Name, field.Type)
	}
	return nil
}
