package search

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// A searcher answers one request. It keeps the first error of a read and reads nothing after it: that error is the answer.
type searcher struct {
	*Index
	ctx     context.Context
	err     error
	request Request
	query   query
	scope   Scope
	records int // in scope

	mask    []uint64  // by version: a bit for each unit that the record has
	score   []float32 // by version
	found   []uint32  // versions with a bit
	tf      []float32 // by version: of the unit at hand
	touched []uint32
	read    map[string][]posting // by phrase and languages: what was read of the index
	spoken  map[[2]int]uint32    // by source and column: a bit for each language that a fair share of the texts is in; nil: not looked up
	rarity  [maxUnits]float32    // of each unit in scope
	time    uint64               // the bit of records that are of the time that the query names, or name it; 0: it names none
	result  *Result
}

// Search finds records.
func (x *Index) Search(ctx context.Context, request Request) (*Result, error) {
	size := len(x.documents.source)
	s := &searcher{
		Index: x, ctx: ctx, request: request, query: parseQuery(request.Text), scope: NewScope(request.Sources), result: &Result{},
		mask: make([]uint64, size), score: make([]float32, size), tf: make([]float32, size), read: map[string][]posting{},
	}
	if len(s.query.units) > 0 && len(s.scope) > 0 {
		s.run()
	}
	return s.result, s.err
}

func (s *searcher) run() {
	s.measure()
	exact := s.exactly()
	var language uint32
	var preferred *timeMatcher
	if !s.request.Demand {
		preferred = s.query.prefer(s.request.Now.UTC())
		language = s.lighten()
	}
	s.expand(language)
	s.scoreUnits()
	s.exclude()
	s.lend()
	s.preferTime(preferred)
	if !s.request.Demand {
		s.findContaining()
	}
	s.report()
	s.choose(exact)
}

// measure counts the records in scope, and the average length of those of each source.
func (s *searcher) measure() {
	counts, lengths := make([]int, len(s.scope)), make([]int, len(s.scope))
	for version, source := range s.documents.source {
		if s.scope.of(int(source), uint32(version)) != nil { // #nosec G115 -- far fewer records
			counts[source]++
			lengths[source] += int(s.documents.length[version])
		}
	}
	for i := range s.scope {
		s.records += counts[i]
		if one := &s.scope[i]; counts[i] > 0 && one.source.Complete {
			one.average = float32(lengths[i]) / float32(counts[i])
		}
	}
}

// scopeOf is what is shown of a record that was found.
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

// postings returns the records that have a phrase in fields that the grant shows, with the weighted count of its places: in fields whose
// texts are in one of some languages or in none that is known, or in all if those are 0. Each phrase is read once in a search.
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
		weight := s.scope.Weight(int(s.documents.source[version]), version, column) * float32(times)
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

// speaks reports that a quarter of the texts of a field, as far as their language is known, is in one of some languages.
func (s *searcher) speaks(source, column int, languages uint32) bool {
	if s.spoken == nil {
		s.spoken = map[[2]int]uint32{}
		counts := map[[2]int]columnLanguages{}
		for _, part := range s.languages {
			field := [2]int{part.Source, part.Column}
			count, all := counts[field], 0
			for i, n := range part.Texts {
				count.Texts[i] += n
				all += count.Texts[i]
			}
			counts[field], s.spoken[field] = count, 0
			for i, n := range count.Texts {
				if n > 0 && 4*n >= all {
					s.spoken[field] |= 1 << i
				}
			}
		}
	}
	spoken, known := s.spoken[[2]int{source, column}]
	return !known || spoken&languages != 0
}

// eachPlace visits the places of a term, a record's together.
func (s *searcher) eachPlace(term string, visit func(version uint32, column, times int)) {
	var first int64
	var stored sql.RawBytes
	s.each("SELECT first, places"+ofSegments+"term = ? ORDER BY first", []any{term}, func(rows *sql.Rows) error {
		err := rows.Scan(&first, &stored)
		eachPlace(first, stored, visit)
		return err
	})
}

// ofSegments looks a term up in one segment after the other, whatever SQLite thinks of it.
const ofSegments = " FROM " + segmentTable + " CROSS JOIN " + placeTable + " USING (first) WHERE "

// occurrences are where the last words of a phrase are, in order.
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

// following keeps the words that are right behind those of before.
func following(before, words []occurrence) []occurrence {
	return slices.DeleteFunc(words, func(word occurrence) bool {
		for len(before) > 0 && before[0].place()+1 < word.place() {
			before = before[1:]
		}
		return len(before) == 0 || before[0].place()+1 != word.place()
	})
}

// known visits the terms of the store from one up to before another, with how many records have each.
func (s *searcher) known(from, until string, visit func(term string, records int)) {
	s.each("SELECT term, records FROM "+wordTable+" WHERE term >= ? AND term < ?", []any{from, until}, func(rows *sql.Rows) error {
		var term string
		var records int
		err := rows.Scan(&term, &records)
		visit(term, records)
		return err
	})
}

// Behind a term, no letter comes before the first of these and none after the last.
const (
	firstLetter = "\x00"
	lastLetter  = "\U0010FFFF"
)

// gather reads the records that have a unit, in whatever form.
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

// exactly counts of each record how many of the first units of the query it has as they are written: those that have all of them have the
// whole query.
func (s *searcher) exactly() []uint16 {
	has := make([]uint16, len(s.documents.source))
	for i, u := range s.query.units {
		some := false
		for _, p := range s.postings(u.phrase, 0) {
			if int(has[p.version]) == i {
				has[p.version]++
				some = true
			}
		}
		if !some {
			break
		}
	}
	return has
}
