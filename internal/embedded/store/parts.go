package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A storedPart is what the store knows about a part of what it holds.
type storedPart struct {
	model.Part
	columns     int   // that the search index has
	first, last int64 // versions of its records
	leftOut     string
	done        bool // all of it is there
	streams     []storedStream
}

type storedStream struct {
	streamKey
	number int
	layout string
}

// storedParts are none in a store that is new or of another version.
func storedParts(ctx context.Context, db querier) (map[string]storedPart, error) {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil || version != indexVersion {
		return nil, err
	}
	if ok, err := hasTable(ctx, db, "streams"); !ok {
		return nil, err
	}
	parts := map[string]storedPart{}
	const query = "SELECT name, files, streams, columns, first, last, left_out, done FROM parts"
	err := search.Each(ctx, db, query, nil, func(rows *sql.Rows) error {
		var part storedPart
		var streams []byte
		if err := rows.Scan(&part.Name, &part.Files, &streams, &part.columns, &part.first, &part.last, &part.leftOut, &part.done); err != nil {
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
	return parts, search.Each(ctx, db, "SELECT part, connector, stream, number, layout FROM streams", nil, func(rows *sql.Rows) error {
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

// streamNumbers are those of all streams of parts.
func streamNumbers(stored map[string]storedPart) map[streamKey]int {
	numbers := map[streamKey]int{}
	for _, part := range stored {
		for _, one := range part.streams {
			numbers[one.streamKey] = one.number
		}
	}
	return numbers
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
	if err := exec(ctx, l.db, "INSERT INTO parts (name, files, streams, columns, first, last, left_out, done) VALUES (?, ?, ?, ?, 0, 0, '', 0)",
		part.Name, part.Files, string(streams), l.columns); err != nil {
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
