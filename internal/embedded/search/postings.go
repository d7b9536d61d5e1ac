package search

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// A searcher answers one request. After the first error of a read it reads nothing more; the search returns that error.
type searcher struct {
	*Index
	ctx     context.Context
	err     error
	request Request
	query   parsedQuery
	scope   Scope
	records int // in scope

	mask    []uint64  // by version: a bit for each unit that the record has
	score   []float32 // by version
	found   []uint32  // versions with a bit in mask
	tf      []float32 // by version: weighted places of the current unit
	touched []uint32
	read    map[string][]posting  // postings that were read, by phrase and languages
	rarity  [timeUnit + 1]float32 // of each unit in scope

	contained map[string][]candidate // terms that contain a word, by word
	time      uint64                 // bit in mask of records that match the time in the query; 0 if it names no time
	result    *Result
}

func (s *searcher) scopeOf(version uint32) *sourceScope { return &s.scope[s.documents.source[version]] }

// A posting is a record that has a unit, with the weighted count of its places.
type posting struct {
	version uint32
	tf      float32
}

func (s *searcher) each(query string, args []any, scan func(*sql.Rows) error) {
	if s.err == nil {
		s.err = Each(s.ctx, s.db, query, args, scan)
	}
}

// postings returns the records with a phrase in visible fields, and the weighted count of its places. Unless only is 0, it leaves out
// fields whose texts are known to be in other languages. Each phrase is read once in a search.
func (s *searcher) postings(p phrase, only uint32) []posting {
	name := strings.Join(p, " ")
	if only != 0 {
		name += fmt.Sprint("\x00", only)
	}
	if found, ok := s.read[name]; ok {
		return found
	}
	var found []posting
	add := func(version uint32, column, times int) {
		if int(version) >= len(s.documents.source) {
			return
		}
		weight := s.worth(version, column) * float32(times)
		switch last := len(found) - 1; {
		case weight == 0, only != 0 && !s.speaks(int(s.documents.source[version]), column, only):
		case last >= 0 && found[last].version == version:
			found[last].tf += weight
		default:
			found = append(found, posting{version, weight})
		}
	}
	if len(p) == 1 {
		s.eachPlace(p[0], add)
	} else {
		for _, one := range s.occurrences(p) {
			add(one.version, one.column, 1)
		}
	}
	s.read[name] = found
	return found
}

// speaks reports whether at least a quarter of the texts of a field, as far as their language is known, is in one of a set of
// languages. It is true if no language is known.
func (s *searcher) speaks(source, column int, among uint32) bool {
	texts, known := s.languages[[2]int{source, column}]
	return !known || mostSpoken(texts)&among != 0
}

func (s *searcher) eachPlace(term string, visit func(version uint32, column, times int)) {
	var first int64
	var stored sql.RawBytes
	s.each("SELECT first, places"+ofSegments+"term = ? ORDER BY first", []any{term}, func(rows *sql.Rows) error {
		err := rows.Scan(&first, &stored)
		eachPlace(first, stored, visit)
		return err
	})
}

// ofSegments makes SQLite look up a term segment by segment: CROSS JOIN fixes the order.
const ofSegments = " FROM " + segmentTable + " CROSS JOIN " + placeTable + " USING (first) WHERE "

// occurrences returns where the last terms of a phrase occur, in order.
func (s *searcher) occurrences(p phrase) (found []occurrence) {
	terms, open := p.prefix()
	for i, term := range terms {
		until := firstLetter
		if open && i == len(terms)-1 {
			until = lastLetter
		}
		var all []occurrence
		var first int64
		var stored, positions sql.RawBytes
		s.each("SELECT first, places, positions"+ofSegments+"term >= ? AND term < ?", []any{term, term + until}, func(rows *sql.Rows) error {
			err := rows.Scan(&first, &stored, &positions)
			eachOccurrence(first, stored, positions, func(one occurrence) { all = append(all, one) })
			return err
		})
		slices.SortFunc(all, func(a, b occurrence) int { return cmp.Compare(a.place(), b.place()) })
		if i > 0 {
			all = following(found, all)
		}
		found = all
	}
	return found
}

// following keeps the words that directly follow one of before.
func following(before, words []occurrence) []occurrence {
	return slices.DeleteFunc(words, func(word occurrence) bool {
		for len(before) > 0 && before[0].place()+1 < word.place() {
			before = before[1:]
		}
		return len(before) == 0 || before[0].place()+1 != word.place()
	})
}

// known visits the terms of the store in the range [from, until), with the number of records that have each.
func (s *searcher) known(from, until string, visit func(term string, records int)) {
	s.each("SELECT term, records FROM "+wordTable+" WHERE term >= ? AND term < ?", []any{from, until}, func(rows *sql.Rows) error {
		var term string
		var records int
		err := rows.Scan(&term, &records)
		visit(term, records)
		return err
	})
}

// Suffixes of a term for ranges: firstLetter sorts before any letter that follows the term, lastLetter after it.
const (
	firstLetter = "\x00"
	lastLetter  = "\U0010FFFF"
)

// gather returns the records that have a unit in any of its alternatives.
func (s *searcher) gather(u *unit) []posting {
	for _, a := range u.alternatives {
		for _, p := range s.postings(a.phrase, a.only) {
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
	return found
}

// occurs reports whether an alternative is in records that the grant shows.
func (s *searcher) occurs(a alternative) bool { return len(s.postings(a.phrase, a.only)) > 0 }
