package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

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
	meta     map[string]string

	next    *Catalog
	parts   []model.Part
	stored  map[string]storedPart
	kept    map[string]bool // of the parts, by name
	version int64           // the last one that was given
	writer  *search.Writer
}

// A partEnd is what is known when all records of a part were read.
type partEnd struct {
	part        model.Part
	first, last int64
	search      *search.Part
}

func (l *load) createPart(ctx context.Context, part model.Part) error {
	streams, err := json.Marshal(part.Streams)
	if err != nil {
		return err
	}
	columns := l.next.columns
	for _, other := range l.stored {
		columns = max(columns, other.columns)
	}
	if _, err := l.db.ExecContext(ctx, "INSERT INTO parts (name, files, streams, columns, first, last, left_out, done) "+
		"VALUES (?, ?, ?, ?, 0, 0, '', 0)",
		part.Name, part.Files, string(streams), columns); err != nil {
		return err
	}
	for _, t := range l.tables(part) {
		if _, err := l.db.ExecContext(ctx, t.create()); err != nil {
			return fmt.Errorf("stream %s of %s: %w", t.Stream.Name, t.Connector.Key, err)
		}
		if _, err := l.db.ExecContext(ctx, "INSERT INTO streams (number, connector, stream, part, layout) VALUES (?, ?, ?, ?, ?)",
			t.number, t.Connector.Key, t.Stream.Name, part.Name, l.next.layout(t)); err != nil {
			return err
		}
	}
	return nil
}

// endPart writes what says that all of a part is there.
func (l *load) endPart(ctx context.Context, tx *sql.Tx, end *partEnd) error {
	if end.search != nil {
		if err := l.writer.WritePart(ctx, tx, end.search); err != nil {
			return err
		}
	}
	for _, t := range l.tables(end.part) {
		if _, err := tx.ExecContext(ctx, t.index()+"ANALYZE "+t.Name); err != nil {
			return err
		}
	}
	var left []byte
	if end.part.LeftOut != nil {
		var err error
		if left, err = json.Marshal(end.part.LeftOut()); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE parts SET first = ?, last = ?, left_out = ?, done = 1 WHERE name = ?", end.first, end.last,
		string(left), end.part.Name); err != nil {
		return err
	}
	return setMeta(ctx, tx, metaVersion, strconv.FormatInt(end.last, 10))
}

// place notes what the writer needs to know about a part that stays.
func (l *load) place(ctx context.Context, part storedPart) error {
	at := slices.IndexFunc(l.parts, func(p model.Part) bool { return p.Name == part.Name })
	if _, err := l.db.ExecContext(ctx, "UPDATE parts SET files = ? WHERE name = ?", l.parts[at].Files, part.Name); err != nil || l.tx != nil {
		return err
	}
	for _, t := range l.tables(l.parts[at]) {
		if err := eachText(ctx, l.db, t, func(version int64, texts []string) error {
			l.writer.Place(version, texts)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
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
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			return fmt.Errorf("stored record: %w", err)
		}
		return use(version, t.texts(fields))
	})
}

// removePart takes a part out, in a transaction.
func (l *load) removePart(ctx context.Context, name string, part storedPart) (err error) {
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
	vectors, err := tableNames(ctx, tx, vectorTable)
	if err != nil {
		return err
	}
	for _, table := range vectors {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE version BETWEEN ? AND ?", part.first, part.last); err != nil { // #nosec G202 -- names of our own tables
			return err
		}
	}
	if err := search.RemovePart(ctx, tx, part.first); err != nil {
		return err
	}
	for _, query := range [...]string{"DELETE FROM streams WHERE part = ?", "DELETE FROM parts WHERE name = ?"} {
		if _, err := tx.ExecContext(ctx, query, name); err != nil {
			return err
		}
	}
	if l.tx == nil {
		return tx.Commit()
	}
	return nil
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
		if _, err := tx.ExecContext(ctx, "DELETE FROM blobs WHERE connection_id = ? AND stream = ?", connection.ID, one.stream); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "DROP TABLE "+t.Name)
	return err
}

// Tables of package vectors.
const (
	vectorTable = "vectors"
	vectorFacts = "vector_facts"
)

// tableNames lists every table but meta, or those of a name. A full-text table drops its shadow tables itself.
func tableNames(ctx context.Context, db querier, like ...string) ([]string, error) {
	var names []string
	err := search.Each(ctx, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta'
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '%\_text\_%' ESCAPE '\'`, nil, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		if len(like) == 0 || slices.Contains(like, name) {
			names = append(names, name)
		}
		return err
	})
	return names, err
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
