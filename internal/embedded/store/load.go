package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// Load replaces what the store holds by a corpus. The fingerprint names the corpus for [Store.Loaded]. Progress,
// which may be nil, is called with the number of records stored so far. A record that is emitted again under the same
// connection, stream and id replaces the earlier one. A load that fails leaves the store without a fingerprint, but with the parts that
// were stored to their end: the next load keeps those that are the same.
func (s *Store) Load(ctx context.Context, corpus model.Corpus, fingerprint string, progress func(n int)) error {
	key, generation := sha256.Sum256([]byte(fingerprint)), ""
	if corpus.Public {
		generation = hex.EncodeToString(key[:4])
	} else if _, err := rand.Read(key[:]); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	s.catalog.Store(newCatalog(nil, nil))
	l := &load{store: s, db: s.db, corpus: corpus, progress: progress,
		meta: map[string]string{metaCursorKey: hex.EncodeToString(key[:]), metaGeneration: generation}}
	if err := l.run(ctx, fingerprint); err != nil {
		return s.Explain(fmt.Errorf("load: %w", err))
	}
	return s.Refresh(ctx)
}

// Update makes what a loaded store holds the corpus that read returns, to which it says what parts there are. Those that are the same stay,
// with their versions; those that are not are stored anew and get later ones. All of it happens at once: until then, and where it fails,
// all is as it was. Nothing is read if the store holds what the fingerprint names. While another process updates it waits, and fails after
// a while with [ErrBusy].
func (s *Store) Update(ctx context.Context, read func(known map[string]model.Part) (model.Corpus, error), fingerprint string,
	progress func(n int)) error {
	tx, err := s.db.BeginTx(ctx, nil) // from here on this is the only writer
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	defer func() { _ = tx.Rollback() }() // nothing is left of it after a commit
	l := &load{store: s, db: tx, tx: tx, progress: progress, meta: map[string]string{}}
	if held, err := meta(ctx, tx, metaFingerprint); err != nil || held == fingerprint {
		return err
	}
	stored, err := storedParts(ctx, tx)
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if l.corpus, err = read(known(stored)); err != nil {
		return err
	}
	if err := l.run(ctx, fingerprint); err != nil {
		return s.Explain(fmt.Errorf("update: %w", err))
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	return s.Refresh(ctx)
}

// ErrBusy says that another process changes the store.
var ErrBusy = errors.New("the index is being changed by another process")

// Known returns the parts that the store holds to their end, whether the last load came to its end or not.
func (s *Store) Known(ctx context.Context) (map[string]model.Part, error) {
	stored, err := storedParts(ctx, s.db)
	return known(stored), err
}

func (l *load) run(ctx context.Context, fingerprint string) (err error) {
	if l.stored, err = storedParts(ctx, l.db); err != nil {
		return err
	}
	l.plan()
	if err := l.prepare(ctx); err != nil {
		return err
	}
	if err := l.fill(ctx); err != nil {
		return err
	}
	if err := l.writer.Finish(ctx, l.db); err != nil {
		return err
	}
	return l.finish(ctx, fingerprint)
}

// plan lays out the tables: streams that stay keep their numbers. A part stays if its files are the same and so is the layout of its
// streams, which relations from other streams may change.
func (l *load) plan() {
	l.parts = l.corpus.Parts
	if l.parts == nil {
		l.parts = []model.Part{{Records: l.corpus.Records}}
	}
	numbers, taken := map[streamKey]int{}, map[int]bool{}
	for _, part := range l.stored {
		for _, one := range part.streams {
			numbers[one.streamKey], taken[one.number] = one.number, true
		}
	}
	for number, all := 0, newCatalog(l.corpus.Connectors, nil); len(all.Tables) > 0; all.Tables = all.Tables[1:] {
		key := all.Tables[0].key()
		if _, known := numbers[key]; known {
			continue
		}
		for taken[number] {
			number++
		}
		numbers[key], taken[number] = number, true
	}
	l.next = newCatalog(l.corpus.Connectors, numbers)
	l.kept = map[string]bool{}
	for _, part := range l.parts {
		before := l.stored[part.Name]
		tables := l.tables(part)
		if part.Same && before.done && l.next.lexicalColumns() <= before.columns && len(tables) == len(before.streams) {
			l.kept[part.Name] = !slices.ContainsFunc(tables, func(t *Table) bool {
				return !slices.ContainsFunc(before.streams, func(s storedStream) bool { return s.streamKey == t.key() && s.layout == l.next.layout(t) })
			})
		}
	}
}

// prepare takes out what does not stay, and makes empty tables.
func (l *load) prepare(ctx context.Context) (err error) {
	switch {
	case !slices.ContainsFunc(l.parts, func(part model.Part) bool { return l.kept[part.Name] }):
		err = l.clear(ctx)
	case l.tx != nil:
		l.writer, err = search.AddTo(ctx, l.db)
	default:
		l.writer = search.NewWriter()
	}
	if err != nil {
		return err
	}
	if l.tx == nil {
		if _, err := l.db.ExecContext(ctx, "DELETE FROM meta WHERE name IN (?, ?)", metaFingerprint, metaGeneration); err != nil {
			return err
		}
	}
	for name, part := range l.stored {
		if l.kept[name] {
			err = l.place(ctx, part)
		} else {
			err = l.removePart(ctx, name, part)
		}
		if err != nil {
			return err
		}
	}
	last, err := meta(ctx, l.db, metaVersion)
	if err != nil {
		return err
	}
	given, _ := strconv.ParseInt(last, 10, 64) // 0 where there is none
	l.version = max(l.version, given)
	for _, part := range l.parts {
		if !l.kept[part.Name] {
			if err := l.createPart(ctx, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear makes an empty store: of what was there, in this layout or an older one, finished or not, nothing stays. An update leaves the
// vectors that others look at, and the numbers that versions go on from.
func (l *load) clear(ctx context.Context) error {
	l.writer = search.NewWriter()
	names, err := tableNames(ctx, l.db)
	if err != nil {
		return err
	}
	if l.tx == nil {
		names = append([]string{"meta"}, names...) // what says that it was finished goes first
	}
	for _, name := range names {
		query := `DROP TABLE IF EXISTS "` + name + `"`
		if l.tx != nil && name == vectorTable {
			query = "DELETE FROM " + vectorTable
		} else if l.tx != nil && name == vectorFacts {
			continue
		}
		if _, err := l.db.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	l.stored = nil
	columns := max(l.next.lexicalColumns(), leastColumns)
	if err := search.Create(ctx, l.db, columns); err != nil {
		return err
	}
	_, err = l.db.ExecContext(ctx, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
		CREATE TABLE blobs (id TEXT, connection_id TEXT, stream TEXT, record_id TEXT, mime_type TEXT, bytes BLOB,
			PRIMARY KEY (id, connection_id, stream, record_id));
		CREATE TABLE parts (name TEXT PRIMARY KEY, files TEXT, streams TEXT, columns INTEGER, first INTEGER, last INTEGER,
			left_out TEXT, done INTEGER);
		CREATE TABLE streams (number INTEGER PRIMARY KEY, connector TEXT, stream TEXT, part TEXT, layout TEXT);
		PRAGMA user_version = %d`, indexVersion))
	l.next.columns = columns
	return err
}

// leastColumns is how many searched fields a stream may have that is added later, without all others being indexed again.
const leastColumns = 32

// finish writes what says that all is there.
func (l *load) finish(ctx context.Context, fingerprint string) error {
	connectors, err := json.Marshal(l.next.Connectors)
	if err != nil {
		return err
	}
	var leftOut []model.LeftOut
	if l.corpus.LeftOut != nil {
		leftOut = l.corpus.LeftOut()
	}
	left, err := json.Marshal(leftOut)
	if err != nil {
		return err
	}
	l.meta[metaLeftOut], l.meta[metaConnectors], l.meta[metaGeneration] = string(left), string(connectors), cmp.Or(l.meta[metaGeneration],
		rand.Text()[:8])
	for name, value := range l.meta {
		if err := setMeta(ctx, l.db, name, value); err != nil {
			return err
		}
	}
	return setMeta(ctx, l.db, metaFingerprint, fingerprint)
}
