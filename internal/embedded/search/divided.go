package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the words that are also looked up divided, which costs a few reads of the index for each letter.
const (
	maxDivided      = 4  // of a query
	shortestDivided = 5  // bytes
	longestDivided  = 40 // bytes
)

// divided finds other spellings of a word that occurs in no record: as two words, such as stand-up for standup, or as one, such as payslip
// for pay-slip, each also with other forms of its ending. The first of two may be a single letter, as in e-mail, unless that is an English
// stop word: "a side" is not aside.
func (s *searcher) divided(word phrase, languages uint32) (ways []alternative) {
	together := strings.Join(word, "")
	_, open := word.prefix()
	if open || len(together) < shortestDivided || len(together) > longestDivided || !strings.ContainsFunc(together, unicode.IsLetter) {
		return nil
	}
	if len(word) > 1 {
		return s.endings(nil, together, languages)
	}
	for at := range together {
		before, known := phrase{together[:at]}, false
		if letters := utf8.RuneCountInString(before[0]); letters > 1 || letters == 1 && stopLanguages()[before[0]]&1 == 0 {
			s.known(before[0], before[0]+firstLetter, func(string, int) { known = true })
		}
		if known {
			ways = append(ways, s.endings(before, together[at:], languages)...)
		}
	}
	return ways
}

// endings finds the phrases in scope of some terms with a last one, or with another form of that.
func (s *searcher) endings(before phrase, last string, languages uint32) (ways []alternative) {
	ends := []candidate{{term: last}}
	if inflects(last) {
		ends = append(ends, s.forms(last, "", languages)...)
	}
	for i := 0; languages>>i != 0; i++ {
		switch stem := stemOf(i, last); {
		case languages>>i&1 == 0:
		case inflects(last) && stem != last: // it may be too short for s.forms, such as up
			ends = append(ends, candidate{term: stem})
		case len(last) == 2 && last[0] >= 'a': // two letters, not digits
			s.known(last, last+lastLetter, func(other string, _ int) {
				if stemOf(i, other) == last {
					ends = append(ends, candidate{term: other})
				}
			})
		}
	}
	for _, end := range ends {
		way := alternative{append(slices.Clone(before), end.term), formWeight, end.only}
		isKnown := func(a alternative) bool { return slices.Equal(a.phrase, way.phrase) }
		if s.occurs(way) && !slices.ContainsFunc(ways, isKnown) {
			ways = append(ways, way)
		}
	}
	return ways
}

// inexact lists the forms in which a word occurs if they may be other words: the word itself does not occur, and neither it nor a form is a
// prefix of the other or an irregular form of it. They only have the same stem in some language, as terminal and the German Termine.
func (s *searcher) inexact(u *unit) (as []string) {
	word := strings.Join(u.phrase, "")
	for i, a := range u.alternatives {
		if form := strings.Join(a.phrase, ""); s.occurs(a) {
			if i == 0 || strings.HasPrefix(form, word) || strings.HasPrefix(word, form) || areIrregular(word, form) {
				return nil
			}
			as = append(as, strings.Join(a.phrase, " "))
		}
	}
	return as
}
