package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// Load replaces the content of the store with a corpus. The fingerprint identifies the corpus for [Store.Loaded]. Progress, which may be
// nil, is called with the number of records stored so far. A record with the connection, stream and id of an earlier one replaces it. A
// load that fails in its first batch leaves the store unchanged. One that fails later leaves it without a fingerprint, but with the parts
// that were completed: the next load keeps those that have not changed.
func (s *Store) Load(ctx context.Context, corpus model.Corpus, fingerprint string, progress func(n int)) error {
	key, generation := sha256.Sum256([]byte(fingerprint)), ""
	if corpus.Public {
		generation = hex.EncodeToString(key[:4])
	} else {
		_, _ = rand.Read(key[:]) // it never fails
	}
	s.catalog.Store(newCatalog(nil, nil))
	l := &load{ctx: ctx, store: s, batches: true, corpus: corpus, progress: progress,
		meta: map[string]string{metaCursorKey: hex.EncodeToString(key[:]), metaGeneration: generation}}
	l.try(l.begin)
	defer l.rollback()
	if err := l.run(fingerprint); err != nil {
		return s.Explain(fmt.Errorf("load: %w", err))
	}
	return s.Refresh(ctx)
}

// Update replaces the content of a loaded store with the corpus that read returns; read gets the parts that are known. Unchanged parts are
// kept, with their versions; changed ones are stored again and get later versions. An update is one transaction: if it fails, nothing has
// changed. If the store already has the corpus with this fingerprint, read is not called. Update waits while another process changes the
// store, and fails with [ErrBusy] after 10 seconds.
func (s *Store) Update(ctx context.Context, read func(known map[string]model.Part) (model.Corpus, error), fingerprint string,
	progress func(n int)) error {
	l := &load{ctx: ctx, store: s, progress: progress, meta: map[string]string{}}
	if err := l.begin(); err != nil { // if it succeeds, this is the only writer
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	defer l.rollback()
	if loaded, err := meta(ctx, l.tx, metaFingerprint); err != nil || loaded == fingerprint {
		return err
	}
	stored, err := storedParts(ctx, l.tx)
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if l.corpus, err = read(known(stored)); err != nil {
		return err
	}
	if err := l.run(fingerprint); err != nil {
		return s.Explain(fmt.Errorf("update: %w", err))
	}
	return s.Refresh(ctx)
}

// ErrBusy means that another process is changing the store.
var ErrBusy = errors.New("the index is being changed by another process")

// Known returns the parts that are stored completely, even if the last load did not finish.
func (s *Store) Known(ctx context.Context) (map[string]model.Part, error) {
	stored, err := storedParts(ctx, s.db)
	return known(stored), err
}

func (l *load) run(fingerprint string) error {
	l.try(func() (err error) {
		l.stored, err = storedParts(l.ctx, l.tx)
		return err
	})
	l.plan()
	l.prepare()
	l.try(func() error {
		return (&filler{load: l, targets: map[placeKey]*target{}, writer: search.NewWriter()}).fill(l.ctx)
	})
	l.finish()
	l.setMeta(metaFingerprint, fingerprint) // marks the corpus as complete
	l.try(func() error { return l.tx.Commit() })
	return l.err
}

// plan lays out the tables and decides which parts are kept: those whose files and stream layouts have not changed. A relation from another
// stream may change a layout. Streams that are stored already keep their numbers.
func (l *load) plan() {
	l.parts = l.corpus.Parts
	if l.parts == nil {
		l.parts = []model.Part{{Records: l.corpus.Records}}
	}
	numbers, taken, number := streamNumbers(l.stored), map[int]bool{}, 0
	for _, one := range numbers {
		taken[one] = true
	}
	for _, t := range newCatalog(l.corpus.Connectors, nil).Tables {
		if _, known := numbers[t.key()]; known {
			continue
		}
		for taken[number] {
			number++
		}
		numbers[t.key()], taken[number] = number, true
	}
	l.next = newCatalog(l.corpus.Connectors, numbers)
	l.kept = map[string]bool{}
	for _, part := range l.parts {
		l.kept[part.Name] = part.Same && l.isStored(part)
	}
}

// isStored reports whether a part is stored completely, with the layouts that its tables have now.
func (l *load) isStored(part model.Part) bool {
	stored, tables := l.stored[part.Name], l.tables(part)
	if !stored.done || len(tables) != len(stored.streams) {
		return false
	}
	for _, t := range tables {
		if !slices.ContainsFunc(stored.streams, func(s storedStream) bool { return s.streamKey == t.key() && s.layout == l.next.layout(t) }) {
			return false
		}
	}
	return true
}

// prepare removes the parts that are not kept, and creates empty tables for the new ones.
func (l *load) prepare() {
	if l.batches {
		l.exec("DELETE FROM meta WHERE name IN (?, ?)", metaFingerprint, metaGeneration)
	}
	if !slices.ContainsFunc(l.parts, func(part model.Part) bool { return l.kept[part.Name] }) {
		l.clear()
	}
	for name, part := range l.stored {
		if !l.kept[name] {
			l.removePart(part)
		}
	}
	l.try(func() error {
		last, err := meta(l.ctx, l.tx, metaVersion)
		given, _ := strconv.ParseInt(last, 10, 64) // 0 if there is none
		l.version = given
		return errors.Join(err, search.RemoveParts(l.ctx, l.tx, given+1, math.MaxInt64)) // remains of a part whose load was interrupted
	})
	for _, part := range l.parts {
		if l.kept[part.Name] {
			l.exec("UPDATE parts SET files = ? WHERE name = ?", part.Files, part.Name)
		} else {
			l.createPart(part)
		}
	}
}

// clear empties the store, whatever its layout and state. An update keeps the tables of vectors, which may be in use, and the table meta,
// which has the last version.
func (l *load) clear() {
	drops := ""
	const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'meta' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	drop := func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		switch {
		case l.batches || name != vectors.Table && name != vectors.FactTable:
			drops += `DROP TABLE IF EXISTS "` + name + `";`
		case name == vectors.Table:
			drops += "DELETE FROM " + vectors.Table + ";"
		}
		return err
	}
	l.try(func() error { return search.Each(l.ctx, l.tx, tables, nil, drop) })
	if l.batches {
		drops = "DELETE FROM meta;" + drops
	}
	l.stored = nil
	l.exec(drops)
	l.exec(search.Create)
	l.exec(fmt.Sprintf(`
		CREATE TABLE blobs (id TEXT, connection_id TEXT, stream TEXT, record_id TEXT, mime_type TEXT, bytes BLOB,
			PRIMARY KEY (id, connection_id, stream, record_id));
		CREATE TABLE parts (name TEXT PRIMARY KEY, files TEXT, streams TEXT, first INTEGER, last INTEGER,
			left_out TEXT, done INTEGER);
		CREATE TABLE streams (number INTEGER PRIMARY KEY, connector TEXT, stream TEXT, part TEXT, layout TEXT);
		PRAGMA user_version = %d`, indexVersion))
}

func (l *load) finish() {
	l.try(func() error {
		connectors, err := json.Marshal(l.next.Connectors)
		l.meta[metaConnectors] = string(connectors)
		return err
	})
	l.try(func() (err error) {
		l.meta[metaLeftOut], err = leftOutText(l.corpus.LeftOut)
		return err
	})
	if at := l.corpus.ReadAt; !at.IsZero() && !l.corpus.Public {
		l.meta[metaReadAt] = strconv.FormatInt(at.UnixMicro(), 10)
	}
	l.meta[metaGeneration] = cmp.Or(l.meta[metaGeneration], rand.Text()[:8])
	for name, value := range l.meta {
		l.setMeta(name, value)
	}
}
