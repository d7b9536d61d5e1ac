package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A load makes the store hold a corpus. It keeps the first error and does nothing after it.
type load struct {
	ctx      context.Context
	err      error
	store    *Store
	db       querier
	tx       *sql.Tx // that all of it happens in; nil: each batch has one of its own
	corpus   model.Corpus
	progress func(n int)
	meta     map[string]string // that the store has when it is there

	next    *Catalog
	parts   []model.Part
	stored  map[string]storedPart
	kept    map[string]bool // of the parts, by name
	version int64           // the last one that was given
}

func (l *load) try(do func() error) {
	if l.err == nil {
		l.err = do()
	}
}

func (l *load) exec(db search.Database, query string, args ...any) {
	l.try(func() error { return exec(l.ctx, db, query, args...) })
}

func (l *load) setMeta(name, value string) {
	l.try(func() error { return setMeta(l.ctx, l.db, name, value) })
}

// tables are those of a part.
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

// createPart makes the empty tables of a part.
func (l *load) createPart(part model.Part) {
	streams, err := json.Marshal(part.Streams)
	l.try(func() error { return err })
	l.exec(l.db, "INSERT INTO parts (name, files, streams, first, last, left_out, done) VALUES (?, ?, ?, 0, 0, '', 0)",
		part.Name, part.Files, string(streams))
	for _, t := range l.tables(part) {
		l.exec(l.db, t.create())
		l.exec(l.db, "INSERT INTO streams (number, connector, stream, part, layout) VALUES (?, ?, ?, ?, ?)",
			t.number, t.Connector.Key, t.Stream.Name, part.Name, l.next.layout(t))
	}
}

// removePart takes a part out, in a transaction.
func (l *load) removePart(part storedPart) {
	tx := l.tx
	if tx == nil {
		l.try(func() (err error) {
			tx, err = l.store.db.BeginTx(l.ctx, nil)
			return err
		})
		if l.err != nil {
			return
		}
		defer func() { _ = tx.Rollback() }() // nothing is left of it after a commit
	}
	for _, one := range part.streams {
		l.removeStream(tx, one)
	}
	l.try(func() error {
		if ok, err := hasTable(l.ctx, tx, vectorTable); !ok {
			return err
		}
		return exec(l.ctx, tx, "DELETE FROM "+vectorTable+" WHERE version BETWEEN ? AND ?", part.first, part.last)
	})
	l.try(func() error { return search.RemoveParts(l.ctx, tx, part.first, part.last) })
	l.exec(tx, "DELETE FROM streams WHERE part = ?", part.Name)
	l.exec(tx, "DELETE FROM parts WHERE name = ?", part.Name)
	if l.tx == nil {
		l.try(tx.Commit)
	}
}

func (l *load) removeStream(tx *sql.Tx, one storedStream) {
	var was layout
	l.try(func() error {
		if err := json.Unmarshal([]byte(one.layout), &was); err != nil {
			return fmt.Errorf("stored layout: %w", err)
		}
		return nil
	})
	for _, connection := range was.Connections {
		l.exec(tx, "DELETE FROM blobs WHERE connection_id = ? AND stream = ?", connection.ID, one.stream)
	}
	l.exec(tx, "DROP TABLE "+tableName(one.number))
}

// leftOutText spells what was left out, empty where nobody says.
func leftOutText(list func() []model.LeftOut) (string, error) {
	if list == nil {
		return "", nil
	}
	text, err := json.Marshal(list())
	return string(text), err
}
