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

// Extent counts a source's records and finds when the newest was emitted. What is still to come, as days of a series are, is not new.
func (s *Store) Extent(ctx context.Context, from Source, now time.Time) (e Extent, err error) {
	w := from.conditions()
	row := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*), max(emitted) FILTER (WHERE emitted <= ?) FROM %s WHERE %s", from.Name, w),
		slices.Concat([]any{now.UnixMicro()}, w.args)...)
	err = row.Scan(&e.Count, &e.Newest)
	return e, err
}

// valuesOf is SQL for the values of a field of sources, which has a column in each, with where they are: rows of value, source and version.
// A list has the value of each of its items.
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

// Sum adds up a field of sources: an int64 if all its values are whole, else a float64. The field has a column in each.
func (s *Store) Sum(ctx context.Context, from []Source, field string) (any, error) {
	values, args := valuesOf(from, field)
	var sum any
	var areShort *bool // all values have six decimals at most
	var millionths, size float64
	err := s.db.QueryRowContext(ctx, "SELECT coalesce(sum(value), 0), min(abs(value * 1e6 - round(value * 1e6)) <= abs(value) * 1e-9), "+
		"total(round(value * 1e6)), total(abs(value) * 1e6) FROM "+values, args...).Scan(&sum, &areShort, &millionths, &size)
	fraction, ok := sum.(float64)
	switch {
	case !ok:
		return sum, err
	case areShort != nil && *areShort && size < 1<<53: // whole numbers are added up exactly
		return millionths / 1e6, err
	}
	return decimal(fraction), err
}

// decimal rounds a sum to the 15 digits that a float64 has for certain: 0.1 + 0.2 is 0.3.
func decimal(sum float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(sum, 'g', 15, 64), 64) // what was written can be read
	return rounded
}

// Extreme finds the greatest or least value of a field, as the record has it: nil if there is none. The field has a column in each source.
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
	fields, err := record.Fields()
	return fields[field], err
}

// Unmoved counts the records whose value of a field of times no time zone moves: a date without a time of the day, or a time without a
// zone.
func (s *Store) Unmoved(ctx context.Context, from []Source, field string) ([]Group, error) {
	from = slices.Clone(from)
	for i, source := range from {
		if column, _ := source.Column(field); !column.local {
			from[i] = source.Narrow(where(column.name+" % 86400000000 = 0 AND "+isDay, field))
		}
	}
	return s.Groups(ctx, from, field)
}

// A Group is how many records have a value of a field, which is nil, an int64, a float64 or a string.
type Group struct {
	Value any
	Count int
}

// Groups counts the records of each value of a field, the most frequent first, of equals in the order of values. The field has a column in
// each source.
func (s *Store) Groups(ctx context.Context, from []Source, field string) ([]Group, error) {
	values, args := valuesOf(from, field)
	return list(ctx, s.db, "SELECT value, count(*) FROM "+values+" GROUP BY 1 ORDER BY 2 DESC, 1", args, func(rows *sql.Rows, g *Group) error {
		return rows.Scan(&g.Value, &g.Count)
	})
}
