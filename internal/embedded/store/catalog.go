package store

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A Catalog is the layout of a loaded store. It does not change.
type Catalog struct {
	Connectors  []model.Connector
	Tables      []*Table
	LeftOut     []model.LeftOut
	CursorKey   []byte // signs cursors; kept with the data so that a bookmark outlives the process
	fingerprint string
	index       *search.Index
}

// newCatalog lays out one table for each stream of each connector. The layout follows from the connectors alone.
func newCatalog(connectors []model.Connector, fingerprint string, cursorKey []byte) *Catalog {
	c := &Catalog{Connectors: connectors, fingerprint: fingerprint, CursorKey: cursorKey}
	for i := range connectors {
		for j := range connectors[i].Streams {
			c.Tables = append(c.Tables, newTable(len(c.Tables), &connectors[i], &connectors[i].Streams[j]))
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

// sourceNumber numbers the streams of all connections from 1, by table and place of the connection in its connector.
func (c *Catalog) sourceNumber(t *Table, connection int) int {
	number := 1 + connection
	for _, other := range c.Tables[:t.number] {
		number += len(other.Connector.Connections)
	}
	return number
}

// Search finds records. Nothing is found before anything was loaded.
func (c *Catalog) Search(ctx context.Context, request search.Request) (*search.Result, error) {
	if c.index == nil {
		return &search.Result{}, nil
	}
	return c.index.Search(ctx, request)
}
