package importer

import (
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A sourceFile is one file of a stream.
type sourceFile struct {
	name       string // path from the folder, with slashes
	connection string // whose records it holds
	size       int64
	modified   time.Time
	part       string        // the sheet, table or array of the file that is read; empty: all of it
	objects    *objects.Part // of an array; nil: of a sheet or table, or all of it
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
		if file, err := s.from.fsys.Open(path.Join(folder, "users.json")); err == nil {
			if seekable, ok := file.(io.ReadSeeker); ok {
				s.users = services.ReadSlackUsers(seekable)
			}
			_ = file.Close() // it was only read
		}
	}
	return s.users
}
