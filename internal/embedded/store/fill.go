package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// batchSize and batchBytes are how many records share a transaction: enough to make commits cheap, at each of which the full-text index
// writes what it has gathered; few enough to report progress.
const (
	batchSize  = 25_000
	batchBytes = 32 << 20
)

// A batch is the running transaction, with what is in it.
type batch struct {
	tx      *sql.Tx
	targets map[placeKey]*target
	count   int // of all records, in earlier batches too
	waiting int // of them, those in the running batch; and how long they are
	bytes   int
}

// A placeKey says where a record belongs: connection ids are unique over all connectors.
type placeKey struct{ connection, stream string }

// A target is a table with its statements prepared in the running transaction.
type target struct {
	*Table
	source        int // number in the search index
	record, terms *sql.Stmt
}

// An entry is a record on its way into the store, or the end of a part.
type entry struct {
	end        *partEnd
	record     model.Record
	target     *target
	row, terms []any // arguments of the target's statements; terms are nil if nothing in the record is searched
}

// A partEnd is what is known when all records of a part were read.
type partEnd struct {
	part        model.Part
	first, last int64
	search      *search.Part
}

// entriesAhead is how many entries wait to be written. A record may be large, so they are few.
const entriesAhead = 8

// fill stores the records with their blobs, a batch to a transaction. While SQLite writes some, the next are read and split into words.
func (l *load) fill(ctx context.Context) error {
	l.batch.targets = map[placeKey]*target{}
	for _, t := range l.next.Tables {
		for i, connection := range t.Connector.Connections {
			l.batch.targets[placeKey{connection.ID, t.Stream.Name}] = &target{Table: t, source: l.next.sourceNumber(t, i)}
		}
	}
	if l.batch.tx = l.tx; l.tx == nil {
		if err := l.begin(ctx); err != nil {
			return err
		}
		defer func() { _ = l.batch.tx.Rollback() }() // after the last batch it is empty, and the load's own error says more
	}
	group, ctx := errgroup.WithContext(ctx)
	entries := make(chan entry, entriesAhead)
	group.Go(func() error {
		defer close(entries)
		return l.read(ctx, entries)
	})
	group.Go(func() error { return l.write(ctx, entries) })
	return group.Wait()
}

