package importer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/archive"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/calendar"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/contacts"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// describe is the stream as the manifest declares all of it, or as its files show it.
func (s *fileStream) describe(ctx context.Context, watch Watch, found *int) ([]model.Stream, error) {
	if s.declared.Fields == nil {
		return s.infer(ctx, watch, found)
	}
	if s.format == formatMail {
		return nil, fmt.Errorf("%s: stream %q: messages have fields of their own: leave out fields", schema.ManifestName, s.stream)
	}
	s.timeField = schema.EventTime(s.declared.Fields)
	s.cells = map[string]table.Cell{}
	for _, field := range s.declared.Fields {
		s.cells[field.Name] = table.Cell{Kind: field.Type}
	}
	stream, err := s.declared.Describe()
	return []model.Stream{stream}, err
}

// infer reads the files once to describe their stream, and that of the attachments when there are any.
func (s *fileStream) infer(ctx context.Context, watch Watch, found *int) ([]model.Stream, error) {
	tally, attached := schema.NewTally(), schema.NewTally()
	tally.Unfolds = true
	count := (*schema.FieldTally).Count
	if s.hasCells() {
		count = (*schema.FieldTally).CountCell
	}
	s.reported = map[Skip]bool{}
	err := s.scan(ctx, "", func(skip Skip) {
		if skip.Line == 0 {
			s.reported[skip] = true
		}
		watch.skipped(skip)
	}, func(at sourceFile, one item.Item) bool {
		if extra := tally.Add(one.Fields, count); len(extra) > 0 {
			reason := fmt.Sprintf("the stream has more than %d fields: %q is not described, and only an owner sees it", item.MaxFields, extra[0])
			if len(extra) > 1 {
				reason += fmt.Sprintf("; nor are the %d after it", len(extra)-1)
			}
			watch.skipped(Skip{File: at.name, Line: one.Line, Reason: reason})
		}
		for _, file := range one.Attached {
			attached.Add(file.Fields, (*schema.FieldTally).Count)
		}
		if *found++; *found%foundStep == 0 && watch.Found != nil {
			watch.Found(*found)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if s.unusable = tally.Records == 0 && len(s.reported) > 0; s.unusable {
		return nil, nil
	}
	tally.Commas = s.semicolons
	stream, err := tally.Stream(s.declared)
	if err != nil {
		return nil, err
	}
	if s.repeated {
		stream.PrimaryKey = nil
	}
	s.timeField = schema.EventTime(stream.Fields)
	s.objects, s.cells = tally.Objects, tally.Cells(stream.Fields)
	if s.format == formatMail {
		tuneMail(&stream)
	}
	s.format.tuneReplies(&stream)
	if attached.Records == 0 {
		return []model.Stream{stream}, nil
	}
	files, err := attached.Stream(schema.Stream{Name: s.stream + s.format.hung().suffix})
	s.format.tuneHung(&stream, &files)
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
				hung := model.Record{ConnectionID: connection, Stream: s.stream + s.format.hung().suffix, ID: file.ID, EmittedAt: record.EmittedAt, Data: file.Data(), Fields: file.Fields}
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

// shape gives a record the fields that its stream has: those of objects, times for what counts them, and numbers for amounts.
func (s *fileStream) shape(one *item.Item) {
	one.Unfold(s.objects)
	if s.hasCells() {
		return // its reader did
	}
	for index, field := range one.Fields {
		cell := s.cells[field.Name]
		amount := cell.Kind == "number" && field.Value[0] == '"'
		if !amount && (!cell.Counts() || field.Value[0] == 'n') {
			continue
		}
		text := string(field.Value)
		if text[0] == '"' {
			text = model.Unquote(field.Value)
		}
		if amount && table.IsNumber(text) {
			one.Fields[index].Value, one.Text = []byte(text), nil
		}
		if !amount {
			one.Fields[index].Value, one.Text = []byte("null"), nil
			if when := cell.Time(text); when != "" {
				one.Fields[index].Value = item.JSON(when)
			}
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
		report(Skip{File: file.name, Reason: "cannot be read: " + item.Reason(err)})
		return true, nil
	}
	defer func() { _ = opened.Close() }() // it was only read
	var reader item.Reader
	err = guard(func() error {
		reader, err = s.reader(ctx, opened, file)
		return err
	})
	if err != nil {
		report(Skip{File: file.name, Reason: "cannot be read: " + item.Reason(err)})
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
			if rows, ok := reader.(interface{ Semicolons() bool }); ok {
				s.semicolons = s.semicolons || rows.Semicolons()
			}
			return true, nil
		}
		if bad, ok := errors.AsType[item.UnusableError](err); ok {
			report(Skip{File: file.name, Line: bad.Line, Reason: bad.Reason})
			continue
		}
		if err != nil {
			report(Skip{File: file.name, Reason: "cannot be read on: " + item.Reason(err)})
			return true, nil
		}
		one.Identify(s.idField)
		if _, taken := one.Value("file"); s.gathered != "" && !taken {
			name, ok := strings.CutPrefix(file.name, s.gathered)
			if !ok { // of another connection
				name = path.Base(name)
			}
			one.Fields, one.Text = append([]item.Field{{Name: "file", Value: item.JSON(name)}}, one.Fields...), nil
		}
		one.TakeEmitted(s.declared.EmittedField)
		said := one.ID
		if reason := ids.admit(&one, file.name, s.format.hung().key); reason != "" {
			report(Skip{File: file.name, Line: one.Line, Reason: reason})
			continue
		}
		s.repeated = s.repeated || one.Content == "" && one.ID != said
		if !visit(file, one) {
			return false, nil
		}
	}
}

// reader reads a file of the stream.
func (s *fileStream) reader(ctx context.Context, file fs.File, from sourceFile) (item.Reader, error) {
	name := path.Base(from.name)
	text, err := s.text(file, name)
	if err != nil {
		return nil, err
	}
	switch s.format {
	case formatWorkbook, formatDatabase:
		return s.part(ctx, file, from)
	case formatNotes:
		return document.Note(text, strings.TrimPrefix(from.name, s.root+"/"), s.noteNames()), nil
	case formatDocument:
		if ending := strings.ToLower(path.Ext(name)); ending == ".html" || ending == ".htm" {
			return document.HTML(text, name), nil
		}
		if strings.EqualFold(path.Ext(name), ".txt") {
			return document.Plain(text, name), nil
		}
		at, size, err := archive.ReaderAt(file, archive.MaxNested)
		if err != nil {
			return nil, err
		}
		return document.Office(at, size, name), nil
	case formatKeep:
		return services.Keep(text, strings.TrimSuffix(name, path.Ext(name))), nil
	case formatHealth:
		return services.Health(file), nil
	case formatActivity:
		return services.Activity(text), nil
	case formatEvernote:
		return services.Evernote(text), nil
	case formatBookmarks:
		return services.Bookmarks(text), nil
	case formatTelegram:
		return services.Telegram(text), nil
	case formatArray, formatCalendar, formatChat, formatSlack, formatX, formatMastodon, formatMeta:
		seekable, ok := text.(io.ReadSeeker)
		if !ok {
			return nil, errSeek
		}
		switch s.format {
		case formatCalendar:
			return calendar.NewReader(seekable), nil
		case formatChat:
			return services.WhatsApp(seekable), nil
		case formatSlack:
			return services.Slack(seekable, path.Base(path.Dir(from.name)), s.slackUsers(path.Dir(path.Dir(from.name)))), nil
		case formatX:
			return services.X(seekable), nil
		case formatMastodon:
			return services.Mastodon(seekable), nil
		case formatMeta:
			return services.Meta(seekable, path.Base(path.Dir(from.name))), nil
		}
		return services.Array(seekable, from.objects), nil
	}
	if ending := path.Ext(name); s.format == formatTable && services.IsRows(ending) {
		if text, err = services.Rows(text, ending); err != nil {
			return nil, err
		}
	}
	input := bufio.NewReaderSize(text, 1<<16)
	item.SkipMark(input)
	switch s.format {
	case formatTable:
		return table.NewReader(input, s.cells, &s.idField), nil
	case formatMail:
		if strings.EqualFold(path.Ext(name), ".emlx") {
			input = mail.FromApple(input)
		}
		return messagesReader{mail.NewReader(input)}, nil
	case formatContacts:
		return contacts.NewReader(input), nil
	case formatClippings:
		return services.Clippings(input), nil
	}
	return objects.NewLines(input), nil
}

// text is a file as UTF-8. Mail and databases say for each of their texts which charset it has; JSON is in UTF-8 or UTF-16.
func (s *fileStream) text(file fs.File, name string) (io.Reader, error) {
	seekable, ok := file.(io.ReadSeeker)
	ending := strings.ToLower(path.Ext(name))
	switch s.format {
	case formatWorkbook, formatDatabase, formatMail, formatHealth:
		ok = false
	case formatDocument:
		ok = ok && ending != ".docx" && ending != ".odt"
	}
	if !ok {
		return file, nil
	}
	return utf8text.Decode(seekable, ending == ".txt" || slices.Contains([]format{formatTable, formatCalendar, formatContacts, formatNotes}, s.format))
}
