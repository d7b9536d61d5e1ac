package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// A Store holds a corpus in SQLite. Reads are safe for concurrent use; a read that overlaps a Load sees the
// corpus as it was before.
type Store struct {
	db      *sql.DB
	pinned  *sql.Conn // keeps a database in memory alive while the pool closes idle connections
	catalog atomic.Pointer[Catalog]
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
	s := &Store{db: db}
	s.catalog.Store(newCatalog(nil, "", nil))
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %q: %w", path, err), s.Close())
	}
	return s, nil
}

// busyTimeout is how long a statement waits for another process, in milliseconds.
const busyTimeout = "busy_timeout(10000)"

// dataSource spells the driver's name for a file, or for a database in memory that the whole pool shares.
func dataSource(path string) (string, error) {
	pragmas := []string{busyTimeout, "temp_store(memory)", "cache_size(-32000)"}
	if path == "" {
		query := url.Values{"vfs": {"memdb"}, "_pragma": append(pragmas, "journal_mode(memory)", "synchronous(off)")}
		return "file:/" + rand.Text() + "?" + query.Encode(), nil
	}
	return fileSource(path, url.Values{"_pragma": append(pragmas, "journal_mode(wal)", "synchronous(normal)")})
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
	fingerprint, ok, err := s.meta(ctx, metaFingerprint)
	if err != nil || !ok {
		return err
	}
	return s.reopen(ctx, fingerprint)
}

// reopen reads what a finished load left behind.
func (s *Store) reopen(ctx context.Context, fingerprint string) error {
	text, _, err := s.meta(ctx, metaConnectors)
	if err != nil {
		return err
	}
	var connectors []model.Connector
	if err := json.Unmarshal([]byte(text), &connectors); err != nil {
		return fmt.Errorf("stored connectors: %w", err)
	}
	text, _, err = s.meta(ctx, metaCursorKey)
	if err != nil {
		return err
	}
	key, err := hex.DecodeString(text)
	if err != nil {
		return fmt.Errorf("stored cursor key: %w", err)
	}
	if text, _, err = s.meta(ctx, metaLeftOut); err != nil {
		return err
	}
	c := newCatalog(connectors, fingerprint, key)
	if err := json.Unmarshal([]byte(text), &c.LeftOut); err != nil {
		return fmt.Errorf("what was left out: %w", err)
	}
	if c.index, err = search.Open(ctx, s.db); err != nil {
		return err
	}
	s.catalog.Store(c)
	return nil
}

// Names of the rows of meta. The fingerprint is written last: a store that has one was loaded to the end.
const (
	metaFingerprint = "fingerprint"
	metaConnectors  = "connectors"
	metaCursorKey   = "cursor_key"
	metaLeftOut     = "left_out"
)

func (s *Store) meta(ctx context.Context, name string) (value string, ok bool, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = ?", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return value, err == nil, err
}

// each runs a query and scans its rows, one by one. Its SQL holds names that the layout of tables gives and no values:
// those are arguments.
func (s *Store) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) (err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Loaded returns the fingerprint that was given to the last Load that finished, and whether there was one.
func (s *Store) Loaded() (fingerprint string, ok bool) {
	c := s.catalog.Load()
	return c.fingerprint, c.CursorKey != nil
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
