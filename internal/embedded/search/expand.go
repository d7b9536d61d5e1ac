package search

import (
	"cmp"
	"slices"
)

const (
	formWeight    = 0.7 // of another form of a word, beside the word as it is written
	nearestWeight = 0.5
	maxForms      = 16 // of one word
)

// expand finds the other forms of each weighty word.
func (s *searcher) expand(guess uint32) error {
	languages := s.languagesOf(guess)
	for i := range s.query.units {
		u := &s.query.units[i]
		u.alternatives = []alternative{{u.phrase, 1}}
		if s.request.Demand || u.light || u.quoted || len(u.phrase) != 1 || !inflects(u.phrase[0]) {
			continue
		}
		forms, err := s.forms(u.phrase[0], languages)
		if err != nil {
			return err
		}
		for _, form := range forms {
			u.alternatives = append(u.alternatives, alternative{phrase{form}, formWeight})
		}
	}
	return nil
}

// languagesOf returns the languages whose forms are looked for: the query's, if it can be guessed, or else those of the fields
// that are searched.
func (s *searcher) languagesOf(guess uint32) uint32 {
	if guess != 0 && guess&(guess-1) == 0 {
		return guess
	}
	var texts [len(languages)]int
	all := 0
	for _, one := range s.languages {
		if int(one.Source) >= len(s.grants) {
			continue
		}
		g := &s.grants[one.Source]
		if g.at < 0 || int(one.Column) >= len(g.weights) || g.weights[one.Column] == 0 {
			continue
		}
		for i, n := range one.Texts {
			texts[i] += int(n)
			all += int(n)
		}
	}
	var set uint32
	for i, n := range texts {
		if n > 0 && n*20 >= all && (guess == 0 || guess>>i&1 == 1) {
			set |= 1 << i
		}
	}
	return cmp.Or(set, guess, 1)
}

// forms lists the terms of the store that have the stem of a term in one of the languages, the most frequent first.
func (s *searcher) forms(term string, languages uint32) ([]string, error) {
	type form struct {
		term    string
		records int
	}
	var forms []form
	for i := 0; languages>>i != 0; i++ {
		if languages>>i&1 == 0 {
			continue
		}
		stem := stemOf(i, term)
		start := sharedStart(term, stem)
		if len(start) < 2 {
			continue
		}
		err := s.known(start, func(other string, records int) {
			if other != term && inflects(other) && stemOf(i, other) == stem && !slices.ContainsFunc(forms, func(f form) bool { return f.term == other }) {
				forms = append(forms, form{other, records})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(forms, func(a, b form) int { return cmp.Or(cmp.Compare(b.records, a.records), cmp.Compare(a.term, b.term)) })
	terms := []string{}
	for _, f := range forms[:min(len(forms), maxForms)] {
		terms = append(terms, f.term)
	}
	return terms, nil
}
