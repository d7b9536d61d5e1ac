package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// batchSize is how many records share a transaction: enough to make commits cheap, few enough to report progress.
const batchSize = 5000

// Load replaces what the store holds by a corpus. The fingerprint names the corpus for [Store.Loaded]. Progress,
// which may be nil, is called with the number of records stored so far. A record that is emitted again under the same
// connection, stream and id replaces the earlier one. A load that fails leaves the store without a fingerprint.
func (s *Store) Load(ctx context.Context, corpus model.Corpus, fingerprint string, progress func(n int)) error {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	next := newCatalog(corpus.Connectors, fingerprint, key)
	if err := s.prepareLoad(ctx, next); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	writer, err := search.NewWriter(ctx, s.db, next.lexicalColumns())
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	if err := s.fill(ctx, next, writer, corpus, progress); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	if corpus.LeftOut != nil {
		next.LeftOut = corpus.LeftOut()
	}
	if err := s.finishLoad(ctx, next, writer); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	if next.index, err = search.Open(ctx, s.db); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	s.catalog.Store(next)
	return nil
}

// prepareLoad drops what was there, whether it was finished or not, in this layout or an older one, and makes empty tables.
func (s *Store) prepareLoad(ctx context.Context, next *Catalog) error {
	s.catalog.Store(newCatalog(nil, "", nil))
	names, err := s.tableNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range append([]string{"meta"}, names...) { // what says that it was finished goes first
		if _, err := s.db.ExecContext(ctx, `DROP TABLE IF EXISTS "`+name+`"`); err != nil {
			return err
		}
	}
	if _, err := s.db.ExecContext(ctx, "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"); err != nil {
		return err
	}
	for _, t := range next.Tables {
		if _, err := s.db.ExecContext(ctx, t.create()); err != nil {
			return fmt.Errorf("stream %s of %s: %w", t.Stream.Name, t.Connector.Key, err)
		}
	}
	const blobs = `CREATE TABLE blobs (id TEXT, connection_id TEXT, stream TEXT, record_id TEXT, mime_type TEXT, bytes BLOB,
		PRIMARY KEY (id, connection_id, stream, record_id))`
	if _, err := s.db.ExecContext(ctx, blobs); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", indexVersion))
	return err
}

