package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

type sourceFile struct {
	name       string // path from the folder, with slashes
	connection string // whose records it holds
	size       int64
	part       string                     // the sheet, table or array of the file that is read; empty: all of it
	objects    *objects.Part              // of an array; nil: of a sheet or table, or all of it
	mailbox    string                     // that its messages are in, of several that are one stream; empty: they do not say
	divided    []objects.Part             // all of them that the file holds: empty if it is read as one; nil: unknown
	section    *table.Section             // that is read, of the tables that a file or a sheet holds; nil: all of it
	sections   map[string][]table.Section // all of them, by sheet; nil: unknown
	used       map[string]int             // bytes of the records of its tables, by their names; nil: it has no tables
}

// called is what its stream has in its name that is of a part of the file.
func (f sourceFile) called() string {
	if f.section == nil {
		return f.part
	}
	return path.Join(f.part, f.section.Name)
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
	timeField  string                 // found by infer, empty when the stream has none
	times      []string               // found by infer: fields of which the first that says a time says when a record was
	cells      map[string]table.Cell  // found by infer: what the values of fields mean
	objects    map[string]item.Holder // found by infer: fields in whose place come those of the objects in them
	gathered   string                 // the folder of many files, which its records name; empty: they do not
	semicolons bool                   // found by infer: separate the cells of a table
	unusable   bool                   // found by infer: no file holds what its name promises
	repeated   bool                   // found by infer: records share what the id field says
	distinct   bool                   // found by infer: no two have the same id, and none has attachments
	reported   map[Skip]bool          // by infer: files that were left out
	dependsOn  []sourceFile           // files that have none of its records, and on which these depend
	relations  []model.Relation       // of a table of a database
	threads    map[string]string      // found by infer: of messages the ones that they go back to, as their headers say
	begun      map[string]time.Time   // found by infer: when the first message of each thread of Gmail was sent
	copies     map[string][]string    // found by infer: the mailboxes in which a message is again
	notes      document.Notes         // of a stream of notes
	users      services.SlackUsers    // of a stream of messages
}

type format int

const (
	formatUnknown   format = iota
	formatLines            // a JSON object to a line
	formatArray            // JSON objects in an array
	formatTable            // rows
	formatRows             // rows in other words than comma separated values
	formatMail             // messages, many or one to a file
	formatCalendar         // events
	formatContacts         // vCards
	formatNotes            // a note in Markdown
	formatWorkbook         // sheets, each a stream
	formatDatabase         // tables, each a stream
	formatDocument         // a page of HTML, or a document of a word processor
	formatChat             // an exported chat of WhatsApp
	formatSlack            // a day of a channel of Slack
	formatX                // a script of an archive of X
	formatMastodon         // an outbox
	formatKeep             // a note of Google Keep, or what Google says of a photo
	formatTelegram         // chats of Telegram
	formatMeta             // a conversation of Facebook or Instagram
	formatMetaPage         // a page of a conversation of Facebook or Instagram
	formatHealth           // what a phone of Apple measured
	formatClippings        // highlights and notes of a Kindle
	formatActivity         // what a person did on pages of Google
	formatBookmarks        // links that a browser kept
	formatEvernote         // notes of Evernote
	formatAssistant        // conversations with an assistant
)

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

// A stopping file is not read on when the context ends: a record may be long, and what passes over it looks at nothing else.
type stopping struct {
	seekableFile
	ctx context.Context
}

func (s stopping) Read(into []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.seekableFile.Read(into)
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

// errFault is of a file that our own code cannot take. It keeps none of the others from being read.
var errFault = errors.New("a fault of this program; what follows is left out")

func guard(read func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errFault
		}
	}()
	return read()
}

// guarded ends the records of a file where their reader has a fault.
func guarded(from item.Records) item.Records {
	return func(yield func(item.Item, error) bool) {
		reading := true // and not what is done with a record
		defer func() {
			if reading && recover() != nil {
				yield(item.Item{}, errFault)
			}
		}()
		for one, err := range from {
			if reading = false; !yield(one, err) {
				return
			}
			reading = true
		}
	}
}

// A Skip is a piece of a file that was left out of a corpus, or, when Line is 0, a whole file or a part of its schema.
type Skip struct {
	File   string // path from the folder, with slashes
	Line   int    // where the piece begins, counted from 1
	Reason string
}

// String says where and why, on one line: a name, which may be of an archive from elsewhere, can have line breaks.
func (s Skip) String() string {
	if s.Line == 0 {
		return s.Name() + ": " + s.Reason
	}
	return fmt.Sprintf("%s:%d: %s", s.Name(), s.Line, s.Reason)
}

// Name is the file, on one line.
func (s Skip) Name() string { return strings.ReplaceAll(s.File, "\n", `\u000a`) }

// IsCopy reports that all of what was left out was read elsewhere.
func (s Skip) IsCopy() bool { return strings.HasPrefix(s.Reason, item.SameAs) }

// A Watch follows the reading of files. All of it may be nil.
type Watch struct {
	Kept    func(Skip)  // of each record that is kept without something
	Skipped func(Skip)  // of each piece that is left out; in streams whose fields are declared, when their records are read
	Found   func(n int) // of each thousand records found so far, before any is loaded
	Now     time.Time   // when the files are read, up to which and beyond events recur; zero: now
	Later   []string    // files that are still being written: what is known of them stays as it is
}

// stillWritten is why a new file waits.
const stillWritten = "still being written: it is read once it no longer changes"

// isLater reports a file that is still being written, or in an archive that is.
func (w Watch) isLater(name string) bool {
	return slices.ContainsFunc(w.Later, func(one string) bool { return name == one || strings.HasPrefix(name, one+"/") })
}

// kept says what a record is kept without, if it is.
func (w Watch) kept(file string, one item.Item) {
	if one.Note != "" {
		w.Kept(Skip{File: file, Line: one.Line, Reason: one.Note})
	}
}
