package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
)

// An Extent is how many records a source has, and when the newest was emitted.
type Extent struct {
	Count  int
	Newest *int64 // microseconds since 1970; nil if there are none
}

// Extent counts a source's records and finds when the newest was emitted.
func (s *Store) Extent(ctx context.Context, from Source) (e Extent, err error) {
	w := from.conditions()
	row := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*), max(emitted) FROM %s WHERE %s", from.Name, w), w.args...)
	err = row.Scan(&e.Count, &e.Newest)
	return e, err
}

// Sum adds up a field of sources: an int64 if all its values are whole, else a float64. The field has a column in each.
func (s *Store) Sum(ctx context.Context, from []Source, field string) (any, error) {
	var whole int64
	var fraction float64
	isWhole := true
	for _, source := range from {
		target, _ := source.Column(field)
		w := source.conditions()
		var part any
		if err := s.db.QueryRowContext(ctx, fmt.Sprintf("SELECT sum(%s) FROM %s WHERE %s", target.name, source.Name, w),
			w.args...).Scan(&part); err != nil {
			return nil, err
		}
		switch number := part.(type) {
		case int64:
			whole += number
		case float64:
			fraction, isWhole = fraction+number, false
		}
	}
	if isWhole {
		return whole, nil
	}
	return decimal(fraction + float64(whole)), nil
}

// decimal rounds a sum to the 15 digits that a float64 has for certain: 0.1 + 0.2 is 0.3.
func decimal(sum float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(sum, 'g', 15, 64), 64) // what was written can be read
	return rounded
}

// Extreme finds the greatest or least value of a field, as the record has it: nil if there is none. The field has a column in each source.
func (s *Store) Extreme(ctx context.Context, from []Source, field string, greatest bool) (json.RawMessage, error) {
	var best any
	var data json.RawMessage
	for _, source := range from {
		target, _ := source.Column(field)
		order := target.name
		if greatest {
			order += " DESC"
		}
		found, err := s.selectRecords(ctx, source.Narrow(where(target.name+" IS NOT NULL")), order, 1)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(found[0].Data, &fields); err != nil {
			return nil, err
		}
		value := target.Kind.stored(fields[field])
		if best == nil || greatest && CompareValues(best, value) < 0 || !greatest && CompareValues(value, best) < 0 {
			best, data = value, fields[field]
		}
	}
	return data, nil
}

// Values counts the records of each value of a field, which is nil, an int64, a float64 or a string. The field has a column in each source.
func (s *Store) Values(ctx context.Context, from []Source, field string) (map[any]int, error) {
	counts := map[any]int{}
	for _, source := range from {
		target, _ := source.Column(field)
		w := source.conditions()
		query := fmt.Sprintf("SELECT %s, count(*) FROM %s WHERE %s GROUP BY 1", target.name, source.Name, w)
		err := s.each(ctx, query, w.args, func(rows *sql.Rows) error {
			var value any
			var count int
			err := rows.Scan(&value, &count)
			counts[value] += count
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// CompareValues orders values of columns as SQLite does: null, numbers, text.
func CompareValues(a, b any) int {
	classA, numberA, textA := comparable(a)
	classB, numberB, textB := comparable(b)
	return cmp.Or(cmp.Compare(classA, classB), cmp.Compare(numberA, numberB), compareWhole(a, b), cmp.Compare(textA, textB))
}

// comparable is the class of a value, and what it has as a number or a text.
func comparable(value any) (class int, number float64, text string) {
	switch value := value.(type) {
	case nil:
		return 0, 0, ""
	case int64:
		return 1, float64(value), ""
	case float64:
		return 1, value, ""
	case string:
		return 2, 0, value
	}
	return 3, 0, ""
}

// compareWhole tells apart whole numbers that a float64 does not.
func compareWhole(a, b any) int {
	wholeA, isA := a.(int64)
	wholeB, isB := b.(int64)
	if !isA || !isB {
		return 0
	}
	return cmp.Compare(wholeA, wholeB)
}
