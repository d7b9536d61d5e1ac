package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A fileStream is a stream with the files that it is read from and what is known about it.
type fileStream struct {
	stream    string
	from      folder
	root      string // what the names of its files begin with
	blobs     string // the folder of files that records name
	format    format
	files     []sourceFile
	declared  streamManifest
	idField   string
	timeField string                // found by infer, empty when the stream has none
	cells     map[string]table.Cell // found by infer: what the values of fields mean
	objects   map[string]bool       // found by infer: fields in whose place come those of the objects in them
	unusable  bool                  // found by infer: no file holds what its name promises
	repeated  bool                  // found by infer: records share what the id field says
	reported  map[Skip]bool         // by infer: files that were left out
	beside    []sourceFile          // files without records of the stream that its records depend on
	relations []model.Relation      // of a table of a database
	notes     document.Notes        // of a stream of notes
	users     services.SlackUsers   // of a stream of messages
}

// describe is the stream as the manifest declares all of it, or as its files show it.
func (s *fileStream) describe(ctx context.Context, watch Watch, found *int) ([]model.Stream, error) {
	if s.declared.Fields == nil {
		return s.infer(ctx, watch, found)
	}
	if s.format == formatMail {
		return nil, fmt.Errorf("%s: stream %q: messages have fields of their own: leave out fields", manifestName, s.stream)
	}
	s.timeField = eventTimeOf(s.declared.Fields)
	s.cells = map[string]table.Cell{}
	for _, field := range s.declared.Fields {
		s.cells[field.Name] = table.Cell{Kind: field.Type}
	}
	stream, err := s.declared.describe()
	return []model.Stream{stream}, err
}

func eventTimeOf(fields []model.Field) string {
	at := slices.IndexFunc(fields, func(field model.Field) bool { return field.Role == "event-time" })
	if at < 0 {
		return ""
	}
	return fields[at].Name
}