// read turns the records of the parts that do not stay into entries.
func (l *load) read(ctx context.Context, entries chan<- entry) error {
	send := func(e entry) error {
		select {
		case entries <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	fields := map[string]json.RawMessage{} // of the record that is read
	for _, part := range l.parts {
		if l.kept[part.Name] {
			continue
		}
		end := &partEnd{part: part, first: l.version + 1}
		if part.Records == nil {
			part.Records = func(func(model.Record, error) bool) {}
		}
		for record, err := range part.Records {
			if err != nil {
				return err
			}
			l.version++
			e, err := l.entry(l.version, record, fields)
			if err != nil {
				return entryError(record, err)
			}
			if err := send(e); err != nil {
				return err
			}
		}
		end.last, end.search = l.version, l.writer.EndPart()
		if end.last < end.first {
			end.first = 0 // the next part has that version
		}
		if err := send(entry{end: end}); err != nil {
			return err
		}
	}
	return nil
}

// entry decodes a record and splits its texts into words.
func (l *load) entry(version int64, record model.Record, fields map[string]json.RawMessage) (entry, error) {
	t, ok := l.batch.targets[placeKey{record.ConnectionID, record.Stream}]
	if !ok {
		return entry{}, errors.New("no such stream or connection")
	}
	clear(fields)
	for _, one := range record.Fields {
		fields[one.Name] = one.Value
	}
	if record.Fields == nil {
		if err := json.Unmarshal(record.Data, &fields); err != nil {
			return entry{}, err
		}
	}
	record.Fields = nil // they change when the next record is read
	terms := l.writer.Row(search.Document{
		Version: version, Source: t.source, Texts: t.texts(fields), Event: t.eventOf(record, fields),
		Conversation: t.conversation.number(fields),
	})
	return entry{record: record, target: t, row: t.row(version, record, fields), terms: terms}, nil
}

func entryError(record model.Record, err error) error {
	return fmt.Errorf("record %q of stream %q under connection %q: %w", record.ID, record.Stream, record.ConnectionID, err)
}

// write stores entries. Its statements are not canceled one by one: each is short, and watching it would cost as much as running it.
func (l *load) write(ctx context.Context, entries <-chan entry) error {
	b := &l.batch
	for e := range entries {
		if e.end != nil {
			if err := l.endPart(context.WithoutCancel(ctx), e.end); err != nil {
				return err
			}
			continue
		}
		if err := l.add(context.WithoutCancel(ctx), e); err != nil {
			return entryError(e.record, err)
		}
		b.count++
		b.waiting++
		if b.bytes += len(e.record.Data); e.record.Blob != nil {
			b.bytes += len(e.record.Blob.Bytes)
		}
		if b.waiting == batchSize || b.bytes >= batchBytes {
			if err := l.nextBatch(ctx); err != nil {
				return err
			}
		}
	}
	return l.nextBatch(ctx)
}

func (l *load) begin(ctx context.Context) error {
	tx, err := l.store.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	l.batch.tx = tx
	for _, t := range l.batch.targets {
		t.record, t.terms = nil, nil // they belonged to the transaction before
	}
	return nil
}

func (l *load) nextBatch(ctx context.Context) error {
	l.batch.waiting, l.batch.bytes = 0, 0
	if l.progress != nil {
		defer func() { l.progress(l.batch.count) }()
	}
	if l.tx != nil {
		return nil
	}
	if err := l.batch.tx.Commit(); err != nil {
		return err
	}
	return l.begin(ctx)
}

// add stores a record, in the place of an earlier one of the same id, and the bytes that it names.
func (l *load) add(ctx context.Context, e entry) error {
	tx, t := l.batch.tx, e.target
	if err := t.prepare(ctx, tx); err != nil {
		return err
	}
	result, err := t.record.ExecContext(ctx, e.row...)
	if err != nil {
		return err
	}
	added, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if added == 0 {
		if err := l.remove(ctx, t, e.record); err != nil {
			return err
		}
		if _, err := t.record.ExecContext(ctx, e.row...); err != nil {
			return err
		}
	}
	if e.terms != nil {
		if _, err := t.terms.ExecContext(ctx, e.terms...); err != nil {
			return err
		}
	}
	if e.record.Blob == nil {
		return nil
	}
	return exec(ctx, tx, "INSERT OR REPLACE INTO blobs (id, connection_id, stream, record_id, mime_type, bytes) VALUES (?, ?, ?, ?, ?, ?)",
		e.record.Blob.ID, e.record.ConnectionID, e.record.Stream, e.record.ID, e.record.Blob.MIMEType, e.record.Blob.Bytes)
}

// remove takes out the earlier record of the same id.
func (l *load) remove(ctx context.Context, t *target, record model.Record) error {
	var version int64
	var data []byte
	row := l.batch.tx.QueryRowContext(ctx, t.remove(), t.connectionNumber(record.ConnectionID), record.ID)
	if err := row.Scan(&version, &data); err != nil {
		return err
	}
	fields, err := fieldsOf(data)
	if err != nil {
		return err
	}
	removed := l.writer.Removed(version, t.texts(fields))
	if len(t.Lexical) == 0 {
		return nil
	}
	return exec(ctx, l.batch.tx, search.RemoveSQL(len(t.Lexical)), removed...)
}

func (t *target) prepare(ctx context.Context, tx *sql.Tx) (err error) {
	if t.record != nil {
		return nil
	}
	if t.record, err = tx.PrepareContext(ctx, t.insert()); err != nil {
		return err
	}
	if len(t.Lexical) > 0 {
		t.terms, err = tx.PrepareContext(ctx, search.InsertSQL(len(t.Lexical)))
	}
	return err
}

// endPart writes what says that all of a part is there.
func (l *load) endPart(ctx context.Context, end *partEnd) error {
	tx := l.batch.tx
	if end.search != nil {
		if err := l.writer.WritePart(ctx, tx, end.search); err != nil {
			return err
		}
	}
	for _, t := range l.tables(end.part) {
		if err := exec(ctx, tx, t.index()+"ANALYZE "+t.Name); err != nil {
			return err
		}
	}
	left, err := leftOutText(end.part.LeftOut)
	if err != nil {
		return err
	}
	const query = "UPDATE parts SET first = ?, last = ?, left_out = ?, done = 1 WHERE name = ?"
	if err := exec(ctx, tx, query, end.first, end.last, left, end.part.Name); err != nil {
		return err
	}
	return setMeta(ctx, tx, metaVersion, strconv.FormatInt(end.last, 10))
}
