package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

// A Record is a row of a stream's table.
type Record struct {
	Version int64 // counts the records of all streams in the order in which they were loaded
	ID      string
	Emitted *int64 // microseconds since 1970; nil: unknown
	Data    []byte
}

// An Order is a column and a direction. Records without a value come last. Records of equal value are ordered by version, because messages
// of the same minute are in sequence in their file.
type Order struct {
	column     string
	descending bool
}

// OrderBy orders by a field if it has a column, else by the stream's cursor field.
func (t *Table) OrderBy(field string, descending bool) Order {
	if c, ok := t.Column(field); ok {
		return Order{c.name, descending}
	}
	return Order{t.sortColumn(), descending}
}

func (o Order) String() string {
	if o.descending {
		return o.column + " DESC, version DESC"
	}
	return o.column + " NULLS LAST, version"
}

// Records reads the first records of a source. Those without a value in the column of the order are last in both directions, by version.
func (s *Store) Records(ctx context.Context, from Source, order Order, limit int) ([]Record, error) {
	if !order.descending {
		return s.selectRecords(ctx, from, order.String(), limit)
	}
	found, err := s.selectRecords(ctx, from.Narrow(where(order.column+" IS NOT NULL")), order.String(), limit)
	if err != nil || len(found) == limit {
		return found, err
	}
	rest, err := s.selectRecords(ctx, from.Narrow(where(order.column+" IS NULL")), "version", limit-len(found))
	return append(found, rest...), err
}

// selectRecords selects versions first and whole records afterwards: sorting whole records would move all of their data.
func (s *Store) selectRecords(ctx context.Context, from Source, order string, limit int) ([]Record, error) {
	w := from.conditions()
	query := fmt.Sprintf(`SELECT version, id, emitted, data FROM %[1]s
		WHERE version IN (SELECT version FROM %[1]s WHERE %[2]s ORDER BY %[3]s LIMIT ?) ORDER BY %[3]s`, from.Name, w, order)
	return list(ctx, s.db, query, slices.Concat(w.args, []any{limit}), func(rows *sql.Rows, r *Record) error {
		return rows.Scan(&r.Version, &r.ID, &r.Emitted, &r.Data)
	})
}

// Find reads one record of a source by its id.
func (s *Store) Find(ctx context.Context, from Source, id string) (Record, bool, error) {
	found, err := s.selectRecords(ctx, from.Narrow(where("id = ?", id)), "version", 1)
	if err != nil || len(found) == 0 {
		return Record{}, false, err
	}
	return found[0], true, nil
}

// Version reads the record of a table with a version.
func (s *Store) Version(ctx context.Context, from *Table, version int64) (Record, error) {
	r := Record{Version: version}
	row := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT id, emitted, data FROM %s WHERE version = ?", from.Name), version)
	err := row.Scan(&r.ID, &r.Emitted, &r.Data)
	return r, err
}

// After narrows a source to the records that follow the one with a version: ok is false if that does not exist. Records without a value are
// last in both directions.
func (s *Store) After(ctx context.Context, from Source, order Order, version int64) (narrowed Source, ok bool, err error) {
	var value any
	query := fmt.Sprintf("SELECT %s FROM %s WHERE version = ?", order.column, from.Name)
	if ok, err = first(ctx, s.db, query, []any{version}, &value); !ok {
		return from, false, err
	}
	var w Where
	switch {
	case value != nil && order.descending:
		w = where(fmt.Sprintf("%[1]s < ? OR %[1]s = ? AND version < ? OR %[1]s IS NULL", order.column), value, value, version)
	case value == nil:
		w = where(order.column+" IS NULL AND version > ?", version)
	default:
		w = where(fmt.Sprintf("%[1]s > ? OR %[1]s = ? AND version > ? OR %[1]s IS NULL", order.column), value, value, version)
	}
	return from.Narrow(w), true, nil
}

