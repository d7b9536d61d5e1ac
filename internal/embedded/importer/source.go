package importer

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

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

// A sourceFile is one file of a stream.
type sourceFile struct {
	name       string // path from the folder, with slashes
	connection string // whose records it holds
	size       int64
	modified   time.Time
	part       string         // the sheet, table or array of the file that is read; empty: all of it
	objects    *objects.Part  // of an array; nil: of a sheet or table, or all of it
	divided    []objects.Part // all of them that the file holds: empty if it is read as one; nil: nobody has looked
}

// A fileStream is a stream with the files that it is read from and what is known about it.
type fileStream struct {
	stream     string
	from       folder
	root       string // what the names of its files begin with
	blobs      string // the folder of files that records name
	format     format
	files      []sourceFile
	declared   schema.Stream
	idField    string
	timeField  string                // found by infer, empty when the stream has none
	cells      map[string]table.Cell // found by infer: what the values of fields mean
	objects    map[string]bool       // found by infer: fields in whose place come those of the objects in them
	gathered   string                // the folder of many files, which its records name; empty: they do not
	semicolons bool                  // found by infer: separate the cells of a table
	unusable   bool                  // found by infer: no file holds what its name promises
	repeated   bool                  // found by infer: records share what the id field says
	reported   map[Skip]bool         // by infer: files that were left out
	beside     []sourceFile          // files without records of the stream that its records depend on
	relations  []model.Relation      // of a table of a database
	notes      document.Notes        // of a stream of notes
	users      services.SlackUsers   // of a stream of messages
}

// partName is what a stream is called among those of all connectors.
func partName(connector, stream string) string { return connector + "/" + stream }

// A seekableFile can be read from its beginning again.
type seekableFile interface {
	fs.File
	io.Seeker
}

func openFile(fsys fs.FS, name string) (seekableFile, error) {
	file, err := fsys.Open(name)
	if seekable, ok := file.(seekableFile); ok || err != nil {
		return seekable, err
	}
	return &reopened{file, fsys, name}, nil
}

// A reopened file is one of an archive, which is unpacked again to be read again.
type reopened struct {
	fs.File
	fsys fs.FS
	name string
}

// Seek goes back to the beginning, and nowhere else.
func (r *reopened) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.New("a file in an archive can be read from its beginning only")
	}
	again, err := r.fsys.Open(r.name)
	if err != nil {
		return 0, err
	}
	err = r.Close()
	r.File = again
	return 0, err
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
	case formatTelegramPage:
		return services.TelegramPage(text, path.Base(folder)), nil
	case formatCalendar:
		return calendar.NewReader(text), nil
	case formatChat:
		return services.WhatsApp(text), nil
	case formatSlack:
		return services.Slack(text, path.Base(folder), s.slackUsers(path.Dir(folder))), nil
	case formatX:
		return services.X(text), nil
	case formatMastodon:
		return services.Mastodon(text), nil
	case formatAssistant:
		return services.Assistant(text), nil
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
		return messagesReader{mail.NewReader(input)}, nil
	case formatContacts:
		return contacts.NewReader(input), nil
	case formatClippings:
		return services.Clippings(input), nil
	}
	return objects.NewLines(input), nil
}

// text is a file as UTF-8. Mail and databases say for each of their texts which charset it has; JSON is in UTF-8 or UTF-16.
func (s *fileStream) text(file io.ReadSeeker, name string) (io.ReadSeeker, error) {
	ending := strings.ToLower(path.Ext(name))
	switch {
	case slices.Contains([]format{formatWorkbook, formatDatabase, formatMail, formatHealth}, s.format), s.format == formatDocument && (ending == ".docx" || ending == ".odt"):
		return file, nil
	}
	return utf8text.Decode(file, ending == ".txt" || slices.Contains([]format{formatTable, formatCalendar, formatContacts, formatNotes}, s.format))
}
