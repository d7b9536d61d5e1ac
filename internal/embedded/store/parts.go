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

// A storedPart is what the store knows about a part of what it holds.
type storedPart struct {
	model.Part
	columns     int   // that the search index has
	first, last int64 // versions of its records
	done        bool  // all of it is there
	streams     []storedStream
}

// A streamKey names a stream of the store.
type streamKey struct{ connector, stream string }

func (t *Table) key() streamKey { return streamKey{t.Connector.Key, t.Stream.Name} }

type storedStream struct {
	streamKey
	number int
	layout string
}

// storedParts are none in a store that is new or of another version.
func storedParts(ctx context.Context, db database) (map[string]storedPart, error) {
	var version, tables int
	if err := db.QueryRowContext(ctx, "SELECT user_version, (SELECT count(*) FROM sqlite_schema WHERE name = 'streams') FROM pragma_user_version").Scan(&version, &tables); err != nil || version != indexVersion || tables == 0 {
		return nil, err
	}
	parts := map[string]storedPart{}
	err := each(ctx, db, "SELECT name, files, streams, columns, first, last, done FROM parts", nil, func(rows *sql.Rows) error {
		var part storedPart
		var streams []byte
		if err := rows.Scan(&part.Name, &part.Files, &streams, &part.columns, &part.first, &part.last, &part.done); err != nil {
			return err
		}
		if err := json.Unmarshal(streams, &part.Streams); err != nil {
			return fmt.Errorf("stored part: %w", err)
		}
		parts[part.Name] = part
		return nil
	})
	if err != nil {
		return nil, err
	}
	return parts, each(ctx, db, "SELECT part, connector, stream, number, layout FROM streams", nil, func(rows *sql.Rows) error {
		var name string
		var one storedStream
		err := rows.Scan(&name, &one.connector, &one.stream, &one.number, &one.layout)
		part := parts[name]
		part.streams = append(part.streams, one)
		parts[name] = part
		return err
	})
}

// known are the parts of which all is there.
func known(stored map[string]storedPart) map[string]model.Part {
	parts := map[string]model.Part{}
	for name, part := range stored {
		if part.done {
			parts[name] = part.Part
		}
	}
	return parts
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
	conversation, ok := t.conversationField()
	text, _ := json.Marshal(layout{*t.Stream, t.Connector.Connections, c.width(), t.create() + t.index(), fmt.Sprint(conversation, ok)}) // texts and numbers
	return string(text)
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
	if _, err := l.db.ExecContext(ctx, "INSERT INTO parts (name, files, streams, columns, first, last, left_out, done) VALUES (?, ?, ?, ?, 0, 0, '', 0)",
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
	if _, err := tx.ExecContext(ctx, "UPDATE parts SET first = ?, last = ?, left_out = ?, done = 1 WHERE name = ?", end.first, end.last, string(left), end.part.Name); err != nil {
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
func eachText(ctx context.Context, db database, t *Table, use func(version int64, texts []string) error) error {
	if len(t.Lexical) == 0 {
		return nil
	}
	return each(ctx, db, "SELECT version, data FROM "+t.Name+" ORDER BY version", nil, func(rows *sql.Rows) error {
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
func tableNames(ctx context.Context, db database, like ...string) ([]string, error) {
	var names []string
	err := each(ctx, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta'
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
