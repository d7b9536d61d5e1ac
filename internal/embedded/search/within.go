package search

import (
	"database/sql"
	"slices"
	"unicode/utf8"
)

// Bounds of what is said of words that contain one that occurs nowhere.
const (
	maxContaining     = 6  // words for one
	maxContainingRead = 48 // words whose records are looked at
	maxMissing        = 4  // words for which that is done: each reads all words of the store
	leastContained    = 3  // letters of such a word
)

// findContaining finds for words that occur nowhere those in scope that begin with them or else contain them, the most frequent first: what
// ends or begins otherwise than its caller expects is not missing.
func (s *searcher) findContaining() error {
	looked := 0
	for i := range s.query.units {
		u := &s.query.units[i]
		word := u.phrase.word()
		if u.light || i >= maxUnits || u.records > 0 || utf8.RuneCountInString(word) < leastContained || looked == maxMissing {
			continue
		}
		looked++
		var terms []string
		const query = "SELECT term FROM " + wordTable + " WHERE instr(term, ?1) > 0 ORDER BY instr(term, ?1) > 1, records DESC, term LIMIT ?2"
		err := s.each(query, []any{word, maxContainingRead}, func(rows *sql.Rows) error {
			var term string
			err := rows.Scan(&term)
			terms = append(terms, term)
			return err
		})
		if err != nil {
			return err
		}
		found := Replacement{Word: u.text}
		for _, term := range terms {
			if len(found.As) == maxContaining {
				break
			}
			if term == word || slices.Contains(u.nearest, term) {
				continue
			}
			places, err := s.postings(phrase{term})
			if err != nil {
				return err
			}
			if len(places) > 0 { // it occurs where the grant shows it
				found.As = append(found.As, term)
			}
		}
		if len(found.As) > 0 {
			s.result.Containing = append(s.result.Containing, found)
		}
	}
	return nil
}
