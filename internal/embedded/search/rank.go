package search

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Constants of BM25, and what counts as too common to find anything.
const (
	saturation   = 1.2
	lengthEffect = 0.75
	commonShare  = 5   // a word in more than one in so many records only ranks what others found
	commonLeast  = 100 // but only if it is in more records than this
)

// scoreUnits adds the worth of each weighty unit to the score of each record that has it. Common units score only what others found, and
// what is beside that in its conversation, unless those found nothing. Replacements of words that occur nowhere come last: a guess does not
// keep a common word from finding records.
func (s *searcher) scoreUnits(gathered [][]posting) {
	for _, pass := range [...]struct{ common, guessed bool }{{}, {common: true}, {guessed: true}} {
		finders := len(s.found)
		for i, u := range s.query.units {
			if s.query.counts(i) && u.common == pass.common && len(u.nearest) > 0 == pass.guessed {
				u.common = finders > 0 && pass.common
				s.give(i, gathered[i])
			}
		}
	}
}

// give adds the worth of a unit to the score of each record that has it: BM25F, over the records in scope.
func (s *searcher) give(number int, found []posting) {
	n, df := float64(s.records), float64(len(found))
	rarity := float32(math.Log(1 + max(n-df, 0)/(df+0.5) + 0.5/(df+0.5)))
	s.rarity[number] = rarity
	common := s.query.bits(func(u *unit) bool { return u.common })
	for _, p := range found {
		if s.mask[p.version] == 0 {
			if s.query.units[number].common && !s.isBesideFound(p.version, common) {
				continue
			}
			s.found = append(s.found, p.version)
		}
		s.mask[p.version] |= 1 << number
		s.score[p.version] += rarity * p.tf * (saturation + 1) / (p.tf + saturation)
	}
}

// worth returns what a place in a record counts, 0 if it is not visible: in a text less, the longer the record is. A name or a title says
// the same of a short record as of a long one.
func (s *searcher) worth(version uint32, column int) float32 {
	weight := s.scope.Weight(int(s.documents.source[version]), version, column)
	if weight == BodyWeight {
		weight /= s.lengthFactor(version)
	}
	return weight
}

// lengthFactor is above 1 for records that are longer than the average of their source. Fields that the grant does not show must not
// influence it: if there are any, every record counts as average.
func (s *searcher) lengthFactor(version uint32) float32 {
	average := s.scopeOf(version).average
	if average == 0 {
		return 1
	}
	return 1 - lengthEffect + lengthEffect*float32(s.documents.length[version])/average
}

// exclude removes the records with an excluded phrase, and those without a quoted one.
func (s *searcher) exclude() {
	keep := func(p phrase, wanted bool) {
		has := map[uint32]bool{}
		for _, one := range s.postings(p, 0) {
			has[one.version] = true
		}
		s.found = slices.DeleteFunc(s.found, func(version uint32) bool { return has[version] != wanted })
	}
	for _, p := range s.query.excluded {
		keep(p, false)
	}
	for _, u := range s.query.units {
		if u.quoted {
			keep(u.phrase, true)
		}
	}
}

// How much a record gains from its neighbors in a conversation, up to reach steps away and less with each step.
const (
	reach       = 2
	lentWord    = 0.5 // of the worth of a word that the record lacks
	lentScore   = 0.1 // of the whole score of the neighbor
	lentPerStep = 0.7
)

// lend raises records near others that match, in the same conversation: an answer seldom repeats the words of its question.
func (s *searcher) lend() {
	lent := make([]float32, len(s.found))
	for i, version := range s.found {
		if s.scopeOf(version).HasConversations {
			lent[i] = s.lentTo(version)
		}
	}
	for i, version := range s.found {
		s.score[version] += lent[i]
	}
}

// isBesideFound reports whether a word that is not common found the record before or after another in its conversation.
func (s *searcher) isBesideFound(version uint32, common uint64) bool {
	beside := s.mask[s.documents.previous[version]] | s.mask[s.documents.next[version]]
	return beside&^common != 0 && s.scopeOf(version).HasConversations
}

func (s *searcher) lentTo(version uint32) float32 {
	var sum float32
	var words [maxUnits]float32 // the most that a neighbor gives for a word that the record lacks
	share := float32(1)
	for _, neighbors := range [][]uint32{s.documents.previous, s.documents.next} {
		first := share
		for at, step := neighbors[version], 0; at != 0 && step < reach; at, step = neighbors[at], step+1 {
			if s.mask[at] != 0 {
				sum += share * lentScore * s.score[at]
			}
			for rest := s.mask[at] &^ s.mask[version]; rest != 0; rest &= rest - 1 {
				word := bits.TrailingZeros64(rest)
				words[word] = max(words[word], share*lentWord*s.rarity[word])
			}
			share *= lentPerStep
		}
		share = first * lentPerStep // an answer follows its question
	}
	for _, worth := range words {
		sum += worth
	}
	return sum
}

