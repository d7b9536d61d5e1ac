package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// A load is one run of [Store.Load] or [Store.Update]. It keeps the first error and does nothing after it.
type load struct {
	ctx      context.Context
	err      error
	store    *Store
	tx       *sql.Tx // the running transaction
	batches  bool    // each batch is a transaction, so that complete parts survive a failure; else there is one
	corpus   model.Corpus
	progress func(n int)
	meta     map[string]string // values to store at the end

	next    *Catalog
	parts   []model.Part
	stored  map[string]storedPart
	kept    map[string]bool // whether a part is kept, by name
	version int64           // the last one assigned
}

func (l *load) try(do func() error) {
	if l.err == nil {
		l.err = do()
	}
}

func (l *load) exec(query string, args ...any) {
	l.try(func() error { return exec(l.ctx, l.tx, query, args...) })
}

// begin begins a transaction. Canceling the context does not end it: the records read by then are stored.
func (l *load) begin() (err error) {
	l.tx, err = l.store.db.BeginTx(context.WithoutCancel(l.ctx), nil)
	return err
}

func (l *load) rollback() {
	if l.tx != nil {
		_ = l.tx.Rollback()
	}
}

func (l *load) setMeta(name, value string) {
	l.try(func() error { return setMeta(l.ctx, l.tx, name, value) })
}

func (l *load) tables(part model.Part) []*Table {
	if l.corpus.Parts == nil {
		return l.next.Tables
	}
	var tables []*Table
	for _, t := range l.next.Tables {
		if t.Connector.Key == part.Connector && slices.ContainsFunc(part.Streams, func(s model.Stream) bool { return s.Name == t.Stream.Name }) {
			tables = append(tables, t)
		}
	}
	return tables
}

func (l *load) createPart(part model.Part) {
	streams, err := json.Marshal(part.Streams)
	l.try(func() error { return err })
	l.exec("INSERT INTO parts (name, files, streams, first, last, left_out, done) VALUES (?, ?, ?, 0, 0, '', 0)",
		part.Name, part.Files, string(streams))
	for _, t := range l.tables(part) {
		l.exec(t.create())
		l.exec("INSERT INTO streams (number, connector, stream, part, layout) VALUES (?, ?, ?, ?, ?)",
			t.number, t.Connector.Key, t.Stream.Name, part.Name, l.next.layout(t))
	}
}

func (l *load) removePart(part storedPart) {
	for _, one := range part.streams {
		var was layout
		l.try(func() error {
			if err := json.Unmarshal([]byte(one.layout), &was); err != nil {
				return fmt.Errorf("stored layout: %w", err)
			}
			return nil
		})
		for _, connection := range was.Connections {
			l.exec("DELETE FROM blobs WHERE connection_id = ? AND stream = ?", connection.ID, one.stream)
		}
		l.exec("DROP TABLE " + tableName(one.number))
	}
	l.try(func() error {
		if ok, err := hasTable(l.ctx, l.tx, vectors.Table); !ok {
			return err
		}
		return exec(l.ctx, l.tx, "DELETE FROM "+vectors.Table+" WHERE version BETWEEN ? AND ?", part.first, part.last)
	})
	l.try(func() error { return search.RemoveParts(l.ctx, l.tx, part.first, part.last) })
	l.exec("DELETE FROM streams WHERE part = ?", part.Name)
	l.exec("DELETE FROM parts WHERE name = ?", part.Name)
}

// leftOutText encodes what was left out as JSON, "" if list is nil.
func leftOutText(list func() []model.LeftOut) (string, error) {
	if list == nil {
		return "", nil
	}
	text, err := json.Marshal(list())
	return string(text), err
}
