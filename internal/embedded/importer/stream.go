package importer

import (
	"context"
	"iter"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

func (s *fileStream) records(ctx context.Context, connection string, blobs *blobBudget, watch Watch) iter.Seq2[model.Record, error] {
	return func(yield func(model.Record, error) bool) {
		if s.unusable {
			return
		}
		report := func(skip Skip) {
			_, known := s.reported[skip]
			if s.declared.Fields != nil || skip.Line == 0 && !known { // infer has reported the others
				watch.Skipped(skip)
			}
		}
		ordered := reorderer{yield: func(record model.Record) bool { return yield(record, nil) }}
		err := s.scan(ctx, connection, report, func(at sourceFile, one item.Item) bool {
			if s.declared.Fields != nil { // else infer has reported it
				watch.kept(at.name, one)
			}
			if one.Place == "" {
				s.shape(&one)
			} else if s.declared.Fields != nil {
				report(Skip{File: at.name, Line: one.Line, Reason: one.Place})
				return true
			}
			if reason := s.attach(&one); reason != "" {
				report(Skip{File: at.name, Line: one.Line, Reason: reason})
			}
			when, _ := one.Instant(s.timeField)
			if !one.Emitted.IsZero() {
				when = one.Emitted
			}
			made := func(stream string, one item.Item) model.Record {
				return model.Record{ConnectionID: connection, Stream: stream, ID: one.ID, EmittedAt: when, Data: one.Data(), Fields: one.Fields,
					Blob: blobs.take(one.Blob)}
			}
			if one.Place != "" {
				if s.gathered != "" {
					one.ID = one.String("file") + ":" + one.ID
				}
				return yield(made(s.stream+ways[s.format].attached.suffix, one), nil)
			}
			record := made(s.stream, one)
			if ways[s.format].attached.key == "" {
				return ordered.add(at.name, record)
			}
			if !yield(record, nil) {
				return false
			}
			for _, file := range one.Attached {
				if !yield(made(s.stream+ways[s.format].attached.suffix, file), nil) {
					return false
				}
			}
			return true
		})
		if err == nil {
			ordered.release()
		} else {
			yield(model.Record{}, err)
		}
	}
}
