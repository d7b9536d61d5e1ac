package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// A Store holds a corpus in SQLite. Reads are safe for concurrent use; a read that overlaps a Load sees the
// corpus as it was before.
type Store struct {
	path    string // empty: in memory
	db      *sql.DB
	pinned  *sql.Conn // keeps a database in memory alive while the pool closes idle connections
	catalog atomic.Pointer[Catalog]

	asking     sync.Mutex
	generation *sql.Stmt // nil until it was asked for
}

// poolSize bounds the connections of a store, each of which holds its own page cache.
const poolSize = 8

// Open opens the index file at path, or one in memory when path is empty. A file that holds a corpus
// is ready to serve: see [Store.Loaded]. Its error is an *IndexError when the file is neither absent, nor empty, nor an
// index of this version or an older one.
func Open(ctx context.Context, path string) (*Store, error) {
	if path != "" {
		if err := claimIndex(ctx, path); err != nil {
			return nil, err
		}
	}
	dsn, err := dataSource(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db.SetMaxOpenConns(poolSize)
	db.SetMaxIdleConns(poolSize)
	s := &Store{path: path, db: db}
	s.catalog.Store(newCatalog(nil, nil))
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(s.Explain(fmt.Errorf("open store %q: %w", path, err)), s.Close())
	}
	return s, nil
}

// dataSource spells the driver's name for a file, or for a database in memory that the whole pool shares.
func dataSource(path string) (string, error) {
	pragmas := []string{busyTimeout, "temp_store(memory)", "cache_size(-32000)"}
	immediate := []string{"immediate"} // a transaction that turned to writing half-way could not wait for another
	if path == "" {
		query := url.Values{"vfs": {"memdb"}, "_pragma": append(pragmas, "journal_mode(memory)", "synchronous(off)", "cache_spill(false)"),
			"_txlock": immediate}
		return "file:/" + rand.Text() + "?" + query.Encode(), nil
	}
	return fileSource(path, url.Values{"_pragma": append(pragmas, "journal_mode(wal)", "synchronous(normal)"), "_txlock": immediate})
}

func (s *Store) open(ctx context.Context) error {
	pinned, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	s.pinned = pinned
	var version int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil || version != indexVersion {
		return err // new or older: the next load makes it
	}
	return s.Refresh(ctx)
}

// Refresh reads what finished loads and updates left behind, by this process or another.
func (s *Store) Refresh(ctx context.Context) error {
	for {
		c, err := s.readCatalog(ctx)
		if err != nil {
			return err
		}
		// What was read is of one moment if nothing has changed since.
		if now, err := s.Generation(ctx); err != nil || now == c.Generation {
			s.catalog.Store(c)
			return err
		}
	}
}

// Current returns the catalog of what is stored now.
func (s *Store) Current(ctx context.Context) (*Catalog, error) {
	now, err := s.Generation(ctx)
	if err != nil {
		return nil, err
	}
	if now != s.Catalog().Generation {
		if err := s.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return s.Catalog(), nil
}

// Generation is another one after each load and update. It is empty before anything was loaded.
func (s *Store) Generation(ctx context.Context) (string, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	var tables int
	if s.generation == nil {
		err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").Scan(&tables)
		if err != nil || tables == 0 {
			return "", err
		}
		if s.generation, err = s.db.PrepareContext(context.WithoutCancel(ctx),
			"SELECT value FROM meta WHERE name = '"+metaGeneration+"'"); err != nil {
			return "", err
		}
	}
	var value string
	err := s.generation.QueryRowContext(ctx).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

func (s *Store) readCatalog(ctx context.Context) (*Catalog, error) {
	generation, err := s.Generation(ctx)
	if err != nil || generation == "" {
		return newCatalog(nil, nil), err
	}
	values := map[string]string{}
	if err := search.Each(ctx, s.db, "SELECT name, value FROM meta", nil, func(rows *sql.Rows) error {
		var name, value string
		err := rows.Scan(&name, &value)
		values[name] = value
		return err
	}); err != nil {
		return nil, err
	}
	stored, err := storedParts(ctx, s.db)
	if err != nil {
		return nil, err
	}
	numbers := map[streamKey]int{}
	for _, part := range stored {
		for _, one := range part.streams {
			numbers[one.streamKey] = one.number
		}
	}
	var connectors []model.Connector
	if err := json.Unmarshal([]byte(values[metaConnectors]), &connectors); err != nil {
		return nil, fmt.Errorf("stored connectors: %w", err)
	}
	c := newCatalog(connectors, numbers)
	c.Generation, c.fingerprint = values[metaGeneration], values[metaFingerprint]
	if c.CursorKey, err = hex.DecodeString(values[metaCursorKey]); err != nil {
		return nil, fmt.Errorf("stored cursor key: %w", err)
	}
	if c.LeftOut, err = s.leftOut(ctx, values[metaLeftOut]); err != nil {
		return nil, err
	}
	c.index, err = search.Open(ctx, s.db)
	return c, err
}

// leftOut gathers what was left out of all parts and beside them, in the order of file names.
func (s *Store) leftOut(ctx context.Context, beside string) ([]model.LeftOut, error) {
	var all []model.LeftOut
	add := func(text string) error {
		var some []model.LeftOut
		if err := json.Unmarshal([]byte(cmp.Or(text, "null")), &some); err != nil {
			return fmt.Errorf("what was left out: %w", err)
		}
		all = append(all, some...)
		return nil
	}
	err := search.Each(ctx, s.db, "SELECT left_out FROM parts", nil, func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		return add(text)
	})
	if err == nil {
		err = add(beside)
	}
	slices.SortStableFunc(all, func(a, b model.LeftOut) int {
		return cmp.Or(cmp.Compare(a.ConnectionID, b.ConnectionID), cmp.Compare(a.File, b.File))
	})
	return all, err
}

func (s *Store) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return search.Each(ctx, s.db, query, args, scan)
}

// Loaded returns the fingerprint that was given to the last Load that finished, and whether there was one.
func (s *Store) Loaded() (fingerprint string, ok bool) {
	c := s.catalog.Load()
	return c.fingerprint, c.fingerprint != ""
}

// Catalog returns the layout of what the store holds.
func (s *Store) Catalog() *Catalog { return s.catalog.Load() }

// Connectors describes what the store holds.
func (s *Store) Connectors() []model.Connector { return s.catalog.Load().Connectors }

// Vectors opens the vectors of its texts that a model made. Those of another model are dropped.
func (s *Store) Vectors(ctx context.Context, model string) (*vectors.Index, error) {
	return vectors.Open(ctx, s.db, model)
}

// Close releases the database. What was in memory is gone.
func (s *Store) Close() error {
	if s.pinned == nil {
		return s.db.Close()
	}
	return errors.Join(s.pinned.Close(), s.db.Close())
}

// Explain returns the *IndexError of an error that a damaged index file led to, and any other as it is.
func (s *Store) Explain(err error) error {
	failed, ok := errors.AsType[*sqlite.Error](err)
	if ok && s.path != "" && slices.Contains([]int{sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}, failed.Code()&0xff) {
		return &IndexError{Path: s.path, Reason: failed.Error(), Damaged: true}
	}
	return err
}
