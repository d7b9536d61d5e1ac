package search

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
)

// A Field is a searched field that a grant shows.
type Field struct {
	Column int
	Weight float32 // of a match in it; a body has 1
}

// A Source is one stream of one connection, as far as a grant shows it.
type Source struct {
	Number   int
	Fields   []Field
	Complete bool           // every searched field of the stream is among Fields
	Only     map[int64]bool // versions of the records that may be found; nil for all of them
	Talk     bool           // its records follow one another as in a conversation: one lends to the next
}

// A Request is one search.
type Request struct {
	Text    string
	Sources []Source
	Now     time.Time
	Most    int  // hits to return, best first
	Demand  bool // every word must be there, as it is written
}

// A Match says how much of a query a hit has.
type Match string

// Kinds of [Match], in the order of hits.
const (
	MatchAll     Match = "all"
	MatchSome    Match = "some"
	MatchNearest Match = "nearest" // only words in the place of misspelled ones
)

// A Hit is a record that was found.
type Hit struct {
	Version int64
	Source  int // index of Request.Sources
	Score   float32
	Match   Match
	Words   []string // of the query, that it has, when not all of them
	Nearest []string // words that it has in the place of others
}

// A Result is what a search found.
type Result struct {
	Hits               []Hit // the first of all
	All, Some, Nearest int   // how many records have all words, some of them, or none but nearest ones
	LeftOut            []string
	Common             []string
	Missing            []string
	Forms              []Replacement
	Replaced           []Replacement
	Containing         []Replacement // words that begin with one that occurs nowhere, or contain it
	Marks              Marker
	Time               string // that was preferred, in words
	TimeWords          []string
}

// A Replacement is what was looked for in place of, or beside, a word of the query.
type Replacement struct {
	Word string   `json:"word"`
	As   []string `json:"as"`
}

// Total is the count of all hits.
func (r *Result) Total() int { return r.All + r.Some + r.Nearest }

// sourceGrant is what the grant says about the postings of a source.
type sourceGrant struct {
	at      int       // index of Request.Sources; -1: it is not searched
	weights []float32 // by column; 0: it is not shown
	only    map[int64]bool
	average float32 // length of its records; 0: it shows less than all fields
}

// A searcher answers one request.
type searcher struct {
	*Index
	ctx     context.Context
	request Request
	query   query
	grants  []sourceGrant // by number of source
	records int           // in scope

	mask    []uint64  // by version: a bit for each unit that the record has
	score   []float32 // by version
	found   []uint32  // versions with a bit
	tf      []float32 // by version: of the unit at hand
	touched []uint32
	read    map[string][]posting // by expression: what was read of the index
	rarity  [maxUnits]float32    // of each unit in scope
	result  *Result
}

// admit lays out the grants by number of source and column.
func (s *searcher) admit() {
	for i, source := range s.request.Sources {
		if len(source.Fields) == 0 {
			continue
		}
		for len(s.grants) <= source.Number {
			s.grants = append(s.grants, sourceGrant{at: -1})
		}
		g := sourceGrant{at: i, only: source.Only}
		for _, f := range source.Fields {
			for len(g.weights) <= f.Column {
				g.weights = append(g.weights, 0)
			}
			g.weights[f.Column] = f.Weight
		}
		s.grants[source.Number] = g
	}
	s.measure()
}

// measure counts the records in scope, and the average length of those of each source.
func (s *searcher) measure() {
	counts, lengths := make([]int, len(s.grants)), make([]int, len(s.grants))
	for version, source := range s.documents.source {
		if s.grant(uint32(version), int(source)) != nil { // #nosec G115 -- far fewer records
			counts[source]++
			lengths[source] += int(s.documents.length[version])
		}
	}
	for i := range s.grants {
		s.records += counts[i]
		if g := &s.grants[i]; counts[i] > 0 && s.request.Sources[g.at].Complete {
			g.average = float32(lengths[i]) / float32(counts[i])
		}
	}
}

// grant returns what the grant says about a record, nil if it is not shown.
func (s *searcher) grant(version uint32, source int) *sourceGrant {
	if source >= len(s.grants) {
		return nil
	}
	g := &s.grants[source]
	if g.at < 0 || g.only != nil && !g.only[int64(version)] {
		return nil
	}
	return g
}

// weight returns the weight of a column of a record, 0 if it is not shown.
func (s *searcher) weight(version uint32, column int) float32 {
	if int(version) >= len(s.documents.source) {
		return 0
	}
	g := s.grant(version, int(s.documents.source[version]))
	if g == nil || column < 0 || column >= len(g.weights) {
		return 0
	}
	return g.weights[column]
}

// A posting is a record that has a unit, with the weighted count of its places.
type posting struct {
	version uint32
	tf      float32
}

func (s *searcher) each(query string, args []any, scan func(*sql.Rows) error) error {
	return Each(s.ctx, s.db, query, args, scan)
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

// known visits the terms of the store that begin with start, in their order, with how many records have each.
func (s *searcher) known(start string, visit func(term string, records int)) error {
	return s.each("SELECT term, records FROM "+wordTable+" WHERE term >= ? AND term < ?", []any{start, start + "\U0010FFFF"},
		func(rows *sql.Rows) error {
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

// gather reads the records that have a unit, in whatever form.
func (s *searcher) gather(u *unit) ([]posting, error) {
	for _, a := range u.alternatives {
		read, err := s.postings(a.phrase)
		if err != nil {
			return nil, err
		}
		for _, p := range read {
			if s.tf[p.version] == 0 {
				s.touched = append(s.touched, p.version)
			}
			s.tf[p.version] += p.tf * a.weight
		}
	}
	found := make([]posting, len(s.touched))
	for i, version := range s.touched {
		found[i] = posting{version, s.tf[version]}
		s.tf[version] = 0
	}
	s.touched = s.touched[:0]
	return found, nil
}
