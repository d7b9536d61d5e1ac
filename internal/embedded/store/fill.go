package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

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

// fill stores the records with their blobs, a batch to a transaction. While SQLite writes some, the next are read and split into words.
func (l *load) fill(ctx context.Context) error {
	f, err := l.newFiller(ctx)
	if err != nil {
		return err
	}
	defer f.rollback()
	group, ctx := errgroup.WithContext(ctx)
	entries := make(chan entry, entriesAhead)
	group.Go(func() error {
		defer close(entries)
		return f.read(ctx, entries)
	})
	group.Go(func() error { return f.write(ctx, entries) })
	return group.Wait()
}

// read turns the records of the parts that do not stay into entries.
func (f *filler) read(ctx context.Context, entries chan<- entry) error {
	send := func(e entry) error {
		select {
		case entries <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, part := range f.parts {
		if f.kept[part.Name] {
			continue
		}
		end := &partEnd{part: part, first: f.version + 1}
		if part.Records != nil {
			for record, err := range part.Records {
				if err != nil {
					return err
				}
				f.version++
				e, err := f.entry(f.version, record)
				if err != nil {
					return entryError(record, err)
				}
				if err := send(e); err != nil {
					return err
				}
			}
		}
		end.last, end.search = f.version, f.writer.EndPart()
		if end.last < end.first {
			end.first = 0 // the next part has that version
		}
		if err := send(entry{end: end}); err != nil {
			return err
		}
	}
	return nil
}

// write stores entries. Its statements are not canceled one by one: each is short, and watching it would cost as much as running it.
func (f *filler) write(ctx context.Context, entries <-chan entry) error {
	for e := range entries {
		if e.end != nil {
			if err := f.endPart(context.WithoutCancel(ctx), f.batch, e.end); err != nil {
				return err
			}
			continue
		}
		if err := f.add(context.WithoutCancel(ctx), e); err != nil {
			return entryError(e.record, err)
		}
		f.count++
		f.waiting++
		if f.bytes += len(e.record.Data); e.record.Blob != nil {
			f.bytes += len(e.record.Blob.Bytes)
		}
		if f.waiting == batchSize || f.bytes >= batchBytes {
			if err := f.nextBatch(ctx); err != nil {
				return err
			}
		}
	}
	return f.nextBatch(ctx)
}

func entryError(record model.Record, err error) error {
	return fmt.Errorf("record %q of stream %q under connection %q: %w", record.ID, record.Stream, record.ConnectionID, err)
}

// entriesAhead is how many entries wait to be written. A record may be large, so they are few.
const entriesAhead = 8

// An entry is a record on its way into the store, or the end of a part.
type entry struct {
	end        *partEnd
	record     model.Record
	target     *target
	row, terms []any // arguments of the target's statements; terms are nil if nothing in the record is searched
}

// A filler adds records inside the transaction of the running batch.
type filler struct {
	*load
	batch   *sql.Tx
	targets map[placeKey]*target
	count   int
	waiting int // of them, those in the running batch; and how long they are
	bytes   int
	fields  map[string]json.RawMessage // of the record that is read
}

// A placeKey says where a record belongs: connection ids are unique over all connectors.
type placeKey struct{ connection, stream string }

// A target is a table with its statements prepared in the running transaction.
type target struct {
	*Table
	source        int // number in the search index
	record, terms *sql.Stmt
}

func (l *load) newFiller(ctx context.Context) (*filler, error) {
	f := &filler{load: l, batch: l.tx, targets: map[placeKey]*target{}, fields: map[string]json.RawMessage{}}
	for _, t := range l.next.Tables {
		for i, connection := range t.Connector.Connections {
			f.targets[placeKey{connection.ID, t.Stream.Name}] = &target{Table: t, source: l.next.sourceNumber(t, i)}
		}
	}
	if l.tx != nil {
		return f, nil
	}
	return f, f.begin(ctx)
}

func (f *filler) begin(ctx context.Context) error {
	tx, err := f.store.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	f.batch = tx
	for _, t := range f.targets {
		t.record, t.terms = nil, nil // they belonged to the transaction before
	}
	return nil
}

func (f *filler) nextBatch(ctx context.Context) error {
	f.waiting, f.bytes = 0, 0
	if f.progress != nil {
		defer func() { f.progress(f.count) }()
	}
	if f.tx != nil {
		return nil
	}
	if err := f.batch.Commit(); err != nil {
		return err
	}
	return f.begin(ctx)
}

// rollback ends the open transaction: after the last batch it is empty.
func (f *filler) rollback() {
	if f.tx == nil {
		_ = f.batch.Rollback() // nothing to save, and the load's own error says more
	}
}

// entry decodes a record and splits its texts into words.
func (f *filler) entry(version int64, record model.Record) (entry, error) {
	t, ok := f.targets[placeKey{record.ConnectionID, record.Stream}]
	if !ok {
		return entry{}, errors.New("no such stream or connection")
	}
	clear(f.fields)
	for _, one := range record.Fields {
		f.fields[one.Name] = one.Value
	}
	if record.Fields == nil {
		if err := json.Unmarshal(record.Data, &f.fields); err != nil {
			return entry{}, err
		}
	}
	record.Fields = nil // they change when the next record is read
	terms := f.writer.Row(search.Document{
		Version: version, Source: t.source, Texts: t.texts(f.fields), Event: t.eventOf(record, f.fields),
		Conversation: t.conversationOf(f.fields),
	})
	return entry{record: record, target: t, row: t.row(version, record, f.fields), terms: terms}, nil
}

// add stores a record, in the place of an earlier one of the same id, and the bytes that it names.
func (f *filler) add(ctx context.Context, e entry) error {
	if err := f.prepare(ctx, e.target); err != nil {
		return err
	}
	result, err := e.target.record.ExecContext(ctx, e.row...)
	if err != nil {
		return err
	}
	added, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if added == 0 {
		if err := f.remove(ctx, e.target, e.record); err != nil {
			return err
		}
		if _, err := e.target.record.ExecContext(ctx, e.row...); err != nil {
			return err
		}
	}
	if e.terms != nil {
		if _, err := e.target.terms.ExecContext(ctx, e.terms...); err != nil {
			return err
		}
	}
	if e.record.Blob == nil {
		return nil
	}
	_, err = f.batch.ExecContext(ctx,
		"INSERT OR REPLACE INTO blobs (id, connection_id, stream, record_id, mime_type, bytes) VALUES (?, ?, ?, ?, ?, ?)",
		e.record.Blob.ID, e.record.ConnectionID, e.record.Stream, e.record.ID, e.record.Blob.MIMEType, e.record.Blob.Bytes)
	return err
}

// remove takes out the earlier record of the same id.
func (f *filler) remove(ctx context.Context, t *target, record model.Record) error {
	var version int64
	var data []byte
	if err := f.batch.QueryRowContext(ctx, t.remove(), t.connectionNumber(record.ConnectionID), record.ID).Scan(&version, &data); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("stored record: %w", err)
	}
	removed := f.writer.Removed(version, t.texts(fields))
	if len(t.Lexical) == 0 {
		return nil
	}
	_, err := f.batch.ExecContext(ctx, search.RemoveSQL(len(t.Lexical)), removed...)
	return err
}

func (f *filler) prepare(ctx context.Context, t *target) (err error) {
	if t.record != nil {
		return nil
	}
	if t.record, err = f.batch.PrepareContext(ctx, t.insert()); err != nil {
		return err
	}
	if len(t.Lexical) > 0 {
		t.terms, err = f.batch.PrepareContext(ctx, search.InsertSQL(len(t.Lexical)))
	}
	return err
}
