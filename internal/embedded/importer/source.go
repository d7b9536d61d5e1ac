package importer

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/files"
)

// A sourceFile is a file, or the piece of a file, that a stream is read from.
type sourceFile struct {
	name       string // path relative to the folder, with slashes
	connection string // id of the connection of its records
	size       int64
	piece                     // to read
	pieces     []piece        // all of the file; empty: it is read as one; nil: unknown
	mailbox    string         // of its messages, if the stream has several mailboxes; empty: they get no such field
	used       map[string]int // bytes of the records of its tables, by table; nil: it has no tables
}

// A piece is what a stream has of a file: a table of a database, an array of a JSON file, a sheet, or one of several tables in a sheet or a
// file. The zero value is the whole file.
type piece struct {
	Part    string         `json:",omitempty"` // name of the sheet, or of the table of a database
	Objects *objects.Part  `json:",omitempty"` // the array
	Section *table.Section `json:",omitempty"` // the table in a sheet or a file
}

// title returns the name of an array, or of a table in a sheet or a file; "" for any other piece.
func (p piece) title() string {
	switch {
	case p.Objects != nil:
		return p.Objects.Name
	case p.Section != nil:
		return p.Section.Name
	}
	return ""
}

func tablesIn(part string, rows io.Reader, sheet bool) (found []piece) {
	for _, one := range table.Sections(rows, sheet) {
		found = append(found, piece{Part: part, Section: &one})
	}
	return found
}

func tablesOfText(opened io.ReadSeeker) ([]piece, error) {
	text, err := utf8text.Decode(opened, true)
	if err != nil {
		return nil, err
	}
	return tablesIn("", text, false), nil
}

func arraysOf(opened io.ReadSeeker) (found []piece, err error) {
	for _, one := range services.Parts(opened) {
		found = append(found, piece{Objects: &one})
	}
	return found, nil
}

// A fileStream is a stream, the files that it is read from and what is known about it.
type fileStream struct {
	stream    string
	from      folder
	root      string // prefix of the names of its files: a folder or an archive
	blobs     string // folder of the files that records name
	format    format
	files     []sourceFile
	dependsOn []sourceFile     // files without records of the stream, on which its records depend
	gathered  string           // folder of the files, if records name their file; empty: they do not
	single    bool             // each file has one record, which its name identifies
	relations []model.Relation // to other streams of its files
	declared  schema.Stream
	idField   string
	findings
	notes document.Notes      // of a stream of notes
	users services.SlackUsers // of a stream of messages
}

// partName returns the name of a stream that is unique among all connectors.
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

// A stopping file cannot be read after its context ends. A record may be long, and code that skips it does not check the context.
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

// A reopened file is in an archive. To be read from its beginning again, it is opened again.
type reopened struct {
	fs.File
	fsys fs.FS
	name string
}

// Seek goes back to the beginning. Any other seek is an error.
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

// errFault replaces a panic while a file is read. The other files are still read.
var errFault = errors.New("a fault of this program; what follows is left out")

func guard(read func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errFault
		}
	}()
	return read()
}

// guarded ends the records of a file with errFault if their reader panics.
func guarded(from item.Records) item.Records {
	return func(yield func(item.Item, error) bool) {
		isReading := true // false while yield runs
		defer func() {
			if isReading && recover() != nil {
				yield(item.Item{}, errFault)
			}
		}()
		for one, err := range from {
			if isReading = false; !yield(one, err) {
				return
			}
			isReading = true
		}
	}
}

// A Skip is a piece of a file that was left out of a corpus or, if Line is 0, a whole file or a part of its schema.
type Skip struct {
	File   string // path relative to the folder, with slashes
	Line   int    // where the piece begins, counted from 1
	Reason string
}

// String returns the place and the reason on one line. The name of a file in an archive can have line breaks.
func (s Skip) String() string {
	if s.Line == 0 {
		return s.Name() + ": " + s.Reason
	}
	return fmt.Sprintf("%s:%d: %s", s.Name(), s.Line, s.Reason)
}

// Name returns the name of the file on one line.
func (s Skip) Name() string { return strings.ReplaceAll(s.File, "\n", `\u000a`) }

// IsCopy reports that all of what was left out was read elsewhere.
func (s Skip) IsCopy() bool { return strings.HasPrefix(s.Reason, item.SameAs) }

func stateOf(fsys fs.FS, files []sourceFile) []fileState {
	states := make([]fileState, len(files))
	for index, file := range files {
		states[index] = fileState{Name: file.name, Size: file.size}
		if info, err := fs.Stat(fsys, file.name); err == nil {
			states[index] = stateOfFile(file.name, info)
		}
	}
	return states
}

// A folder is the source of an import: all files in it, or one of them.
type folder struct {
	fsys   fs.FS
	name   string        // name to show to a person
	shown  string        // path as the user wrote it
	only   string        // the one file to read; empty: all
	except []fs.FileInfo // files to skip, such as those of an index
	now    time.Time     // time of the import
	cache  *openedCache
}

func (f folder) excludes(info fs.FileInfo) bool {
	return slices.ContainsFunc(f.except, func(other fs.FileInfo) bool { return os.SameFile(info, other) })
}

// folderOr returns the folder, or the noun if that is the top folder.
func folderOr(folder, noun string) string {
	if folder == "." {
		return noun
	}
	return folder
}

// A fileState is compared with a later one to find out whether a file has changed.
type fileState struct {
	Name     string
	Size     int64
	Modified int64  // nanoseconds since 1970
	Node     uint64 // inode; 0: unknown
	Changed  int64  // nanoseconds since 1970; 0: unknown
	Sum      uint32 // CRC-32 of an entry of an archive
	Hash     string // of the contents; empty: unknown
}

func stateOfFile(name string, info fs.FileInfo) fileState {
	state := fileState{Name: name, Size: info.Size(), Modified: info.ModTime().UnixNano()}
	state.Node, state.Changed = files.NodeOf(info)
	if entry, ok := info.Sys().(*zip.FileHeader); ok {
		state.Sum = entry.CRC32
	}
	return state
}

// findings are what infer found out, as far as it is needed to read the records.
type findings struct {
	timeField  string                 // empty: the stream has none
	times      []string               // fields, of which the first with a time is the time of a record
	cells      map[string]table.Cell  // how to convert the values of fields
	objects    map[string]item.Holder // fields that are replaced by the members of their objects
	semicolons bool                   // semicolons separate the cells of a table
	unusable   bool                   // no file holds what its name promises
	repeated   bool                   // several records have the same value in the id field
	distinct   bool                   // no two records have the same id, and none has attachments
	reported   map[Skip]bool          // files that were left out; false: only because they have no records
	copies     map[string][]string    // the mailboxes with a further copy of a message
	threads    threads                // of mail
}

// threads leads messages back to the first message of their thread.
type threads struct {
	before map[string]string    // the message that a message goes back to, by its headers
	begun  map[string]time.Time // when the first message of each Gmail thread was sent
}
