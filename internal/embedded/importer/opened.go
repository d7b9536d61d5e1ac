package importer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/services"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

func openWorkbook(fsys fs.FS, name string) (*document.Workbook, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	book, err := document.OpenWorkbook(file)
	if err != nil {
		err = errors.Join(err, file.Close())
	}
	return book, err
}

// logEnding ends the name of the write-ahead log of a database.
const logEnding = "-wal"

// openLog opens the log of a database, and returns it as a source file too. If there is none, it returns an empty log and no file.
func openLog(fsys fs.FS, name string) (io.ReadCloser, []sourceFile) {
	none := io.NopCloser(strings.NewReader(""))
	info, err := fs.Stat(fsys, name+logEnding)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return none, nil
	}
	file, err := fsys.Open(name + logEnding)
	if err != nil {
		return none, nil
	}
	return file, []sourceFile{{name: name + logEnding, size: info.Size()}}
}

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

func (o *opened) table(rows io.Reader) item.Records {
	return table.NewReader(item.Buffer(rows), table.Options{
		Cells: o.of.cells, IDField: &o.of.idField, Semicolons: &o.of.semicolons, Section: o.from.Section,
	})
}

// folderName returns the name of the file's folder, or of the folder that is read if the file is at its top.
func (o *opened) folderName() string { return folderOr(path.Base(o.folder), o.of.from.name) }

// startBytes is how many bytes of a file are read to recognize it.
const startBytes = 1 << 12

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

// readMetaPage reads a page of a conversation. If it is unclear where each message begins, the page is one text.
func readMetaPage(in *opened) item.Records {
	records, err := services.MetaPage(in.text, in.folderName(), in.name)
	if err == nil && records == nil {
		_, err = in.text.Seek(0, io.SeekStart)
		records = item.Shaped(document.HTML(in.text, path.Join(in.folderName(), in.name)), func(one item.Item) (item.Item, error) {
			one.Note = "one text: it is not clear where each message begins. An export as JSON has them one by one"
			return one, nil
		})
	}
	if err != nil {
		return item.Failed(err)
	}
	return records
}

// readSlack reads a day of a channel. Without the list of people in the export, people are named by their ids.
func readSlack(in *opened) item.Records {
	s := in.of
	if s.users == nil {
		s.users = services.SlackUsers{}
		if list, err := openFile(s.from.fsys, path.Join(in.folder, "../users.json")); err == nil {
			defer func() { _ = list.Close() }() // it was only read
			s.users = services.ReadSlackUsers(list)
		}
	}
	return services.Slack(in.text, in.folderName(), s.users)
}

// An openedCache keeps a file of several streams open, such as a workbook or a database, until another such file is read or cacheTTL is
// over: the larger the file, the longer it takes to open.
type openedCache struct {
	mu     sync.Mutex
	state  string    // of the file when it was opened, with its name
	opened io.Closer // nil: no file is open
	expiry *time.Timer

	hashes map[fileState]string // of the last files whose hash was asked for
}

const cacheTTL = 5 * time.Second

// take takes the file in this state out of the cache: nil if it is not there.
func (c *openedCache) take(state string) (opened io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == state {
		opened, c.opened = c.opened, nil
	}
	c.closeOpened()
	return opened
}

func (c *openedCache) put(state string, opened io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeOpened()
	c.state, c.opened = state, opened
	c.expiry = time.AfterFunc(cacheTTL, func() { c.take("") })
}

func (c *openedCache) closeOpened() {
	if c.expiry != nil {
		c.expiry.Stop()
	}
	if c.opened != nil {
		_ = c.opened.Close() // it was only read
	}
	c.state, c.opened, c.expiry = "", nil, nil
}

// cached reads a part of a file, which is opened once for all of its parts.
func cached[F io.Closer](in *opened, open func() (F, error), read func(F) item.Records) item.Records {
	return func(yield func(item.Item, error) bool) {
		files := []sourceFile{{name: in.from.name}, {name: in.from.name + logEnding}}
		cache, state := in.of.from.cache, fmt.Sprint(stateOf(in.of.from.fsys, files))
		from, ok := cache.take(state).(F)
		if !ok {
			var err error
			if from, err = open(); err != nil {
				yield(item.Item{}, err)
				return
			}
		}
		isUsable := false
		defer func() {
			if isUsable {
				cache.put(state, from)
			} else {
				_ = from.Close() // it was only read
			}
		}()
		failed := false
		read(from)(func(one item.Item, err error) bool {
			failed = failed || err != nil
			return yield(one, err)
		})
		isUsable = !failed // and its reader did not panic
	}
}

// hash returns the hash of a file's contents, which is computed once for all of its streams.
func (c *openedCache) hash(file fileState, find func(name string) string) string {
	known, ok := c.hashes[file]
	if !ok {
		if len(c.hashes) == 2 || c.hashes == nil { // a database and its log
			c.hashes = map[fileState]string{}
		}
		known = find(file.Name)
		c.hashes[file] = known
	}
	return known
}
