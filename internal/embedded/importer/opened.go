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
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

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
	return file, []sourceFile{{name: name + logEnding, size: info.Size()}}
}

func closeLog(log io.Reader) {
	if file, ok := log.(io.Closer); ok {
		_ = file.Close() // it was only read
	}
}

// An opened file is read.
type opened struct {
	ctx    context.Context
	of     *fileStream
	from   sourceFile
	file   seekableFile
	text   io.ReadSeeker // as UTF-8
	name   string        // without its folder
	folder string
}

func (o *opened) isNamed(endings ...string) bool {
	return slices.Contains(endings, strings.ToLower(path.Ext(o.name)))
}

func (o *opened) stem() string { return strings.TrimSuffix(o.name, path.Ext(o.name)) }

// startBytes is how much of a file shows what it is.
const startBytes = 1 << 12

// beginning reads the first bytes of a file.
func beginning(fsys fs.FS, name string, size int) ([]byte, error) {
	opened, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }() // it was only read
	start, err := bufio.NewReaderSize(opened, size).Peek(size)
	if len(start) == 0 && err != nil && !item.IsEnd(err) {
		return nil, err
	}
	return utf8text.Start(start), nil
}

// isText reports that at most one byte in 32 is a control character, such as the few zeros that some programs write.
func isText(start []byte) bool {
	strange := 0
	for _, one := range start {
		if one < ' ' && one != '\t' && one != '\n' && one != '\r' && one != '\f' && one != '\v' {
			strange++
		}
	}
	return !slices.Contains(start, 0) || 32*strange <= len(start)
}

// isMaildir reports a message of a Maildir, unless its ending says something else: a file in its folder of new or of seen messages.
func isMaildir(name string) bool {
	folder := path.Base(path.Dir(name))
	return (folder == "cur" || folder == "new") && strings.Contains(path.Base(name), ".")
}
