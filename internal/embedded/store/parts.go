package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A load makes the store hold a corpus.
type load struct {
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
	columns int             // of the search index
	version int64           // the last one that was given
	writer  *search.Writer
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

// eachText visits what is searched of the records of a table.
func eachText(ctx context.Context, db querier, t *Table, use func(version int64, texts []string) error) error {
	if len(t.Lexical) == 0 {
		return nil
	}
	return search.Each(ctx, db, "SELECT version, data FROM "+t.Name+" ORDER BY version", nil, func(rows *sql.Rows) error {
		var version int64
		var data sql.RawBytes
		if err := rows.Scan(&version, &data); err != nil {
			return err
		}
		fields, err := fieldsOf(data)
		if err != nil {
			return err
		}
		return use(version, t.texts(fields))
	})
}

// createPart makes the empty tables of a part.
func (l *load) createPart(ctx context.Context, part model.Part) error {
	streams, err := json.Marshal(part.Streams)
	if err != nil {
		return err
	}
	const query = "INSERT INTO parts (name, files, streams, columns, first, last, left_out, done) VALUES (?, ?, ?, ?, 0, 0, '', 0)"
	if err := exec(ctx, l.db, query, part.Name, part.Files, string(streams), l.columns); err != nil {
		return err
	}
	for _, t := range l.tables(part) {
		err := errors.Join(exec(ctx, l.db, t.create()),
			exec(ctx, l.db, "INSERT INTO streams (number, connector, stream, part, layout) VALUES (?, ?, ?, ?, ?)",
				t.number, t.Connector.Key, t.Stream.Name, part.Name, l.next.layout(t)))
		if err != nil {
			return fmt.Errorf("stream %s of %s: %w", t.Stream.Name, t.Connector.Key, err)
		}
	}
	return nil
}

// place notes what the writer needs to know about a part that stays.
func (l *load) place(ctx context.Context, part model.Part) error {
	if err := exec(ctx, l.db, "UPDATE parts SET files = ? WHERE name = ?", part.Files, part.Name); err != nil || l.tx != nil {
		return err
	}
	for _, t := range l.tables(part) {
		if err := eachText(ctx, l.db, t, func(version int64, texts []string) error {
			l.writer.Place(version, texts)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// removePart takes a part out, in a transaction.
func (l *load) removePart(ctx context.Context, part storedPart) (err error) {
	tx := l.tx
	if tx == nil {
		if tx, err = l.store.db.BeginTx(ctx, nil); err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // nothing is left of it after a commit
	}
	for _, one := range part.streams {
		if err := l.removeStream(ctx, tx, one); err != nil {
			return err
		}
	}
	vectors, err := hasTable(ctx, tx, vectorTable)
	if err == nil && vectors {
		err = exec(ctx, tx, "DELETE FROM "+vectorTable+" WHERE version BETWEEN ? AND ?", part.first, part.last)
	}
	err = errors.Join(err, search.RemovePart(ctx, tx, part.first), exec(ctx, tx, "DELETE FROM streams WHERE part = ?", part.Name),
		exec(ctx, tx, "DELETE FROM parts WHERE name = ?", part.Name))
	if err != nil || l.tx != nil {
		return err
	}
	return tx.Commit()
}

func (l *load) removeStream(ctx context.Context, tx *sql.Tx, one storedStream) error {
	var was layout
	if err := json.Unmarshal([]byte(one.layout), &was); err != nil {
		return fmt.Errorf("stored layout: %w", err)
	}
	t := newTable(one.number, &model.Connector{}, &was.Stream)
	if len(t.Lexical) > 0 {
		remove, err := tx.PrepareContext(ctx, search.RemoveSQL(len(t.Lexical)))
		if err != nil {
			return err
		}
		if err := eachText(ctx, tx, t, func(version int64, texts []string) error {
			l.version = max(l.version, version) // that of a load that was interrupted is not given again
			_, err := remove.ExecContext(ctx, l.writer.Removed(version, texts)...)
			return err
		}); err != nil {
			return err
		}
	}
	for _, connection := range was.Connections {
		if err := exec(ctx, tx, "DELETE FROM blobs WHERE connection_id = ? AND stream = ?", connection.ID, one.stream); err != nil {
			return err
		}
	}
	return exec(ctx, tx, "DROP TABLE "+t.Name)
}

// leftOutText spells what was left out, empty where nobody says.
func leftOutText(list func() []model.LeftOut) (string, error) {
	if list == nil {
		return "", nil
	}
	text, err := json.Marshal(list())
	return string(text), err
}
