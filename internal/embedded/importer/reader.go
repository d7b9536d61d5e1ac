package importer

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/archive"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/calendar"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/contacts"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/database"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// noteNames are the notes that those of the stream can link to.
func (s *fileStream) noteNames() document.Notes {
	if s.notes == nil {
		var names []string
		for _, file := range s.files {
			names = append(names, strings.TrimPrefix(file.name, s.root+"/"))
		}
		s.notes = document.NewNotes(names)
	}
	return s.notes
}

// slackUsers are the people of an export. Without their list they are known by their ids.
func (s *fileStream) slackUsers(folder string) services.SlackUsers {
	if s.users == nil {
		s.users = services.SlackUsers{}
		if file, err := openFile(s.from.fsys, path.Join(folder, "users.json")); err == nil {
			s.users = services.ReadSlackUsers(file)
			_ = file.Close() // it was only read
		}
	}
	return s.users
}

// reader reads a file of the stream.
func (s *fileStream) reader(ctx context.Context, file seekableFile, from sourceFile) (item.Reader, error) {
	name, folder := path.Base(from.name), path.Dir(from.name)
	text, err := s.text(file, name)
	if err != nil {
		return nil, err
	}
	for _, one := range exports {
		if s.format == one.format && one.read != nil {
			return one.read(text), nil
		}
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
	case formatActivity:
		return services.Activity(text), nil
	case formatTelegramPage:
		return services.TelegramPage(text, path.Base(folder)), nil
	case formatCalendar:
		return calendar.NewReader(text), nil
	case formatSlack:
		return services.Slack(text, path.Base(folder), s.slackUsers(path.Dir(folder))), nil
	case formatMeta:
		return services.Meta(text, path.Base(folder), from.part != ""), nil
	case formatArray:
		return services.Array(text, from.objects), nil
	}
	var rows io.Reader = text
	if ending := path.Ext(name); s.format == formatTable && services.IsRows(ending) {
		if rows, err = services.Rows(text, ending); err != nil {
			return nil, err
		}
	}
	input := bufio.NewReaderSize(rows, 1<<16)
	item.SkipMark(input)
	switch s.format {
	case formatTable:
		return table.NewReader(input, s.cells, &s.idField, false), nil
	case formatMail:
		if strings.EqualFold(path.Ext(name), ".emlx") {
			input = mail.FromApple(input)
		}
		return mail.NewReader(input), nil
	case formatContacts:
		return contacts.NewReader(input), nil
	}
	return objects.NewLines(input), nil
}

// text is a file as UTF-8. Mail and databases say for each of their texts which charset it has; JSON is in UTF-8 or UTF-16.
func (s *fileStream) text(file io.ReadSeeker, name string) (io.ReadSeeker, error) {
	ending := strings.ToLower(path.Ext(name))
	switch {
	case slices.Contains([]format{formatWorkbook, formatDatabase, formatMail, formatHealth}, s.format), s.format == formatDocument &&
		(ending == ".docx" || ending == ".odt"):
		return file, nil
	}
	return utf8text.Decode(file, ending == ".txt" ||
		slices.Contains([]format{formatTable, formatCalendar, formatContacts, formatNotes}, s.format))
}

// part reads a sheet or a table.
func (s *fileStream) part(ctx context.Context, file fs.File, from sourceFile) (item.Reader, error) {
	if s.format == formatDatabase {
		log, _ := openLog(s.from.fsys, from.name)
		return database.NewReader(ctx, file, log, from.part), nil
	}
	book, err := openWorkbook(file)
	if err != nil {
		return nil, err
	}
	rows, err := book.Read(from.part)
	if err != nil {
		return nil, err
	}
	return table.NewReader(bufio.NewReaderSize(rows, 1<<16), s.cells, &s.idField, true), nil
}

func openWorkbook(file fs.File) (*document.Workbook, error) {
	at, size, err := archive.ReaderAt(file, archive.MaxNested)
	if err != nil {
		return nil, err
	}
	return document.OpenWorkbook(at, size)
}

// logEnding ends the name of the log that a database may have beside it.
const logEnding = "-wal"

// openLog opens the log of a database: nil if it has no log.
func openLog(fsys fs.FS, name string) (io.Reader, []sourceFile) {
	info, err := fs.Stat(fsys, name+logEnding)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, nil
	}
	file, err := fsys.Open(name + logEnding)
	if err != nil {
		return nil, nil
	}
	return file, []sourceFile{{name: name + logEnding, size: info.Size(), modified: info.ModTime()}}
}

func closeLog(log io.Reader) {
	if file, ok := log.(io.Closer); ok {
		_ = file.Close() // it was only read
	}
}
