package importer

import (
	"archive/zip"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/files"
)

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

// An openedCache keeps a file of several streams open, such as a workbook or a database, until another such file is read or cacheTTL is
// over: the larger the file, the longer it takes to open.
type openedCache struct {
	mu     sync.Mutex
	of     string // the file, and its state at that time
	value  io.Closer
	expiry *time.Timer

	hashes map[fileState]string // of the last files whose hash was asked for
}

const cacheTTL = 5 * time.Second

// swap takes the value for a file out of the cache, nil if there is none, and stores another value. It closes the old value if it does not
// return it.
func (c *openedCache) swap(of string, value io.Closer) io.Closer {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.value
	if c.expiry != nil {
		c.expiry.Stop()
	}
	if before != nil && c.of != of || before != nil && value != nil {
		_ = before.Close() // it was only read
		before = nil
	}
	c.of, c.value, c.expiry = of, value, nil
	if value != nil {
		c.expiry = time.AfterFunc(cacheTTL, func() { c.swap("", nil) })
	}
	return before
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
