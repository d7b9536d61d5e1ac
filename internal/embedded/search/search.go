// Package search is the full-text index of the embedded resource server: what words are, how they are stored in SQLite's
// FTS5, and which records a question finds.
//
// All records of a store share one FTS5 table whose columns are numbered: the n-th searched field of a stream is column n.
// A posting therefore says of which record and which field it is, and what a grant does not show is left out posting by
// posting, before anything is counted. Beside it is a list of all words, for word forms and typing errors, and what ranking needs
// to know about each record: its source, length, time and neighbors. Nothing here changes after a load.
package search

import (
	"cmp"
	"container/heap"
	"context"
	"strings"
)

// Search finds records.
func (x *Index) Search(ctx context.Context, request Request) (*Result, error) {
	s := &searcher{Index: x, ctx: ctx, request: request, query: parseQuery(request.Text), read: map[string][]posting{}, result: &Result{}}
	s.admit()
	if len(s.query.units) == 0 || len(s.grants) == 0 {
		return s.result, nil
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	return s.result, nil
}

func (s *searcher) run() error {
	size := len(s.documents.source)
	s.mask, s.score, s.tf = make([]uint64, size), make([]float32, size), make([]float32, size)
	exact, err := s.exactly()
	if err != nil {
		return err
	}
	var language uint32
	var preferred *timeMatcher
	if !s.request.Demand {
		preferred = s.query.prefer(s.request.Now.UTC())
		if language, err = s.lighten(); err != nil {
			return err
		}
	}
	if err := s.expand(language); err != nil {
		return err
	}
	if err := s.scoreUnits(); err != nil {
		return err
	}
	if err := s.exclude(); err != nil {
		return err
	}
	s.lend()
	s.preferTime(preferred)
	if !s.request.Demand {
		if err := s.findContaining(); err != nil {
			return err
		}
	}
	s.report()
	s.choose(exact)
	return nil
}

// A versionSet is a set of versions.
type versionSet []uint64

func (set versionSet) has(version uint32) bool { return set[version/64]>>(version%64)&1 == 1 }

func (set versionSet) add(version uint32) { set[version/64] |= 1 << (version % 64) }

// exactly finds the records that have every word and phrase of the query as it is written.
func (s *searcher) exactly() (versionSet, error) {
	var all versionSet
	for i, u := range s.query.units {
		found, err := s.postings(u.phrase)
		if err != nil {
			return nil, err
		}
		one, some := make(versionSet, len(s.documents.source)/64+1), false
		for _, p := range found {
			if i == 0 || all.has(p.version) {
				one.add(p.version)
				some = true
			}
		}
		if all = one; !some {
			break
		}
	}
	return all, nil
}

// A ranked is a record in the order of hits: those with all words as they are written, those with all in some form, those with
// some, those with nearest words alone; in each the best first, of equals the latest, and then in the order of sources.
type ranked struct {
	version uint32
	source  int // index of Request.Sources
	tier    int8
	score   float32
	event   int64
}

func compareRanked(a, b ranked) int {
	return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(b.score, a.score), cmp.Compare(b.event, a.event),
		cmp.Compare(a.source, b.source), cmp.Compare(a.version, b.version))
}

// A worstFirst is a heap of the best records so far, the worst of them first.
type worstFirst []ranked

func (h worstFirst) Len() int { return len(h) }

func (h worstFirst) Less(i, j int) bool { return compareRanked(h[i], h[j]) > 0 }

func (h worstFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *worstFirst) Push(x any) { *h = append(*h, x.(ranked)) }

func (h *worstFirst) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// choose counts what was found and keeps the best hits.
func (s *searcher) choose(exact versionSet) {
	var all, nearest uint64
	for i, u := range s.query.units {
		if !u.light && i < maxUnits {
			all |= 1 << i
			if len(u.nearest) > 0 {
				nearest |= 1 << i
			}
		}
	}
	best := worstFirst{}
	for _, version := range s.found {
		r := ranked{
			version: version, source: s.grants[s.documents.source[version]].at, score: s.score[version], event: s.documents.event[version],
		}
		has := s.mask[version] &^ nearest
		switch {
		case exact.has(version):
			r.tier = 0
			s.result.All++
		case s.request.Demand:
			continue
		case has == all:
			r.tier = 1
			s.result.All++
		case has != 0:
			r.tier = 2
			s.result.Some++
		default:
			r.tier = 3
			s.result.Nearest++
		}
		switch {
		case len(best) < s.request.Most:
			heap.Push(&best, r)
		case len(best) > 0 && compareRanked(r, best[0]) < 0:
			best[0] = r
			heap.Fix(&best, 0)
		}
	}
	s.result.Hits = make([]Hit, len(best))
	for i := len(best) - 1; i >= 0; i-- {
		s.result.Hits[i] = s.hit(heap.Pop(&best).(ranked))
	}
}

func (s *searcher) hit(r ranked) Hit {
	h := Hit{Version: int64(r.version), Source: r.source, Score: r.score, Match: MatchAll}
	if r.tier < 2 {
		return h
	}
	h.Match = MatchSome
	if r.tier == 3 {
		h.Match = MatchNearest
	}
	for i, u := range s.query.units {
		if i >= maxUnits || s.mask[r.version]>>i&1 == 0 {
			continue
		}
		if len(u.nearest) > 0 {
			h.Nearest = append(h.Nearest, u.nearest...)
		} else {
			h.Words = append(h.Words, u.text)
		}
	}
	return h
}

// report says what was done with the words of the query.
func (s *searcher) report() {
	r := s.result
	r.Marks.rarity = s.rarity
	for i := range s.query.units {
		u := &s.query.units[i]
		switch {
		case u.light && u.time:
			r.TimeWords = append(r.TimeWords, u.text)
			continue
		case u.light || i >= maxUnits:
			r.LeftOut = append(r.LeftOut, u.text)
			continue
		case u.common:
			r.Common = append(r.Common, u.text)
		case u.records == 0:
			r.Missing = append(r.Missing, u.text)
		}
		if len(u.nearest) > 0 {
			r.Replaced = append(r.Replaced, Replacement{u.text, u.nearest})
		} else if len(u.alternatives) > 1 && u.records > 0 {
			forms := Replacement{Word: u.text}
			for _, a := range u.alternatives[1:] {
				forms.As = append(forms.As, strings.Join(a.phrase, " "))
			}
			r.Forms = append(r.Forms, forms)
		}
		for _, a := range u.alternatives {
			r.Marks.add(i, a.phrase)
		}
	}
}
