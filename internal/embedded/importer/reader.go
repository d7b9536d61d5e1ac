package importer

import (
	"context"
	"io"
	"io/fs"
	"path"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/archive"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// reader reads a file of the stream.
func (s *fileStream) reader(ctx context.Context, file seekableFile, from sourceFile) (item.Reader, error) {
	in := &opened{ctx: ctx, from: from, file: file, text: file, name: path.Base(from.name), folder: path.Dir(from.name)}
	one := ways[s.format]
	if !one.binary && !in.isNamed(".docx", ".odt") {
		var err error
		if in.text, err = utf8text.Decode(file, one.charset || in.isNamed(".txt")); err != nil {
			return nil, err
		}
	}
	return one.read(s, in)
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
	return file, []sourceFile{{name: name + logEnding, size: info.Size()}}
}

func closeLog(log io.Reader) {
	if file, ok := log.(io.Closer); ok {
		_ = file.Close() // it was only read
	}
}
