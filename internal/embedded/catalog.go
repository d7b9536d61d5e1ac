package embedded

import "github.com/pdp-connect/pdpp-mcp/internal/embedded/model"

// A catalog is the layout of a loaded store. It does not change.
type catalog struct {
	connectors  []model.Connector
	tables      []*table
	fingerprint string
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
