package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
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

// A format is how a file is read.
type format int

const (
	formatUnknown  format = iota
	formatLines           // a JSON object to a line
	formatArray           // JSON objects in an array
	formatTable           // rows
	formatMail            // messages, many or one to a file
	formatCalendar        // events
	formatContacts        // vCards
	formatNotes           // a note in Markdown
	formatWorkbook        // sheets, each a stream
	formatDatabase        // tables, each a stream
	formatDocument        // a page of HTML, or a document of a word processor
	formatChat            // an exported chat of WhatsApp
	formatSlack           // a day of a channel of Slack
	formatX               // a script of an archive of X
	formatMastodon        // an outbox
	formatKeep            // a note of Google Keep
)

const knownEndings = ".jsonl, .ndjson, .json, .csv, .tsv, .mbox, .mbx, .eml, .ics, .vcf, .md, .html, .docx, .odt, .xlsx, .sqlite or .zip"

// formatOf knows a file by the ending of its name.
func formatOf(name string) format {
	switch strings.ToLower(path.Ext(name)) {
	case ".jsonl", ".ndjson":
		return formatLines
	case ".json":
		return formatArray
	case ".csv", ".tsv":
		return formatTable
	case ".mbox", ".mbx", ".eml":
		return formatMail
	case ".ics":
		return formatCalendar
	case ".vcf":
		return formatContacts
	case ".md", ".markdown":
		return formatNotes
	case ".xlsx":
		return formatWorkbook
	case ".html", ".htm", ".docx", ".odt":
		return formatDocument
	}
	return formatUnknown
}

// recognize settles how a file is read, or says why it is not.
func recognize(fsys fs.FS, name string) (kind format, reason string) {
	switch kind = formatOf(name); {
	case kind == formatMail:
		return kind, "" // there may be many; whoever reads one rejects what is not one
	case isMaildir(name):
		return formatMail, ""
	}
	start, err := beginning(fsys, name)
	if err != nil {
		return formatUnknown, "cannot be read: " + reasonOf(err)
	}
	switch {
	case database.Is(start):
		return formatDatabase, ""
	case (kind == formatDocument || kind == formatWorkbook) && bytes.HasPrefix(start, []byte("PK")):
		return kind, ""
	case kind == formatArray && holdsLines(start):
		return formatLines, ""
	case kind == formatArray && services.IsSlackDay(name) && isSlack(fsys, name):
		return formatSlack, ""
	case kind == formatArray && path.Base(name) == "outbox.json" && services.IsOutbox(start):
		return formatMastodon, ""
	case kind == formatArray && services.IsKeep(start):
		return formatKeep, ""
	case strings.EqualFold(path.Ext(name), ".js") && services.IsX(start):
		return formatX, ""
	case strings.EqualFold(path.Ext(name), ".txt") && services.IsWhatsApp(start):
		return formatChat, ""
	case kind != formatUnknown && !table.HasUTF16Mark(start) && slices.Contains(start, 0):
		return formatUnknown, "not text: it holds bytes that are 0"
	case kind != formatUnknown:
		return kind, ""
	case mail.IsMbox(start):
		return formatMail, ""
	case bytes.EqualFold(utf8text.FirstLine(start), []byte("BEGIN:VCALENDAR")):
		return formatCalendar, ""
	case bytes.EqualFold(utf8text.FirstLine(start), []byte("BEGIN:VCARD")):
		return formatContacts, ""
	case bytes.HasPrefix(start, []byte("%PDF-")):
		return formatUnknown, "a PDF, which is not read: export it as text, or keep it beside what names it"
	}
	return formatUnknown, "of no known kind: " + knownEndings
}

// beginning reads the first bytes of a file.
func beginning(fsys fs.FS, name string) ([]byte, error) {
	opened, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }() // it was only read
	start, err := bufio.NewReaderSize(opened, 1<<12).Peek(1 << 12)
	if len(start) == 0 && err != nil && !item.IsEnd(err) {
		return nil, err
	}
	return bytes.TrimPrefix(start, []byte(item.ByteOrderMark)), nil
}

