package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// A storedRecord is a row of a stream's table.
type storedRecord struct {
	version int64
	id      string
	emitted int64 // microseconds since 1970
	data    []byte
}

// An ordering is a column and a direction. Records of equal value go by id.
type ordering struct {
	column     string
	descending bool
}

func (o ordering) String() string {
	if o.descending {
		return o.column + " DESC, id DESC"
	}
	return o.column + ", id"
}

// selectRecords reads rows that meet a condition. It picks them by their narrow columns first: to sort whole records
// would carry all of their data along.
func (s *Store) selectRecords(ctx context.Context, t *table, w where, order string, limit int) ([]storedRecord, error) {
	query := fmt.Sprintf(`SELECT version, id, emitted, data FROM %[1]s
		WHERE version IN (SELECT version FROM %[1]s WHERE %[2]s ORDER BY %[3]s LIMIT ?) ORDER BY %[3]s`, t.name, w, order)
	var records []storedRecord
	err := s.each(ctx, query, slices.Concat(w.args, []any{limit}), func(rows *sql.Rows) error {
		var r storedRecord
		err := rows.Scan(&r.version, &r.id, &r.emitted, &r.data)
		records = append(records, r)
		return err
	})
	return records, err
}

// count counts rows that meet a condition.
func (s *Store) count(ctx context.Context, t *table, w where) (int, error) {
	var n int
	err := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM %s WHERE %s", t.name, w), w.args...).Scan(&n)
	return n, err
}

// find reads one record of a source by its id.
func (s *Store) find(ctx context.Context, from access, id string) (storedRecord, bool, error) {
	w := from.conditions()
	w.and("id = ?", id)
	found, err := s.selectRecords(ctx, from.table, w, "version", 1)
	if err != nil || len(found) == 0 {
		return storedRecord{}, false, err
	}
	return found[0], true, nil
}

// version reads the record of a source that has a version.
func (s *Store) version(ctx context.Context, from access, version int64) (storedRecord, error) {
	r := storedRecord{version: version}
	err := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT id, emitted, data FROM %s WHERE version = ?", from.name), version).Scan(&r.id, &r.emitted, &r.data)
	return r, err
}

// pageAfter is the condition for records that come after the one of a version. SQLite puts null before every value.
func (s *Store) pageAfter(ctx context.Context, t *table, order ordering, version int64) (where, bool, error) {
	var value any
	var id string
	err := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT %s, id FROM %s WHERE version = ?", order.column, t.name), version).Scan(&value, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return where{}, false, nil
	}
	if err != nil {
		return where{}, false, err
	}
	var w where
	switch {
	case order.descending && value == nil:
		w.and(order.column+" IS NULL AND id < ?", id)
	case order.descending:
		w.and(fmt.Sprintf("%[1]s < ? OR %[1]s = ? AND id < ? OR %[1]s IS NULL", order.column), value, value, id)
	case value == nil:
		w.and(order.column+" IS NOT NULL OR id > ?", id)
	default:
		w.and(fmt.Sprintf("%[1]s > ? OR %[1]s = ? AND id > ?", order.column), value, value, id)
	}
	return w, true, nil
}
