// Package store keeps a person's records in SQLite, in one table for each stream, together with the index of package search. It reads
// records, counts, aggregates and blobs, and searches them.
//
// A read takes a [Source], which says how much of a stream it may see. The store knows neither grants nor HTTP.
package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A querier is the database, or a transaction.
type querier interface {
	search.Database
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// first reads the first row of a query: ok is false if there is none.
func first(ctx context.Context, db querier, query string, args []any, into ...any) (ok bool, err error) {
	err = db.QueryRowContext(ctx, query, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func list[T any](ctx context.Context, db querier, query string, args []any, scan func(*sql.Rows, *T) error) (all []T, err error) {
	err = search.Each(ctx, db, query, args, func(rows *sql.Rows) error {
		var one T
		err := scan(rows, &one)
		all = append(all, one)
		return err
	})
	return all, err
}

func exec(ctx context.Context, db search.Database, query string, args ...any) error {
	_, err := db.ExecContext(ctx, query, args...)
	return err
}

func hasTable(ctx context.Context, db querier, name string) (bool, error) {
	return first(ctx, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?", []any{name}, &name)
}

// meta reads a value of the table meta, empty if there is none.
func meta(ctx context.Context, db querier, name string) (value string, err error) {
	_, err = first(ctx, db, "SELECT value FROM meta WHERE name = ?", []any{name}, &value)
	return value, err
}

func setMeta(ctx context.Context, db search.Database, name, value string) error {
	return exec(ctx, db, "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", name, value)
}

// Names of the values in the table meta.
const (
	metaFingerprint = "fingerprint"
	metaReadAt      = "read_at"
	metaGeneration  = "generation"
	metaVersion     = "version" // the last version of a complete part
	metaConnectors  = "connectors"
	metaCursorKey   = "cursor_key"
	metaLeftOut     = "left_out" // of files that belong to no part
)