// holdsLines tells a .json file that is an object to a line: an object, and after it another.
func holdsLines(start []byte) bool {
	first, rest, more := bytes.Cut(bytes.TrimLeft(start, " \t\r\n"), []byte("\n"))
	if !more || len(first) == 0 || first[0] != '{' {
		return false
	}
	_, err := item.NewParser().Parse(bytes.TrimSpace(first))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return err == nil && len(rest) > 0 && rest[0] == '{'
}

// isMaildir reports a message of a Maildir: a file in its folder of new or of seen messages.
func isMaildir(name string) bool {
	folder := path.Base(path.Dir(name))
	return (folder == "cur" || folder == "new") && strings.Contains(path.Base(name), ".") && formatOf(name) == formatUnknown
}

// isSlack reports that the folder of a channel is in one that lists people or channels.
func isSlack(fsys fs.FS, name string) bool {
	for _, list := range []string{"users.json", "channels.json"} {
		if info, err := fs.Stat(fsys, path.Join(path.Dir(path.Dir(name)), list)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// partEnding is what the parts of one export differ in: StreamingHistory_music_1.json, Streaming_History_Audio_2020-2021_3.json,
// tweets-part1.js, and the months of a year of a Google timeline.
var partEnding = regexp.MustCompile(`^(StreamingHistory(?:_[a-z]+_)?|Streaming_History_(?:Audio|Video)_)[\d_-]+\.json$|^(.+)-part\d+\.js$|^\d{4}(_)[A-Z]+\.json$`)

// group is what the files of one stream have in common: nothing if the file is a stream by itself.
func (l *lister) group(kind format, name string) string {
	folder := path.Dir(name)
	in := func(folder, noun string) string {
		if folder == "." {
			return noun
		}
		return folder
	}
	switch kind {
	case formatMail:
		if isMaildir(name) {
			return in(path.Dir(folder), "messages")
		}
		if strings.EqualFold(path.Ext(name), ".eml") {
			return in(folder, "messages")
		}
	case formatSlack:
		return path.Join(path.Dir(folder), "messages")
	case formatKeep:
		return in(folder, "notes")
	case formatDocument:
		return path.Join(folder, "documents")
	case formatX:
		if part := partEnding.FindStringSubmatch(path.Base(name)); part == nil {
			return path.Join(folder, strings.TrimSuffix(path.Base(name), path.Ext(name)))
		}
		fallthrough
	case formatArray:
		if part := partEnding.FindStringSubmatch(path.Base(name)); part != nil {
			return path.Join(folder, strings.TrimRight(part[1]+part[2], "_-"))
		}
	}
	return ""
}

// errSeek is of a source of files that can only be read once.
var errSeek = errors.New("it is read twice, and the file can only be read once")

// reader reads a file of the stream.
func (s *fileStream) reader(ctx context.Context, file fs.File, from sourceFile) (item.Reader, error) {
	name := path.Base(from.name)
	switch s.format {
	case formatWorkbook, formatDatabase:
		return s.part(ctx, file, from)
	case formatNotes:
		return document.Note(file, strings.TrimPrefix(from.name, s.root+"/"), s.noteNames()), nil
	case formatDocument:
		if ending := strings.ToLower(path.Ext(name)); ending == ".html" || ending == ".htm" {
			return document.HTML(file, name), nil
		}
		at, size, err := archive.ReaderAt(file, archive.MaxNested)
		if err != nil {
			return nil, err
		}
		return document.Office(at, size, name), nil
	case formatKeep:
		return services.Keep(file, strings.TrimSuffix(name, path.Ext(name))), nil
	case formatArray, formatCalendar, formatChat, formatSlack, formatX, formatMastodon:
		seekable, ok := file.(io.ReadSeeker)
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
		}
		return objects.NewArray(seekable, ""), nil
	}
	input := bufio.NewReaderSize(file, 1<<16)
	item.SkipMark(input)
	switch s.format {
	case formatTable:
		return table.NewReader(input, s.cells, &s.idField), nil
	case formatMail:
		return messagesReader{mail.NewReader(input)}, nil
	case formatContacts:
		return contacts.NewReader(input), nil
	}
	return objects.NewLines(input), nil
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
		if file, err := s.from.fsys.Open(path.Join(folder, "users.json")); err == nil {
			if seekable, ok := file.(io.ReadSeeker); ok {
				s.users = services.ReadSlackUsers(seekable)
			}
			_ = file.Close() // it was only read
		}
	}
	return s.users
}
