package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"

	"modernc.org/sqlite" // also the database/sql driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// A Store holds a corpus in SQLite. Reads are safe for concurrent use. They find nothing while Load runs; a read that overlaps an Update
// sees the corpus as it was before.
type Store struct {
	path    string // empty: in memory
	db      *sql.DB
	pinned  *sql.Conn // keeps a database in memory alive while the pool closes idle connections
	catalog atomic.Pointer[Catalog]
}

// poolSize is the most connections of a store, each of which has a separate page cache.
const poolSize = 8

// Open opens the index file at path, or an index in memory if path is empty. An absent or empty file becomes an index. A file with a corpus
// is ready to serve: see [Store.Loaded]. The error is an *IndexError if the file is anything but an index of this or an older version.
func Open(ctx context.Context, path string) (*Store, error) {
	if path != "" {
		if err := claimIndex(ctx, path); err != nil {
			return nil, err
		}
	}
	db, err := openPool(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, db: db}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(s.Explain(fmt.Errorf("open store %q: %w", path, err)), s.Close())
	}
	return s, nil
}

// openPool opens a file, or a database in memory that the whole pool shares.
func openPool(path string) (db *sql.DB, err error) {
	pragmas := []string{busyTimeout, "temp_store(memory)", "cache_size(-32000)"}
	immediate := []string{"immediate"} // a transaction that begins with reading cannot wait for another when it writes
	if path == "" {
		query := url.Values{"vfs": {"memdb"}, "_pragma": append(pragmas, "journal_mode(memory)", "synchronous(off)", "cache_spill(false)"),
			"_txlock": immediate}
		db, err = sql.Open("sqlite", "file:/"+rand.Text()+"?"+query.Encode())
	} else {
		db, err = openFile(path, url.Values{"_pragma": append(pragmas, "journal_mode(wal)", "synchronous(normal)"), "_txlock": immediate})
	}
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db.SetMaxOpenConns(poolSize)
	db.SetMaxIdleConns(poolSize)
	return db, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.pinned, err = s.db.Conn(ctx); err != nil {
		return err
	}
	version, err := layoutOf(ctx, s.db)
	if err == nil && version != indexVersion {
		err = s.makeMeta(ctx) // the next load creates the other tables
	}
	if err != nil {
		return err
	}
	return s.Refresh(ctx)
}

func layoutOf(ctx context.Context, db querier) (version int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// makeMeta creates the table meta in a store that is new or has an older layout, unless another process has done so in the meantime.
func (s *Store) makeMeta(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it does nothing after a commit
	if version, err := layoutOf(ctx, tx); err != nil || version == indexVersion {
		return err
	}
	if err := exec(ctx, tx, "DROP TABLE IF EXISTS meta; CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"); err != nil {
		return err
	}
	return tx.Commit()
}

// Refresh reads the catalog of the last finished load or update, of this process or another.
func (s *Store) Refresh(ctx context.Context) error {
	for {
		c, err := readCatalog(ctx, s.db)
		if err != nil {
			return err
		}
		// The catalog is consistent if the generation did not change while it was read.
		if now, err := s.Generation(ctx); err != nil || now == c.Generation {
			s.catalog.Store(c)
			return err
		}
	}
}

// Current returns the catalog of the stored data, after reading it again if it has changed.
func (s *Store) Current(ctx context.Context) (*Catalog, error) {
	now, err := s.Generation(ctx)
	if err == nil && now != s.Catalog().Generation {
		err = s.Refresh(ctx)
	}
	return s.Catalog(), err
}

// Generation returns the current [Catalog.Generation], "" before the first load.
func (s *Store) Generation(ctx context.Context) (string, error) {
	return meta(ctx, s.db, metaGeneration)
}

// Loaded returns the fingerprint of the last load or update that finished, and whether there was one.
func (s *Store) Loaded() (fingerprint string, ok bool) {
	c := s.Catalog()
	return c.fingerprint, c.fingerprint != ""
}

// Catalog returns the catalog that was read last.
func (s *Store) Catalog() *Catalog { return s.catalog.Load() }

// Connectors describes the sources of the stored data.
func (s *Store) Connectors() []model.Connector { return s.Catalog().Connectors }

// Vectors opens the vectors that a model made of the stored texts. It drops those of another model.
func (s *Store) Vectors(ctx context.Context, model string) (*vectors.Index, error) {
	return vectors.Open(ctx, s.db, model)
}

// Close releases the database. An index in memory is lost.
func (s *Store) Close() error {
	if s.pinned == nil {
		return s.db.Close()
	}
	return errors.Join(s.pinned.Close(), s.db.Close())
}

// Explain converts an error that a damaged index file caused into an *IndexError, and returns any other unchanged.
func (s *Store) Explain(err error) error {
	failed, ok := errors.AsType[*sqlite.Error](err)
	if ok && s.path != "" && slices.Contains([]int{sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}, failed.Code()&0xff) {
		return &IndexError{Path: s.path, Reason: failed.Error(), Damaged: true}
	}
	return err
}
