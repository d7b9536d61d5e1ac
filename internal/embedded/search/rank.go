package search

import (
	"math"
	"math/bits"
)

// Constants of BM25, and what counts as too common to find anything.
const (
	saturation   = 1.2
	lengthEffect = 0.75
	commonShare  = 5   // a word in more than one record of so many only ranks what others found
	commonLeast  = 100 // but never one in fewer records than this
)

// isCommon reports whether so many of the records in scope are too many to find anything.
func (s *searcher) isCommon(records int) bool {
	return records > max(s.records/commonShare, commonLeast)
}

// scoreUnits adds up what each weighty unit gives to each record that has it. Common units give to what others found; only if
// they found nothing do common units find.
func (s *searcher) scoreUnits() error {
	gathered := make([][]posting, len(s.query.units))
	var common []int
	for i := range s.query.units {
		u := &s.query.units[i]
		if u.light || i >= maxUnits {
			continue
		}
		deferred, err := s.surelyCommon(u)
		if err != nil {
			return err
		}
		if !deferred {
			if gathered[i], err = s.gather(u); err != nil {
				return err
			}
			u.records = len(gathered[i])
			if u.records == 0 && !u.quoted {
				if gathered[i], err = s.gatherNearest(u); err != nil {
					return err
				}
			}
			u.common = !u.quoted && len(u.nearest) == 0 && s.isCommon(u.records)
		}
		if u.common {
			common = append(common, i)
			continue
		}
		s.give(i, gathered[i], false)
	}
	finders := len(s.found)
	for _, i := range common {
		u := &s.query.units[i]
		var err error
		switch {
		case gathered[i] != nil:
		case finders == 0:
			gathered[i], err = s.gather(u)
			u.records = len(gathered[i])
		default:
			gathered[i], err = s.gatherAmong(u)
		}
		if err != nil {
			return err
		}
		if finders == 0 {
			u.common = false // it finds
		}
		s.give(i, gathered[i], finders > 0)
	}
	return nil
}

// surelyCommon reports whether a unit is common in scope whatever else is true, from counts of the whole store alone. It can tell
// only when the grant shows every field and record of its sources.
func (s *searcher) surelyCommon(u *unit) (bool, error) {
	if u.quoted || len(u.phrase) > 1 {
		return false, nil
	}
	beyond := -s.records
	for _, source := range s.documents.source {
		if source != 0 {
			beyond++
		}
	}
	for _, g := range s.grants {
		if g.at >= 0 && (g.only != nil || !s.request.Sources[g.at].Complete) {
			return false, nil
		}
	}
	records, err := s.count(u.phrase[0])
	if !s.isCommon(records - beyond) {
		return false, err
	}
	u.common, u.records = true, records-beyond
	return true, err
}

// gatherAmong reads which of the records that other units found have a common one.
func (s *searcher) gatherAmong(u *unit) ([]posting, error) {
	all, err := s.gather(u)
	found := all[:0]
	for _, p := range all {
		if s.mask[p.version] != 0 {
			found = append(found, posting{p.version, 1})
		}
	}
	return found, err
}

// give adds what a unit is worth to the score of each record that has it: BM25, over the records in scope.
func (s *searcher) give(number int, found []posting, onlyFound bool) {
	u := &s.query.units[number]
	n, df := float64(s.records), float64(max(u.records, len(found)))
	rarity := float32(math.Log(1 + max(n-df, 0)/(df+0.5) + 0.5/(df+0.5)))
	s.rarity[number] = rarity
	for _, p := range found {
		if s.mask[p.version] == 0 {
			if onlyFound {
				continue
			}
			s.found = append(s.found, p.version)
		}
		s.mask[p.version] |= 1 << number
		s.score[p.version] += rarity * p.tf * (saturation + 1) / (p.tf + saturation*s.lengthFactor(p.version))
	}
}

// lengthFactor is above 1 for records that are longer than the average of their source. The length of fields that the grant does
// not show must not matter, so every record is average where there are any.
func (s *searcher) lengthFactor(version uint32) float32 {
	g := &s.grants[s.documents.source[version]]
	if g.average == 0 {
		return 1
	}
	return 1 - lengthEffect + lengthEffect*float32(s.documents.length[version])/g.average
}

// exclude takes out the records with an excluded word, and those without a quoted one.
func (s *searcher) exclude() error {
	out := map[uint32]bool{}
	for _, p := range s.query.excluded {
		found, err := s.postings(p)
		if err != nil {
			return err
		}
		for _, one := range found {
			out[one.version] = true
		}
	}
	var quoted uint64
	for i, u := range s.query.units {
		if u.quoted && i < maxUnits {
			quoted |= 1 << i
		}
	}
	kept := s.found[:0]
	for _, version := range s.found {
		if !out[version] && s.mask[version]&quoted == quoted {
			kept = append(kept, version)
		}
	}
	s.found = kept
	return nil
}

// How much a record takes over from its neighbors in a conversation, within reach and less with each step.
const (
	reach       = 2
	lentWord    = 0.5 // of what a word is worth that the record itself lacks
	lentScore   = 0.1 // of the whole score of the neighbor
	lentPerStep = 0.7
)

// lend raises records near others that match, in the same conversation: an answer seldom repeats the words of its question.
func (s *searcher) lend() {
	lent := make([]float32, len(s.found))
	for i, version := range s.found {
		if s.request.Sources[s.grants[s.documents.source[version]].at].Talk {
			lent[i] = s.lentTo(version)
		}
	}
	for i, version := range s.found {
		s.score[version] += lent[i]
	}
}

func (s *searcher) lentTo(version uint32) float32 {
	var sum float32
	var words [maxUnits]float32 // the most that a neighbor gives for a word that the record lacks
	for _, neighbors := range [][]uint32{s.documents.previous, s.documents.next} {
		share := float32(1)
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
	}
	for _, worth := range words {
		sum += worth
	}
	return sum
}
