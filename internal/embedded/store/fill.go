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

// A transaction ends after batchSize records or batchBytes bytes: enough to make commits cheap, few enough to report progress.
const (
	batchSize  = 25_000
	batchBytes = 32 << 20
)

// A filler stores the records of a load, one batch per transaction. One goroutine reads records and splits their texts into words while
// another writes earlier ones to SQLite.
type filler struct {
	*load
	targets map[placeKey]*target
	writer  *search.Writer
	count   int // records stored so far
	waiting int // records in the running batch, and their size
	bytes   int
}

// A placeKey identifies the target of a record. Connection ids are unique across connectors.
type placeKey struct{ connection, stream string }

// A target is a table with its insert statement, prepared in the running transaction.
type target struct {
	*Table
	source int // number of the source in the search index
	record *sql.Stmt
}

// A step writes what was read: a record, a full segment of the search index, or the end of a part.
type step func(context.Context) error

// stepsAhead is how many steps may be queued: few, because a record may be large.
const stepsAhead = 8

func (f *filler) fill(ctx context.Context) error {
	for _, t := range f.next.Tables {
		for i, connection := range t.Connector.Connections {
			f.targets[placeKey{connection.ID, t.Stream.Name}] = &target{Table: t, source: f.next.sourceNumber(t, i)}
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	steps := make(chan step, stepsAhead)
	group.Go(func() error {
		defer close(steps)
		return f.read(ctx, steps)
	})
	group.Go(func() error {
		for take := range steps { // steps are not canceled: each is short, and watching the context would cost as much
			if err := take(context.WithoutCancel(ctx)); err != nil {
				return err
			}
		}
		return f.nextBatch()
	})
	return group.Wait()
}

// read sends the steps that store the parts which are not kept.
func (f *filler) read(ctx context.Context, steps chan<- step) error {
	send := func(s step) error {
		select {
		case steps <- s:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	fields := map[string]json.RawMessage{} // of the current record
	for _, part := range f.parts {
		if f.kept[part.Name] {
			continue
		}
		first := f.version + 1
		if part.Records == nil {
			part.Records = func(func(model.Record, error) bool) {}
		}
		for record, err := range part.Records {
			if err != nil {
				return err
			}
			f.version++
			add, err := f.adding(f.version, record, fields)
			if err != nil {
				return recordError(record, err)
			}
			if err := send(add); err != nil {
				return err
			}
			if full := f.writer.Full(); full != nil {
				if err := send(func(ctx context.Context) error { return full.Write(ctx, f.tx) }); err != nil {
					return err
				}
			}
		}
		last, indexed := f.version, f.writer.EndPart()
		if err := send(func(ctx context.Context) error { return f.endPart(ctx, part, first, last, indexed) }); err != nil {
			return err
		}
	}
	return nil
}

func recordError(record model.Record, err error) error {
	return fmt.Errorf("record %q of stream %q under connection %q: %w", record.ID, record.Stream, record.ConnectionID, err)
}

// adding decodes a record, splits its texts into words, and returns the step that stores it.
func (f *filler) adding(version int64, record model.Record, fields map[string]json.RawMessage) (step, error) {
	t, ok := f.targets[placeKey{record.ConnectionID, record.Stream}]
	if !ok {
		return nil, errors.New("no such stream or connection")
	}
	clear(fields)
	for _, one := range record.Fields {
		fields[one.Name] = one.Value
	}
	if record.Fields == nil {
		if err := json.Unmarshal(record.Data, &fields); err != nil {
			return nil, err
		}
	}
	record.Fields = nil // valid only until the next record is read
	f.writer.Add(search.Document{
		Version: version, Source: t.source, Texts: t.texts(fields), Event: t.eventOf(record, fields),
		Conversation: t.conversation.number(fields),
	})
	row := t.row(version, record, fields)
	return func(ctx context.Context) error {
		if err := f.add(ctx, t, record, row); err != nil {
			return recordError(record, err)
		}
		f.count++
		f.waiting++
		if f.bytes += len(record.Data); record.Blob != nil {
			f.bytes += len(record.Blob.Bytes)
		}
		if f.waiting < batchSize && f.bytes < batchBytes {
			return nil
		}
		return f.nextBatch()
	}, nil
}

func (f *filler) nextBatch() error {
	f.waiting, f.bytes = 0, 0
	if f.progress != nil {
		defer func() { f.progress(f.count) }()
	}
	if !f.batches {
		return nil
	}
	for _, t := range f.targets {
		t.record = nil // it belongs to the transaction
	}
	if err := f.tx.Commit(); err != nil {
		return err
	}
	return f.begin()
}

// add stores a record and its blob. It replaces an earlier record with the same id.
func (f *filler) add(ctx context.Context, t *target, record model.Record, row []any) error {
	if t.record == nil {
		var err error
		if t.record, err = f.tx.PrepareContext(ctx, t.insert()); err != nil {
			return err
		}
	}
	result, err := t.record.ExecContext(ctx, row...)
	if err != nil {
		return err
	}
	added, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if added == 0 {
		if err := f.remove(ctx, t, record); err != nil {
			return err
		}
		if _, err := t.record.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	if record.Blob == nil {
		return nil
	}
	const query = "INSERT OR REPLACE INTO blobs (id, connection_id, stream, record_id, mime_type, bytes) VALUES (?, ?, ?, ?, ?, ?)"
	return exec(ctx, f.tx, query,
		record.Blob.ID, record.ConnectionID, record.Stream, record.ID, record.Blob.MIMEType, record.Blob.Bytes)
}

// remove deletes the earlier record with the same id.
func (f *filler) remove(ctx context.Context, t *target, record model.Record) error {
	var version int64
	query := "DELETE FROM " + t.Name + " WHERE connection = ? AND id = ? RETURNING version"
	err := f.tx.QueryRowContext(ctx, query, t.connectionNumber(record.ConnectionID), record.ID).Scan(&version)
	f.writer.Remove(version)
	return err
}

// fewRecords is from how many records on a part is analyzed. Below that every query is fast, and each ANALYZE makes SQLite read the
// statistics of all tables again.
const fewRecords = 1000

// endPart completes a part: it writes the rest of its search index, its SQL indexes, and the versions of its records.
func (f *filler) endPart(ctx context.Context, part model.Part, first, last int64, indexed *search.Part) error {
	if indexed != nil {
		if err := f.writer.WritePart(ctx, f.tx, indexed); err != nil {
			return err
		}
	}
	for _, t := range f.tables(part) {
		statements := t.index()
		if last-first >= fewRecords {
			statements += "ANALYZE " + t.Name
		}
		if err := exec(ctx, f.tx, statements); err != nil {
			return err
		}
	}
	left, err := leftOutText(part.LeftOut)
	if err != nil {
		return err
	}
	const query = "UPDATE parts SET first = ?, last = ?, left_out = ?, done = 1 WHERE name = ?"
	if err := exec(ctx, f.tx, query, first, last, left, part.Name); err != nil {
		return err
	}
	return setMeta(ctx, f.tx, metaVersion, strconv.FormatInt(last, 10))
}
