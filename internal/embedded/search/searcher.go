package search

import (
	"context"
	"slices"
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

// Search finds records.
func (x *Index) Search(ctx context.Context, request Request) (*Result, error) {
	size := len(x.documents.source)
	s := &searcher{
		Index: x, ctx: ctx, request: request, query: parseQuery(request.Text), scope: NewScope(request.Sources), result: &Result{},
		mask: make([]uint64, size), score: make([]float32, size), tf: make([]float32, size), read: map[string][]posting{},
		contained: map[string][]candidate{},
	}
	if len(s.query.units) > 0 && len(s.scope) > 0 {
		s.run()
	}
	return s.result, s.err
}

func (s *searcher) run() {
	s.measure()
	if !s.request.AllWords {
		s.divideSentences()
	}
	exact := s.exactly()
	var language uint32
	var preferred *timeMatcher
	if !s.request.AllWords {
		preferred = s.query.prefer(s.request.Now.UTC())
		language = s.lighten()
	}
	s.expand(language)
	s.scoreUnits()
	s.exclude()
	s.lend()
	s.preferTime(preferred)
	if !s.request.AllWords {
		s.findContaining()
	}
	s.report()
	s.choose(exact)
}

// measure counts the records in scope, and computes their average length in each source.
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
		if one := &s.scope[i]; counts[i] > 0 && !slices.Contains(one.Weights, 0) {
			one.average = float32(lengths[i]) / float32(counts[i])
		}
	}
}

// exactly returns, by version, how many of the leading units of the query a record has as written. A record with all of them has the whole
// query.
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
