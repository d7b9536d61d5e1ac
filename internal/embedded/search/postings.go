package search

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// each runs a query and scans its rows, one by one.
func each(ctx context.Context, db Database, query string, args []any, scan func(*sql.Rows) error) (err error) {
	rows, err := db.QueryContext(ctx, query, args...)
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

func (s *searcher) each(query string, args []any, scan func(*sql.Rows) error) error {
	return each(s.ctx, s.db, query, args, scan)
}

// postings returns the records that have a phrase in fields that the grant shows, with the weighted count of its places. A record is
// there once for each field of a longer phrase. Each phrase is read once in a search.
func (s *searcher) postings(p phrase) ([]posting, error) {
	name := p.expression()
	if found, ok := s.read[name]; ok {
		return found, nil
	}
	var found []posting
	add := func(version uint32, column, times int) {
		weight := s.weight(version, column) * float32(times)
		switch last := len(found) - 1; {
		case weight == 0:
		case last >= 0 && found[last].version == version:
			found[last].tf += weight
		default:
			found = append(found, posting{version, weight})
		}
	}
	var err error
	if len(p) == 1 {
		err = s.termPlaces(p[0], add)
	} else {
		err = s.phrasePlaces(name, add)
	}
	s.read[name] = found
	return found, err
}

// termPlaces visits the places of a term, a record's together.
func (s *searcher) termPlaces(term string, visit func(version uint32, column, times int)) error {
	var stored []byte
	err := s.db.QueryRowContext(s.ctx, "SELECT places FROM "+frequentTable+" WHERE term = ?", term).Scan(&stored)
	if err == nil {
		eachPlace(stored, visit)
		return nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	var version int64
	var name sql.RawBytes
	return s.each("SELECT doc, col FROM "+instanceTable+" WHERE term = ?", []any{term}, func(rows *sql.Rows) error {
		err := rows.Scan(&version, &name)
		visit(uint32(version), columnNumber(name), 1) // #nosec G115 -- far fewer records
		return err
	})
}

// phrasePlaces asks for a phrase column by column: what FTS5 finds in several columns at once does not say in which.
func (s *searcher) phrasePlaces(expression string, visit func(version uint32, column, times int)) error {
	var version int64
	for _, column := range s.columns() {
		query := "SELECT rowid FROM " + textTable + " WHERE " + textTable + " MATCH ?"
		err := s.each(query, []any{columnName(column) + " : " + expression}, func(rows *sql.Rows) error {
			err := rows.Scan(&version)
			visit(uint32(version), column, 1) // #nosec G115 -- far fewer records
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// columns are those that a source in scope shows.
func (s *searcher) columns() []int {
	var columns []int
	for _, g := range s.grants {
		for column, weight := range g.weights {
			if g.at >= 0 && weight > 0 && !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return columns
}

// known returns how many records of the store have each of the terms from one on that begin with start, in the order of terms.
func (s *searcher) known(start string, visit func(term string, records int)) error {
	return s.each("SELECT term, records FROM "+wordTable+" WHERE term >= ? AND term < ?", []any{start, start + "\U0010FFFF"}, func(rows *sql.Rows) error {
		var term string
		var records int
		err := rows.Scan(&term, &records)
		visit(term, records)
		return err
	})
}

// count returns how many records of the store have a term, in whatever field.
func (s *searcher) count(term string) (int, error) {
	var records int
	err := s.db.QueryRowContext(s.ctx, "SELECT records FROM "+wordTable+" WHERE term = ?", term).Scan(&records)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return records, err
}
