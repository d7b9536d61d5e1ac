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

// A Catalog is the layout of a loaded store. It is immutable: each load or update replaces it.
type Catalog struct {
	Connectors  []model.Connector
	Tables      []*Table
	LeftOut     []model.LeftOut // in the order of file names
	CursorKey   []byte          // signs and encrypts cursors; stored with the data, so that bookmarks survive a restart
	Generation  string          // changes with each load and update; the same for the same public data
	ReadAt      *int64          // when the files were read, in microseconds since 1970; nil: unknown
	fingerprint string

	*search.Index // of the records; empty before the first load
}

// newCatalog lays out one table for each stream of each connector. The layout depends only on the connectors and the stream numbers.
func newCatalog(connectors []model.Connector, numbers map[streamKey]int) *Catalog {
	c := &Catalog{Connectors: connectors, Index: &search.Index{}}
	for i := range connectors {
		for j := range connectors[i].Streams {
			stream := &connectors[i].Streams[j]
			c.Tables = append(c.Tables, newTable(numbers[streamKey{connectors[i].Key, stream.Name}], &connectors[i], stream))
		}
	}
	return c
}

// readCatalog reads the catalog of the stored data, which is empty before the first load.
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
	if err := c.readLeftOut(leftOut); err != nil {
		return nil, fmt.Errorf("what was left out: %w", err)
	}
	c.Index, err = search.Open(ctx, db)
	return c, err
}

// readLeftOut sets LeftOut from stored lists, of which some may be empty.
func (c *Catalog) readLeftOut(lists []string) error {
	for _, list := range lists {
		var some []model.LeftOut
		if err := json.Unmarshal([]byte(cmp.Or(list, "null")), &some); err != nil {
			return err
		}
		c.LeftOut = append(c.LeftOut, some...)
	}
	for i := range c.LeftOut { // the stream of a file without records may not exist
		if one := &c.LeftOut[i]; !slices.ContainsFunc(c.Tables, func(t *Table) bool { return t.Stream.Name == one.Stream }) {
			one.Stream = ""
		}
	}
	slices.SortStableFunc(c.LeftOut, func(a, b model.LeftOut) int {
		return cmp.Or(cmp.Compare(a.ConnectionID, b.ConnectionID), cmp.Compare(a.File, b.File))
	})
	return nil
}

func (c *Catalog) width() int {
	most := 1
	for _, connector := range c.Connectors {
		most = max(most, len(connector.Connections))
	}
	return most
}

// sourceNumber numbers the streams of all connections from 1. A stream that is kept keeps its number.
func (c *Catalog) sourceNumber(t *Table, connection int) int {
	return 1 + t.number*c.width() + connection
}

// A layout is everything that determines the rows of a table and what is indexed of them.
type layout struct {
	Stream       model.Stream
	Connections  []model.Connection
	Width        int
	Table        string
	Conversation string
}

func (c *Catalog) layout(t *Table) string {
	text, _ := json.Marshal(layout{*t.Stream, t.Connector.Connections, c.width(), t.create() + t.index(),
		fmt.Sprint(t.conversation.Field, t.conversation.Is)}) // strings and numbers: it cannot fail
	return string(text)
}
