package embedded

import (
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A catalog is the layout of a loaded store. It does not change.
type catalog struct {
	connectors  []model.Connector
	tables      []*table
	fingerprint string
	index       *search.Index
	cursorKey   []byte // signs cursors; kept with the data so that a bookmark outlives the process
}

// newCatalog lays out one table for each stream of each connector. The layout follows from the connectors alone.
func newCatalog(connectors []model.Connector, fingerprint string, cursorKey []byte) *catalog {
	c := &catalog{connectors: connectors, fingerprint: fingerprint, cursorKey: cursorKey}
	for i := range connectors {
		for j := range connectors[i].Streams {
			c.tables = append(c.tables, newTable(len(c.tables), &connectors[i], &connectors[i].Streams[j]))
		}
	}
	return c
}

// lexicalColumns is the most searched fields that a stream has.
func (c *catalog) lexicalColumns() int {
	most := 0
	for _, t := range c.tables {
		most = max(most, len(t.lexical))
	}
	return most
}

// sourceNumber numbers the streams of all connections from 1, by table and place of the connection in its connector.
func (c *catalog) sourceNumber(t *table, connection int) int {
	number := 1 + connection
	for _, other := range c.tables[:t.number] {
		number += len(other.connector.Connections)
	}
	return number
}