// infer reads the files once to describe their stream, and that of the attachments when there are any.
func (s *fileStream) infer(ctx context.Context, watch Watch, found *int) ([]model.Stream, error) {
	tally, attached := newStreamTally(), newStreamTally()
	tally.unfolds = true
	count := (*fieldTally).count
	if s.hasCells() {
		count = (*fieldTally).countCell
	}
	s.reported = map[Skip]bool{}
	err := s.scan(ctx, "", func(skip Skip) {
		if skip.Line == 0 {
			s.reported[skip] = true
		}
		watch.skipped(skip)
	}, func(at sourceFile, one item.Item) bool {
		for _, extra := range tally.add(one.Fields, count) {
			watch.skipped(Skip{File: at.name, Line: one.Line, Reason: fmt.Sprintf("the stream has more than %d fields: %q is not described, and only an owner sees it", item.MaxFields, extra)})
		}
		for _, file := range one.Attached {
			attached.add(file.Fields, (*fieldTally).count)
		}
		if *found++; *found%foundStep == 0 && watch.Found != nil {
			watch.Found(*found)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if s.unusable = tally.records == 0 && len(s.reported) > 0; s.unusable {
		return nil, nil
	}
	stream, err := tally.stream(s.declared)
	if err != nil {
		return nil, err
	}
	if s.repeated {
		stream.PrimaryKey = nil
	}
	s.timeField = eventTimeOf(stream.Fields)
	s.objects, s.cells = tally.objects, tally.cells(stream.Fields)
	if s.format == formatMail {
		tuneMail(&stream)
	}
	s.tuneReplies(&stream)
	if attached.records == 0 {
		return []model.Stream{stream}, nil
	}
	files, err := attached.stream(streamManifest{Name: s.stream + s.hung().suffix})
	s.tuneHung(&stream, &files)
	return []model.Stream{stream, files}, err
}

// hasCells reports that the values are texts, of which it is found out what they are.
func (s *fileStream) hasCells() bool { return s.format == formatTable || s.format == formatWorkbook }

// records yields the records of one connection.
func (s *fileStream) records(ctx context.Context, connection string, keep *blobBudget, watch Watch) iter.Seq2[model.Record, error] {
	return func(yield func(model.Record, error) bool) {
		if s.unusable {
			return
		}
		report := func(skip Skip) {
			if s.declared.Fields != nil || skip.Line == 0 && !s.reported[skip] { // the others were reported when the stream was inferred
				watch.skipped(skip)
			}
		}
		err := s.scan(ctx, connection, report, func(at sourceFile, one item.Item) bool {
			s.shape(&one)
			if reason := s.attach(&one); reason != "" {
				report(Skip{File: at.name, Line: one.Line, Reason: reason})
			}
			record := model.Record{ConnectionID: connection, Stream: s.stream, ID: one.ID, Data: one.Data(), Fields: one.Fields, Blob: keep.take(one.Blob)}
			if when, ok := one.Instant(s.timeField); ok {
				record.EmittedAt = when
			}
			if !one.Emitted.IsZero() {
				record.EmittedAt = one.Emitted
			}
			if !yield(record, nil) {
				return false
			}
			for _, file := range one.Attached {
				hung := model.Record{ConnectionID: connection, Stream: s.stream + s.hung().suffix, ID: file.ID, EmittedAt: record.EmittedAt, Data: file.Data(), Fields: file.Fields}
				hung.Blob = keep.take(file.Blob)
				if !yield(hung, nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			yield(model.Record{}, err)
		}
	}
}

// shape gives a record the fields that its stream has: those of objects, and times for what counts them.
func (s *fileStream) shape(one *item.Item) {
	one.Unfold(s.objects)
	if s.hasCells() {
		return // its reader did
	}
	for index, field := range one.Fields {
		if cell := s.cells[field.Name]; cell.Counts() && field.Value[0] != 'n' {
			one.Fields[index].Value, one.Text = item.JSON(cell.Time(strings.Trim(string(field.Value), `"`))), nil
		}
	}
}

// scan calls visit for each record of a connection, or of all when it is empty, until visit returns false, and report for each piece that
// is not a record.
func (s *fileStream) scan(ctx context.Context, connection string, report func(Skip), visit func(sourceFile, item.Item) bool) error {
	known := map[string]knownIDs{}
	for _, file := range s.files {
		if connection != "" && file.connection != connection {
			continue
		}
		ids, begun := known[file.connection]
		if !begun {
			ids = knownIDs{map[string]int32{}, map[string]knownContent{}}
			known[file.connection] = ids
		}
		more, err := s.scanFile(ctx, file, ids, report, visit)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (s *fileStream) scanFile(ctx context.Context, file sourceFile, ids knownIDs, report func(Skip), visit func(sourceFile, item.Item) bool) (more bool, err error) {
	opened, err := s.from.fsys.Open(file.name)
	if err != nil {
		report(Skip{File: file.name, Reason: "cannot be read: " + reasonOf(err)})
		return true, nil
	}
	defer func() { _ = opened.Close() }() // it was only read
	var reader item.Reader
	err = guard(func() error {
		reader, err = s.reader(ctx, opened, file)
		return err
	})
	if err != nil {
		report(Skip{File: file.name, Reason: "cannot be read: " + reasonOf(err)})
		return true, nil
	}
	if closer, ok := reader.(io.Closer); ok {
		defer func() { _ = closer.Close() }() // it was only read
	}
	for {
		if err := ctx.Err(); err != nil {
			return false, fmt.Errorf("read stream %s: %w", s.stream, err)
		}
		var one item.Item
		err := guard(func() (err error) {
			one, err = reader.Next()
			return err
		})
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if bad, ok := errors.AsType[item.UnusableError](err); ok {
			report(Skip{File: file.name, Line: bad.Line, Reason: bad.Reason})
			continue
		}
		if err != nil {
			report(Skip{File: file.name, Reason: "cannot be read on: " + reasonOf(err)})
			return true, nil
		}
		one.Identify(s.idField)
		one.TakeEmitted(s.declared.EmittedField)
		said := one.ID
		if reason := ids.admit(&one, file.name, s.hung().key); reason != "" {
			report(Skip{File: file.name, Line: one.Line, Reason: reason})
			continue
		}
		s.repeated = s.repeated || one.Content == "" && one.ID != said
		if !visit(file, one) {
			return false, nil
		}
	}
}

// guard reads something of a file. A fault of ours in one file keeps none of the others from being read.
func guard(read func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("a fault of this program; what follows is left out")
		}
	}()
	return read()
}
