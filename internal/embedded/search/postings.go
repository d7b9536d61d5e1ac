package search

import (
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// each runs a query and scans its rows, one by one.
func (s *searcher) each(query string, args []any, scan func(*sql.Rows) error) (err error) {
	rows, err := s.db.QueryContext(s.ctx, query, args...)
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

// postings visits the places of a phrase in fields that the grant shows, a record's together.
func (s *searcher) postings(p phrase, visit func(version uint32, weight float32)) error {
	if len(p) > 1 {
		return s.phrasePostings(p, visit)
	}
	var version int64
	var name sql.RawBytes
	return s.each("SELECT doc, col FROM "+instanceTable+" WHERE term = ?", []any{p[0]}, func(rows *sql.Rows) error {
		err := rows.Scan(&version, &name)
		if weight := s.weight(uint32(version), columnNumber(name)); weight > 0 { // #nosec G115 -- far fewer records
			visit(uint32(version), weight) // #nosec G115 -- far fewer records
		}
		return err
	})
}

// phrasePostings asks for a phrase column by column: what FTS5 finds in several columns at once does not say in which.
func (s *searcher) phrasePostings(p phrase, visit func(version uint32, weight float32)) error {
	for _, column := range s.columns() {
		err := s.matching(columnName(column)+" : "+p.expression(), func(version uint32) {
			if weight := s.weight(version, column); weight > 0 {
				visit(version, weight)
			}
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

// matching visits the records that an FTS5 expression matches, in whatever field: the caller looks at the grant.
func (s *searcher) matching(expression string, visit func(version uint32)) error {
	var version int64
	return s.each("SELECT rowid FROM "+textTable+" WHERE "+textTable+" MATCH ?", []any{expression}, func(rows *sql.Rows) error {
		err := rows.Scan(&version)
		visit(uint32(version)) // #nosec G115 -- far fewer records
		return err
	})
}

// within visits the records in scope that match an expression in fields that the grant shows. Sources that show the same
// columns are asked together; those that show every field need no columns named.
func (s *searcher) within(expression string, visit func(version uint32)) error {
	for _, filter := range s.columnFilters() {
		asked := expression
		if filter != "" {
			asked = filter + " : (" + expression + ")"
		}
		err := s.matching(asked, func(version uint32) {
			if int(version) >= len(s.documents.source) {
				return
			}
			if g := s.grant(version, int(s.documents.source[version])); g != nil && s.columnFilter(g) == filter {
				visit(version)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *searcher) columnFilters() []string {
	var filters []string
	for i := range s.grants {
		if s.grants[i].at < 0 {
			continue
		}
		if filter := s.columnFilter(&s.grants[i]); !slices.Contains(filters, filter) {
			filters = append(filters, filter)
		}
	}
	return filters
}

// columnFilter names the columns that a source shows: "" for all of its stream.
func (s *searcher) columnFilter(g *sourceGrant) string {
	if s.request.Sources[g.at].Complete {
		return ""
	}
	var filter strings.Builder
	for column, weight := range g.weights {
		if weight > 0 {
			filter.WriteString(" c" + strconv.Itoa(column))
		}
	}
	return "{" + filter.String() + " }"
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
