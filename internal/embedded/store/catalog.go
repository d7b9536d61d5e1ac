package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A Catalog is the layout of a loaded store. It does not change: another one takes its place.
type Catalog struct {
	Connectors  []model.Connector
	Tables      []*Table
	LeftOut     []model.LeftOut // in the order of file names
	CursorKey   []byte          // signs and hides cursors; kept with the data so that a bookmark outlives the process
	Generation  string          // another one after each load and update
	ReadAt      *int64          // when the files were read, in microseconds since 1970; nil: not known
	fingerprint string
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

// readCatalog reads the catalog of what is stored: an empty one before anything was loaded.
func readCatalog(ctx context.Context, db *sql.DB) (*Catalog, error) {
	values := map[string]string{}
	if err := search.Each(ctx, db, "SELECT name, value FROM meta", nil, func(rows *sql.Rows) error {
		var name, value string
		err := rows.Scan(&name, &value)
		values[name] = value
		return err
	}); err != nil || values[metaGeneration] == "" {
		return newCatalog(nil, nil), err
	}
	stored, err := storedParts(ctx, db)
	if err != nil {
		return nil, err
	}
	var connectors []model.Connector
	if err := json.Unmarshal([]byte(values[metaConnectors]), &connectors); err != nil {
		return nil, fmt.Errorf("stored connectors: %w", err)
	}
	c := newCatalog(connectors, streamNumbers(stored))
	c.Generation, c.fingerprint = values[metaGeneration], values[metaFingerprint]
	if at, err := strconv.ParseInt(values[metaReadAt], 10, 64); err == nil {
		c.ReadAt = &at
	}
	if c.CursorKey, err = hex.DecodeString(values[metaCursorKey]); err != nil {
		return nil, fmt.Errorf("stored cursor key: %w", err)
	}
	leftOut := []string{values[metaLeftOut]}
	for _, part := range stored {
		leftOut = append(leftOut, part.leftOut)
	}
	for _, text := range leftOut {
		var some []model.LeftOut
		if err := json.Unmarshal([]byte(cmp.Or(text, "null")), &some); err != nil {
			return nil, fmt.Errorf("what was left out: %w", err)
		}
		c.LeftOut = append(c.LeftOut, some...)
	}
	for i := range c.LeftOut { // a file without a record has no stream
		if one := &c.LeftOut[i]; !slices.ContainsFunc(connectors, func(of model.Connector) bool {
			return slices.ContainsFunc(of.Streams, func(s model.Stream) bool { return s.Name == one.Stream })
		}) {
			one.Stream = ""
		}
	}
	slices.SortStableFunc(c.LeftOut, func(a, b model.LeftOut) int {
		return cmp.Or(cmp.Compare(a.ConnectionID, b.ConnectionID), cmp.Compare(a.File, b.File))
	})
	c.index, err = search.Open(ctx, db)
	return c, err
}

// width is the most connections that a connector has.
func (c *Catalog) width() int {
	most := 1
	for _, connector := range c.Connectors {
		most = max(most, len(connector.Connections))
	}
	return most
}

// sourceNumber numbers the streams of all connections from 1. It stays the same as long as the stream does.
func (c *Catalog) sourceNumber(t *Table, connection int) int {
	return 1 + t.number*c.width() + connection
}

// A layout is all that the rows of a table and what is searched in them follow from.
type layout struct {
	Stream       model.Stream
	Connections  []model.Connection
	Width        int
	Table        string
	Conversation string
}

func (c *Catalog) layout(t *Table) string {
	text, _ := json.Marshal(layout{*t.Stream, t.Connector.Connections, c.width(), t.create() + t.index(),
		fmt.Sprint(t.conversation.Field, t.conversation.Is)}) // texts and numbers
	return string(text)
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
