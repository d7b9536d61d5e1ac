package store

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A Catalog is the layout of a loaded store. It does not change: another one takes its place.
type Catalog struct {
	Connectors  []model.Connector
	Tables      []*Table
	LeftOut     []model.LeftOut
	CursorKey   []byte // signs cursors; kept with the data so that a bookmark outlives the process
	Generation  string // another one after each load and update
	fingerprint string
	columns     int // of a search index that is made for it
	index       *search.Index
}

// newCatalog lays out one table for each stream of each connector. The layout follows from the connectors and the numbers of the streams.
func newCatalog(connectors []model.Connector, numbers map[streamKey]int) *Catalog {
	c := &Catalog{Connectors: connectors}
	for i := range connectors {
		for j := range connectors[i].Streams {
			stream := &connectors[i].Streams[j]
			c.Tables = append(c.Tables, newTable(numbers[streamKey{connectors[i].Key, stream.Name}], &connectors[i], stream))
		}
	}
	return c
}

// lexicalColumns is the most searched fields that a stream has.
func (c *Catalog) lexicalColumns() int {
	most := 0
	for _, t := range c.Tables {
		most = max(most, len(t.Lexical))
	}
	return most
}

// sourceNumber numbers the streams of all connections from 1. It stays the same as long as the stream does.
func (c *Catalog) sourceNumber(t *Table, connection int) int {
	return 1 + t.number*c.width() + connection
}

// width is the most connections that a connector has.
func (c *Catalog) width() int {
	most := 1
	for _, connector := range c.Connectors {
		most = max(most, len(connector.Connections))
	}
	return most
}

// Has reports whether the store has a record of a version, by the number of its source in a search.
func (c *Catalog) Has(version int64, source int) bool {
	return c.index != nil && c.index.Has(version, source)
}

// Search finds records. Nothing is found before anything was loaded.
func (c *Catalog) Search(ctx context.Context, request search.Request) (*search.Result, error) {
	if c.index == nil {
		return &search.Result{}, nil
	}
	return c.index.Search(ctx, request)
}
