package importer

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

func (s *fileStream) records(ctx context.Context, connection string, blobs *blobBudget, watch Watch) iter.Seq2[model.Record, error] {
	return func(yield func(model.Record, error) bool) {
		if s.unusable {
			return
		}
		isDeclared, attached := s.declared.Fields != nil, ways[s.format].attached
		report := func(skip Skip) {
			if _, known := s.reported[skip]; isDeclared || skip.Line == 0 && !known { // infer has reported the others
				watch.Skipped(skip)
			}
		}
		ordered := reorderer{yield: func(record model.Record) bool { return yield(record, nil) }}
		err := s.scan(ctx, connection, report, func(at sourceFile, one item.Item) bool {
			if isDeclared { // else infer has reported it
				watch.kept(at.name, one.Line, one.Note)
			}
			switch {
			case one.Place == "":
				s.shape(&one)
			case isDeclared:
				report(Skip{File: at.name, Line: one.Line, Reason: one.Place})
				return true
			case s.gathered != "":
				one.ID = one.String("file") + ":" + one.ID
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
			switch {
			case one.Place != "":
				return yield(made(s.stream+attached.suffix, one), nil)
			case attached.key == "":
				return ordered.add(at.name, made(s.stream, one))
			case !yield(made(s.stream, one), nil):
				return false
			}
			return !slices.ContainsFunc(one.Attached, func(file item.Item) bool { return !yield(made(s.stream+attached.suffix, file), nil) })
		})
		if err == nil {
			ordered.release()
		} else {
			yield(model.Record{}, err)
		}
	}
}

func concatenate(runs []iter.Seq2[model.Record, error], yield func(model.Record, error) bool) {
	for _, run := range runs {
		for record, err := range run {
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// mergeByTime merges runs that are in the order of emission. Of records with the same time of emission, that of the earlier run comes
// first.
func mergeByTime(runs []iter.Seq2[model.Record, error], yield func(model.Record, error) bool) {
	type head struct {
		record model.Record
		next   func() (model.Record, error, bool)
	}
	var heads []*head
	advance := func(one *head) (more bool) {
		record, err, ok := one.next()
		if one.record = record; !ok {
			heads = slices.DeleteFunc(heads, func(other *head) bool { return one == other })
		}
		if err != nil {
			yield(model.Record{}, err)
		}
		return err == nil
	}
	for _, run := range runs {
		next, stop := iter.Pull2(run)
		defer stop()
		one := &head{next: next}
		if heads = append(heads, one); !advance(one) {
			return
		}
	}
	for len(heads) > 0 {
		first := slices.MinFunc(heads, func(a, b *head) int { return a.record.EmittedAt.Compare(b.record.EmittedAt) })
		if !yield(first.record, nil) || !advance(first) {
			return
		}
	}
}

// A reorderer yields the records of a file so that records of the same time are in the order in which they happened: many banks write the
// newest first, with only the day. It reverses such records if, of the first two different times of the file, the second is earlier.
type reorderer struct {
	yield   func(model.Record) bool
	file    string
	first   time.Time      // of the file
	records []model.Record // pending, all of one time
	known   bool           // whether falls is known
	falls   bool           // the newest record comes first
	stopped bool
}

// maxReordered is the most records of one time that are kept to be reversed.
const maxReordered = 10_000

func (r *reorderer) add(file string, record model.Record) bool {
	if file != r.file {
		r.release()
		r.file, r.first, r.known, r.falls = file, record.EmittedAt, false, false
	}
	when := record.EmittedAt
	if !r.known && !when.IsZero() && !when.Equal(r.first) {
		r.known, r.falls = !r.first.IsZero(), when.Before(r.first)
		r.first = when
	}
	if len(r.records) > 0 && !r.records[0].EmittedAt.Equal(when) || len(r.records) == maxReordered {
		r.release()
	}
	if r.known && !r.falls || when.IsZero() {
		r.stopped = r.stopped || !r.yield(record)
		return !r.stopped
	}
	record.Fields = nil // they change when the next record is read
	r.records = append(r.records, record)
	return !r.stopped
}

func (r *reorderer) release() {
	if r.falls {
		slices.Reverse(r.records)
	}
	for _, record := range r.records {
		r.stopped = r.stopped || !r.yield(record)
	}
	r.records = r.records[:0]
}
