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

	"modernc.org/sqlite"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// A Store holds a corpus in SQLite. Reads are safe for concurrent use; a read that overlaps a Load sees the
// corpus as it was before.
type Store struct {
	path       string // empty: in memory
	db         *sql.DB
	pinned     *sql.Conn // keeps a database in memory alive while the pool closes idle connections
	catalog    atomic.Pointer[Catalog]
	generation *sql.Stmt
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
	db, err := openPool(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, db: db}
	s.catalog.Store(newCatalog(nil, nil))
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(s.Explain(fmt.Errorf("open store %q: %w", path, err)), s.Close())
	}
	return s, nil
}

// openPool opens a file, or a database in memory that the whole pool shares.
func openPool(path string) (db *sql.DB, err error) {
	pragmas := []string{busyTimeout, "temp_store(memory)", "cache_size(-32000)"}
	immediate := []string{"immediate"} // a transaction that turned to writing half-way could not wait for another
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
		version, err = s.makeMeta(ctx)
	}
	if err != nil {
		return err
	}
	if s.generation, err = s.db.PrepareContext(ctx, "SELECT value FROM meta WHERE name = '"+metaGeneration+"'"); err != nil {
		return err
	}
	if version != indexVersion {
		return nil // new or older: the next load makes it
	}
	return s.Refresh(ctx)
}

func layoutOf(ctx context.Context, db querier) (version int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// makeMeta makes the table meta of this layout in a store that is new or of an older one, unless another process has done so meanwhile.
func (s *Store) makeMeta(ctx context.Context) (version int, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // nothing is left of it after a commit
	if version, err = layoutOf(ctx, tx); err != nil || version == indexVersion {
		return version, err
	}
	if err := exec(ctx, tx, "DROP TABLE IF EXISTS meta; CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"); err != nil {
		return 0, err
	}
	return version, tx.Commit()
}

// Refresh reads what finished loads and updates left behind, by this process or another.
func (s *Store) Refresh(ctx context.Context) error {
	for {
		c, err := readCatalog(ctx, s.db)
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
	if err == nil && now != s.Catalog().Generation {
		err = s.Refresh(ctx)
	}
	return s.Catalog(), err
}

// Generation is another one after each load and update. It is empty before anything was loaded.
func (s *Store) Generation(ctx context.Context) (value string, err error) {
	err = s.generation.QueryRowContext(ctx).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

// Loaded returns the fingerprint that was given to the last Load that finished, and whether there was one.
func (s *Store) Loaded() (fingerprint string, ok bool) {
	c := s.Catalog()
	return c.fingerprint, c.fingerprint != ""
}

// Catalog returns the layout of what the store holds.
func (s *Store) Catalog() *Catalog { return s.catalog.Load() }

// Connectors describes what the store holds.
func (s *Store) Connectors() []model.Connector { return s.Catalog().Connectors }

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