// Related reads the records of a source whose field equals a value, in ascending order of its cursor field. The field must have a column.
func (s *Store) Related(ctx context.Context, from Source, field, value string, limit int) ([]Record, error) {
	key, _ := from.Column(field)
	return s.Records(ctx, from.Narrow(where(key.name+" = ?", value)), from.OrderBy("", false), limit)
}

// A Change is a record with the index of its source.
type Change struct {
	Record
	Source int
}

// Changes reads the first records of all sources with a version above after and up to until, in order of version.
func (s *Store) Changes(ctx context.Context, from []Source, after, until int64, limit int) ([]Change, error) {
	var all []Change
	for i, source := range from {
		found, err := s.selectRecords(ctx, source.Narrow(where("version > ? AND version <= ?", after, until)), "version", limit)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			all = append(all, Change{r, i})
		}
	}
	slices.SortFunc(all, func(a, b Change) int { return cmp.Compare(a.Version, b.Version) })
	return all[:min(len(all), limit)], nil
}

// LastVersion returns the greatest version of a table: 0 if it is empty.
func (s *Store) LastVersion(ctx context.Context, of *Table) (last int64, err error) {
	err = s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT coalesce(max(version), 0) FROM %s", of.Name)).Scan(&last)
	return last, err
}

// Following calls use for the first records of a table after a version, in order of version, with the number of their source. Only Version
// and Data of a record are set, and Data is valid until use returns.
func (s *Store) Following(ctx context.Context, of *Table, version int64, limit int, use func(r Record, source int) error) error {
	catalog := s.Catalog()
	query := fmt.Sprintf("SELECT version, connection, data FROM %s WHERE version > ? ORDER BY version LIMIT ?", of.Name)
	return search.Each(ctx, s.db, query, []any{version, limit}, func(rows *sql.Rows) error {
		var r Record
		var connection int
		if err := rows.Scan(&r.Version, &connection, (*sql.RawBytes)(&r.Data)); err != nil {
			return err
		}
		return use(r, catalog.sourceNumber(of, connection))
	})
}

// CountUpTo counts the records of a table, and those up to a version.
func (s *Store) CountUpTo(ctx context.Context, of *Table, version int64) (all, upTo int, err error) {
	row := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*), count(*) FILTER (WHERE version <= ?) FROM %s", of.Name), version)
	err = row.Scan(&all, &upTo)
	return all, upTo, err
}

// A BlobHolder identifies a record that references a blob.
type BlobHolder struct{ Connection, Stream, Record string }

// BlobHolders lists the records that reference a blob.
func (s *Store) BlobHolders(ctx context.Context, id string) ([]BlobHolder, error) {
	const query = "SELECT connection_id, stream, record_id FROM blobs WHERE id = ?"
	return list(ctx, s.db, query, []any{id}, func(rows *sql.Rows, h *BlobHolder) error {
		return rows.Scan(&h.Connection, &h.Stream, &h.Record)
	})
}

// Blob reads the blob that a record references: ok is false if there is none.
func (s *Store) Blob(ctx context.Context, id string, of BlobHolder) (mimeType string, bytes []byte, ok bool, err error) {
	ok, err = first(ctx, s.db, "SELECT mime_type, bytes FROM blobs WHERE id = ? AND connection_id = ? AND stream = ? AND record_id = ?",
		[]any{id, of.Connection, of.Stream, of.Record}, &mimeType, &bytes)
	return mimeType, bytes, ok, err
}

// Searched converts a source for package search, restricted to the fields and records that may be seen.
func (s *Store) Searched(ctx context.Context, c *Catalog, from Source) (search.Source, error) {
	source := from.searched(c.sourceNumber(from.Table, from.connectionNumber(from.Connection.ID)))
	w := from.conditions()
	if len(w.clauses) == 1 { // all records of the connection
		return source, nil
	}
	source.Only = map[int64]bool{}
	query := fmt.Sprintf("SELECT version FROM %s WHERE %s", from.Name, w)
	err := search.Each(ctx, s.db, query, w.args, func(rows *sql.Rows) error {
		var version int64
		err := rows.Scan(&version)
		source.Only[version] = true
		return err
	})
	return source, err
}