// preferTime raises the records of the time that the query names, and those whose text names it.
func (s *searcher) preferTime(m *timeMatcher) {
	if m == nil {
		return
	}
	s.result.Time = m.String()
	if s.query.units[m.unit].light { // the query has other words
		s.time = 1 << timeUnit
	}
	written := map[uint32]bool{}
	if len(m.written) > 0 {
		s.result.Marks.add(timeUnit, m.written)
		for _, one := range s.postings(m.written, 0) {
			written[one.version] = true
		}
	}
	if len(written) > 0 {
		s.rarity[timeUnit] = float32(math.Log(1 + float64(s.records)/float64(len(written))))
	}
	for _, version := range s.found {
		if event := s.documents.event[version]; written[version] || event != NoTime && m.matches(event) {
			s.score[version] += timeBonus
			s.mask[version] |= s.time
		}
	}
}

// Tiers of hits, the best first: all words as written; all words in some form; all words, but not the time that the query names; some
// words, or in the right spelling a misspelt one; only other replacements of words.
const (
	tierExact = iota
	tierAll
	tierOtherTime
	tierSome
	tierNearest
)

var matches = [...]Match{MatchAll, MatchAll, MatchSome, MatchSome, MatchNearest}

// A ranked is a found record with its rank: by tier, then the best score, the latest event, and the order of sources.
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

// choose counts what was found and keeps the best hits. It sorts the candidates and drops the worst whenever there are four times as many
// as requested, which costs less than sorting all.
func (s *searcher) choose(exact []uint16) {
	all := s.query.weighty()
	nearest := s.query.bits(func(u *unit) bool { return len(u.nearest) > 0 })
	misspelt := s.query.bits(func(u *unit) bool { return u.misspelt })
	var counts [len(matches)]int
	best, most, worst := []ranked{}, s.request.Most, ranked{tier: math.MaxInt8}
	sort := func() {
		slices.SortFunc(best, compareRanked)
		best = best[:min(len(best), most)]
	}
	for _, version := range s.found {
		r := ranked{version: version, source: s.scopeOf(version).at, score: s.score[version], event: s.documents.event[version]}
		has := s.mask[version] &^ nearest &^ s.time
		isExact, ofTime := int(exact[version]) == len(s.query.units), s.mask[version]&s.time == s.time
		switch {
		case isExact && ofTime:
			r.tier = tierExact
		case s.request.AllWords:
			continue
		case has == all && ofTime:
			r.tier = tierAll
		case has == all || isExact:
			r.tier = tierOtherTime
		case has != 0:
			r.tier = tierSome
		default:
			r.tier = tierNearest
		}
		counts[r.tier]++
		if s.mask[version]&misspelt != 0 {
			r.tier = min(r.tier, tierSome)
		}
		if compareRanked(r, worst) > 0 {
			continue
		}
		if best = append(best, r); len(best) == 4*most {
			sort()
			worst = best[most-1]
		}
	}
	sort()
	s.result.All, s.result.Some = counts[tierExact]+counts[tierAll], counts[tierOtherTime]+counts[tierSome]
	s.result.Nearest = counts[tierNearest]
	for _, r := range best {
		s.result.Hits = append(s.result.Hits, s.hit(r))
	}
}

func (s *searcher) hit(r ranked) Hit {
	h := Hit{Version: int64(r.version), Source: r.source, Score: r.score, Match: matches[r.tier], NotOfTime: r.tier == tierOtherTime}
	if h.Match == MatchAll {
		return h
	}
	for rest := s.mask[r.version] &^ s.time; rest != 0; rest &= rest - 1 {
		if u := s.query.units[bits.TrailingZeros64(rest)]; len(u.nearest) > 0 {
			for _, term := range u.nearest {
				if slices.ContainsFunc(s.postings(phrase{term}, 0), func(p posting) bool { return p.version == r.version }) {
					h.Nearest = append(h.Nearest, term)
				}
			}
		} else {
			h.Words = append(h.Words, u.text)
		}
	}
	if len(h.Words) == 0 && len(h.Nearest) > 0 {
		h.Match = MatchNearest
	}
	return h
}
