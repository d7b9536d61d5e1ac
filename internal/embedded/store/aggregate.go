package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Extent is how many records a source has, and when the newest was emitted.
type Extent struct {
	Count  int
	Newest *int64 // microseconds since 1970; nil if there are none
}

// Extent counts a source's records and finds when the newest was emitted. Records of the future, such as later days of a series, are not
// the newest.
func (s *Store) Extent(ctx context.Context, from Source, now time.Time) (e Extent, err error) {
	w := from.conditions()
	row := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*), max(emitted) FILTER (WHERE emitted <= ?) FROM %s WHERE %s", from.Name, w),
		slices.Concat([]any{now.UnixMicro()}, w.args)...)
	err = row.Scan(&e.Count, &e.Newest)
	return e, err
}

// valuesOf returns SQL for the rows (value, source, version) of a field, which must have a column in each source. A list has one row for
// each distinct item.
func valuesOf(from []Source, field string) (query string, args []any) {
	selects := make([]string, len(from))
	for i, source := range from {
		column, _ := source.Column(field)
		w := source.conditions()
		selects[i] = fmt.Sprintf("SELECT %s AS value, %d AS source, version FROM %s WHERE %s", column.name, i, source.Name, w)
		if column.Kind == KindList {
			selects[i] = "SELECT DISTINCT item.value, source, version FROM (" + selects[i] + ") AS list LEFT JOIN json_each(list.value) AS item"
		}
		args = slices.Concat(args, w.args)
	}
	return "(" + strings.Join(selects, " UNION ALL ") + ")", args
}

// Sum adds up a field, which must have a column in each source. It returns an int64 if all values are integers and their
// amounts add up to less than 2⁶², else a float64.
func (s *Store) Sum(ctx context.Context, from []Source, field string) (any, error) {
	values, args := valuesOf(from, field)
	var areWhole, areShort *bool // all values are integers; have six decimals at most. Nil: there are none
	var sum, size, millionths float64
	err := s.db.QueryRowContext(ctx, "SELECT min(typeof(value) = 'integer'), "+
		"min(abs(value * 1e6 - round(value * 1e6)) <= abs(value * 1e-9)), total(value), "+
		"total(abs(value * 1e6)), total(round(value * 1e6)) FROM "+values+" WHERE value IS NOT NULL", args...).
		Scan(&areWhole, &areShort, &sum, &size, &millionths)
	switch {
	case err != nil || areWhole == nil:
		return int64(0), err
	case *areWhole && size < 1e6*(1<<62): // SQLite's sum fails if it overflows
		var whole int64
		_, err = first(ctx, s.db, "SELECT sum(value) FROM "+values, args, &whole)
		return whole, err
	case *areShort && size < 1<<53: // millionths are integers, whose sum is exact
		return millionths / 1e6, nil
	}
	return decimal(sum), nil
}

// decimal rounds a sum to 15 digits, which a float64 always represents: 0.1 + 0.2 is 0.3.
func decimal(sum float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(sum, 'g', 15, 64), 64) // it was just formatted
	return rounded
}

// Extreme returns the greatest or least value of a field as its record has it, nil if there is none. The field must have a column in each
// source.
func (s *Store) Extreme(ctx context.Context, from []Source, field string, greatest bool) (json.RawMessage, error) {
	values, args := valuesOf(from, field)
	direction := ""
	if greatest {
		direction = " DESC"
	}
	var source int
	var version int64
	query := "SELECT source, version FROM " + values + " WHERE value IS NOT NULL ORDER BY value" + direction + ", source, version LIMIT 1"
	if ok, err := first(ctx, s.db, query, args, &source, &version); !ok {
		return nil, err
	}
	record, err := s.Version(ctx, from[source].Table, version)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	err = json.Unmarshal(record.Data, &fields)
	return fields[field], err
}

// Unmoved counts, by value, the records whose time no zone shifts: a date without a time of day, or a time without a zone.
func (s *Store) Unmoved(ctx context.Context, from []Source, field string) ([]Group, error) {
	from = slices.Clone(from)
	for i, source := range from {
		if column, _ := source.Column(field); !column.local {
			from[i] = source.Narrow(where(column.name+" % 86400000000 = 0 AND "+isDay, field))
		}
	}
	return s.Groups(ctx, from, field)
}

// A Group counts the records with one value of a field. The value is nil, an int64, a float64 or a string.
type Group struct {
	Value any
	Count int
}

// Groups counts the records of each value of a field, the most frequent first and equally frequent ones by value. The field must have a
// column in each source.
func (s *Store) Groups(ctx context.Context, from []Source, field string) ([]Group, error) {
	values, args := valuesOf(from, field)
	return list(ctx, s.db, "SELECT value, count(*) FROM "+values+" GROUP BY 1 ORDER BY 2 DESC, 1", args, func(rows *sql.Rows, g *Group) error {
		return rows.Scan(&g.Value, &g.Count)
	})
}
