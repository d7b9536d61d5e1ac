package importer

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

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

// put keeps a file until it is taken.
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
