package importer

import (
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// relate puts the relations on the streams of a connector, once all of them are known.
func relate(c schema.Connector, sources []fileStream, streams []model.Stream) error {
	for _, source := range sources {
		from := slices.IndexFunc(streams, func(stream model.Stream) bool { return stream.Name == source.stream })
		for _, relation := range source.relations {
			at := slices.IndexFunc(streams, func(stream model.Stream) bool { return stream.Name == relation.Target })
			if from >= 0 && at >= 0 && leadBy(c, &streams[at], relation.ForeignKey) == nil { // a table may be empty, or its key none
				streams[from].Relations = append(streams[from].Relations, relation)
			}
		}
	}
	for _, declared := range c.Streams {
		from := slices.IndexFunc(streams, func(stream model.Stream) bool { return stream.Name == declared.Name })
		if from < 0 {
			continue // its files cannot be used, which has been reported
		}
		for _, relation := range declared.Relations {
			at := slices.IndexFunc(streams, func(stream model.Stream) bool { return stream.Name == relation.Target })
			if at < 0 {
				return fmt.Errorf("%s: stream %q: relation %q leads to %q, and there is no such stream", schema.ManifestName, declared.Name,
					relation.Name, relation.Target)
			}
			if err := leadBy(c, &streams[at], relation.ForeignKey); err != nil {
				return fmt.Errorf("%s: stream %q: relation %q: %w", schema.ManifestName, declared.Name, relation.Name, err)
			}
			streams[from].Relations = append(streams[from].Relations, relation)
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