// tableNames lists every table but meta. A full-text table drops its shadow tables itself.
func (s *Store) tableNames(ctx context.Context) ([]string, error) {
	var names []string
	err := s.each(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta'
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '%\_text\_%' ESCAPE '\'`, nil, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	})
	return names, err
}

// fill stores the records with their blobs, a batch to a transaction. While SQLite writes some, the next are read and split into words.
func (s *Store) fill(ctx context.Context, next *Catalog, writer *search.Writer, corpus model.Corpus, progress func(n int)) error {
	f, err := s.newFiller(ctx, next, writer)
	if err != nil {
		return err
	}
	defer f.rollback()
	group, ctx := errgroup.WithContext(ctx)
	entries := make(chan entry, entriesAhead)
	group.Go(func() error {
		defer close(entries)
		return f.read(ctx, corpus, entries)
	})
	group.Go(func() error { return f.write(ctx, entries, progress) })
	return group.Wait()
}

// read turns the records of a corpus into entries.
func (f *filler) read(ctx context.Context, corpus model.Corpus, entries chan<- entry) error {
	if corpus.Records == nil {
		return nil
	}
	version := int64(0)
	for record, err := range corpus.Records {
		if err != nil {
			return err
		}
		version++
		e, err := f.entry(version, record)
		if err != nil {
			return entryError(record, err)
		}
		select {
		case entries <- e:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// write stores entries. Its statements are not canceled one by one: each is short, and watching it would cost as much as running it.
func (f *filler) write(ctx context.Context, entries <-chan entry, progress func(n int)) error {
	for e := range entries {
		if err := f.add(context.WithoutCancel(ctx), e); err != nil {
			return entryError(e.record, err)
		}
		if f.count = int(e.version); f.count%batchSize == 0 {
			if err := f.nextBatch(ctx, progress); err != nil {
				return err
			}
		}
	}
	return f.nextBatch(ctx, progress)
}

func entryError(record model.Record, err error) error {
	return fmt.Errorf("record %q of stream %q under connection %q: %w", record.ID, record.Stream, record.ConnectionID, err)
}

func (s *Store) finishLoad(ctx context.Context, next *Catalog, writer *search.Writer) error {
	if err := writer.Finish(ctx, s.db); err != nil {
		return err
	}
	for _, t := range next.Tables {
		if _, err := s.db.ExecContext(ctx, t.index()); err != nil {
			return err
		}
	}
	if _, err := s.db.ExecContext(ctx, "ANALYZE"); err != nil {
		return err
	}
	connectors, err := json.Marshal(next.Connectors)
	if err != nil {
		return err
	}
	leftOut, err := json.Marshal(next.LeftOut)
	if err != nil {
		return err
	}
	rows := [][2]string{
		{metaLeftOut, string(leftOut)},
		{metaConnectors, string(connectors)},
		{metaCursorKey, hex.EncodeToString(next.CursorKey)},
		{metaFingerprint, next.fingerprint},
	}
	for _, row := range rows {
		if _, err := s.db.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES (?, ?)", row[0], row[1]); err != nil {
			return err
		}
	}
	return nil
}

// entriesAhead is how many entries wait to be written. A record may be large, so they are few.
const entriesAhead = 8

// An entry is a record on its way into the store.
type entry struct {
	record     model.Record
	version    int64
	target     *target
	row, terms []any // arguments of the target's statements; terms are nil if nothing in the record is searched
}

// A filler adds records inside the transaction of the running batch.
type filler struct {
	store   *Store
	writer  *search.Writer
	tx      *sql.Tx
	targets map[placeKey]*target
	count   int
}

// A placeKey says where a record belongs: connection ids are unique over all connectors.
type placeKey struct{ connection, stream string }

// A target is a table with its statements prepared in the running transaction.
type target struct {
	*Table
	source        int // number in the search index
	record, terms *sql.Stmt
}

func (s *Store) newFiller(ctx context.Context, next *Catalog, writer *search.Writer) (*filler, error) {
	f := &filler{store: s, writer: writer, targets: map[placeKey]*target{}}
	for _, t := range next.Tables {
		for i, connection := range t.Connector.Connections {
			f.targets[placeKey{connection.ID, t.Stream.Name}] = &target{Table: t, source: next.sourceNumber(t, i)}
		}
	}
	return f, f.begin(ctx)
}

func (f *filler) begin(ctx context.Context) error {
	tx, err := f.store.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	f.tx = tx
	for _, t := range f.targets {
		t.record, t.terms = nil, nil // they belonged to the transaction before
	}
	return nil
}

func (f *filler) nextBatch(ctx context.Context, progress func(n int)) error {
	if err := f.tx.Commit(); err != nil {
		return err
	}
	if progress != nil {
		progress(f.count)
	}
	return f.begin(ctx)
}

// rollback ends the open transaction: after the last batch it is empty.
func (f *filler) rollback() {
	if f.tx != nil {
		_ = f.tx.Rollback() // nothing to save, and the load's own error says more
	}
}

// entry decodes a record and splits its texts into words.
func (f *filler) entry(version int64, record model.Record) (entry, error) {
	t, ok := f.targets[placeKey{record.ConnectionID, record.Stream}]
	if !ok {
		return entry{}, errors.New("no such stream or connection")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(record.Data, &fields); err != nil {
		return entry{}, err
	}
	terms := f.writer.Row(search.Document{
		Version: version, Source: t.source, Texts: t.texts(fields), Event: t.eventOf(record, fields), Conversation: t.conversationOf(fields),
	})
	return entry{record: record, version: version, target: t, row: t.row(version, record, fields), terms: terms}, nil
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
	_, err = f.tx.ExecContext(ctx, "INSERT OR REPLACE INTO blobs (id, connection_id, stream, record_id, mime_type, bytes) VALUES (?, ?, ?, ?, ?, ?)",
		e.record.Blob.ID, e.record.ConnectionID, e.record.Stream, e.record.ID, e.record.Blob.MIMEType, e.record.Blob.Bytes)
	return err
}

// remove takes out the earlier record of the same id.
func (f *filler) remove(ctx context.Context, t *target, record model.Record) error {
	var version int64
	var data []byte
	if err := f.tx.QueryRowContext(ctx, t.remove(), t.connectionNumber(record.ConnectionID), record.ID).Scan(&version, &data); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("stored record: %w", err)
	}
	return f.writer.Remove(ctx, f.tx, version, t.texts(fields))
}

func (f *filler) prepare(ctx context.Context, t *target) (err error) {
	if t.record != nil {
		return nil
	}
	if t.record, err = f.tx.PrepareContext(ctx, t.insert()); err != nil {
		return err
	}
	if len(t.Lexical) > 0 {
		t.terms, err = f.tx.PrepareContext(ctx, search.InsertSQL(len(t.Lexical)))
	}
	return err
}
