package search

import (
	"context"
	"slices"
	"strings"
)

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
	s.scoreUnits(s.gatherUnits())
	s.exclude()
	s.lend()
	s.preferTime(preferred)
	if !s.request.AllWords {
		s.findContaining()
	}
	s.report()
	s.choose(exact)
}

// gatherUnits returns the records with each unit that counts, or with its replacements if it occurs nowhere, and marks the common units.
func (s *searcher) gatherUnits() [][]posting {
	gathered := make([][]posting, len(s.query.units))
	for i, u := range s.query.units {
		if !s.query.counts(i) {
			continue
		}
		gathered[i] = s.gather(u)
		u.records = len(gathered[i])
		if u.records == 0 && !u.quoted {
			gathered[i] = s.gatherNearest(u)
		}
		u.common = !u.quoted && u.records > max(s.records/commonShare, commonLeast)
	}
	return gathered
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

func (s *searcher) report() {
	r := s.result
	r.Marks.rarity = s.rarity
	for i, u := range s.query.units {
		switch {
		case u.light && u.time:
			r.TimeWords = append(r.TimeWords, u.text)
			continue
		case !s.query.counts(i):
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
			if as := s.inexact(u); len(as) > 0 {
				r.Inexact = append(r.Inexact, Replacement{u.text, as})
			}
		}
		for _, a := range u.alternatives {
			r.Marks.add(i, a.phrase)
		}
	}
}
