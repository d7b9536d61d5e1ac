package search

import (
	"database/sql"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lengths, in code points, from which a word that occurs nowhere may have one or two typing errors.
const (
	oneMistake  = 5
	twoMistakes = 8
	maxNearest  = 2 // words that replace one
	mostLonger  = 4 // how much longer a word may be that begins with it, such as Japanese for Japan
	perMistake  = 6 // letters for each typing error with which a word hardly means another one
)

// Distances of words that are no typing error, in the order in which they are tried after one and two of these.
const (
	asBeginning  = 3 + iota // longer words that begin with the word
	asParts                 // words of which it is composed
	asContaining            // longer words that contain it
)

// gatherNearest finds terms in scope that replace a word which occurs nowhere. It tries those with the same first letter that are one or
// two changes away, then those that begin with the word, then its parts, then longer words that contain it. The nearest come first, and the
// most frequent of equally near ones. A code, of letters and digits, is only completed. A short word with one other letter is another word
// rather than a misspelled one, as leave is for the Spanish llave, unless a capital shows that it is a name; one with an accent is of
// another language.
func (s *searcher) gatherNearest(u *unit) (found []posting) {
	word := []rune(u.phrase[0])
	code := strings.ContainsFunc(u.phrase[0], unicode.IsDigit) && strings.ContainsFunc(u.phrase[0], unicode.IsLetter)
	first, _ := utf8.DecodeRuneInString(u.text)
	isShort, isName := len(word) < perMistake, unicode.IsUpper(first)
	if s.request.AllWords || len(u.phrase) != 1 || !code && !inflects(u.phrase[0]) || len(word) < oneMistake || isShort && accented(u.text) != "" {
		return nil
	}
	allowed := 1
	switch {
	case code:
		allowed = 0
	case len(word) >= twoMistakes:
		allowed = 2
	}
	candidates := s.similar(word, allowed, isShort && !isName)
	for d := 0; d <= asContaining && len(u.nearest) == 0; d++ {
		near := slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool { return c.distance != d })
		weight, misspelt := float32(nearestWeight), d < asBeginning && len(word) >= d*perMistake
		if misspelt {
			weight = formWeight
		}
		switch {
		case code:
		case d == asParts:
			near = s.parts(u.phrase[0])
		case d == asContaining && len(word) >= shortestAlone:
			near = s.containing(u.phrase[0])
		}
		for _, c := range s.inScope(near, maxNearest) {
			u.misspelt = misspelt
			replaced := unit{alternatives: []alternative{{phrase{c.term}, weight, 0}}}
			u.nearest = append(u.nearest, c.term)
			u.alternatives = append(u.alternatives, replaced.alternatives...)
			found = append(found, s.gather(&replaced)...)
		}
	}
	return found
}

// similar returns the terms with the first letter of a word that are at most so many changes away, and with the distance asBeginning those
// that begin with it. With sameLetters, a letter in place of another is too much.
func (s *searcher) similar(word []rune, allowed int, sameLetters bool) (candidates []candidate) {
	letters := func(word string) []rune { return slices.Sorted(slices.Values([]rune(word))) }
	initial, own := string(word[:1]), letters(string(word))
	s.known(initial, initial+lastLetter, func(term string, records int) {
		more := utf8.RuneCountInString(term) - len(word)
		if more > allowed && more <= mostLonger && strings.HasPrefix(term, string(word)) {
			candidates = append(candidates, candidate{term, asBeginning, records, 0})
		}
		if max(more, -more) > allowed {
			return
		}
		isOther := sameLetters && more == 0 && !slices.Equal(letters(term), own)
		if d := distance(word, []rune(term)); d <= allowed && !isOther {
			candidates = append(candidates, candidate{term, d, records, 0})
		}
	})
	return candidates
}

// Bytes of a compound word, of each of its two parts, of a part next to one that occurs nowhere, and of what may be between parts.
const shortestCompound, shortestPart, shortestAlone, longestJoint = 10, 4, 6, 2

// parts returns the words in scope of which a word may be composed, such as the German Zahnarzttermin, of which a part may occur
// nowhere: its longest beginning and its longest end.
func (s *searcher) parts(word string) (parts []candidate) {
	isWord := func(part string) bool { return len(s.postings(phrase{part}, 0)) > 0 && stopLanguages()[part] == 0 }
	first, last := "", ""
	for at := shortestPart - 1; at <= len(word)-shortestPart+1 && len(word) >= shortestCompound; at++ {
		if at >= shortestPart && isWord(word[:at]) {
			first = word[:at]
		}
		if last == "" && at <= len(word)-shortestPart && isWord(word[at:]) {
			last = word[at:]
		}
	}
	joint := len(word) - len(first) - len(last)
	isWhole := first != "" && last != "" && joint >= 0 && joint <= longestJoint
	for _, part := range []string{first, last} {
		if len(part) >= shortestAlone || part != "" && isWhole {
			parts = append(parts, candidate{term: part})
		}
	}
	return parts
}

// distance is the fewest insertions, deletions, replacements and swaps of adjacent letters that turn one word into the other.
func distance(a, b []rune) int {
	var before []int // the row before the last
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// Limits of what is reported about words that contain one which occurs nowhere.
const (
	maxContaining     = 6   // words that are reported for one
	maxContainingRead = 480 // words whose records are read: of more, the rarest in the store are not reported
	maxMissing        = 4   // words for which this is done: each scans all words of the store
	leastContained    = 3   // fewest letters of such a word
)

// findContaining reports, for words that occur nowhere, those in scope that begin with them or else contain them, the most frequent first:
// the caller may have expected another ending or beginning.
func (s *searcher) findContaining() {
	for i, u := range s.query.units {
		word, isWhole := u.phrase.word(), len(u.written) <= len(u.phrase) // unlike Ann's, of which only Ann is looked up
		if !isWhole || !s.query.counts(i) || u.records > 0 || utf8.RuneCountInString(word) < leastContained {
			continue
		}
		all := slices.DeleteFunc(s.containing(word), func(c candidate) bool { return slices.Contains(u.nearest, c.term) })
		found := Replacement{Word: u.text}
		for _, c := range s.inScope(all, maxContaining) {
			found.As = append(found.As, c.term)
		}
		if len(found.As) > 0 {
			s.result.Containing = append(s.result.Containing, found)
		}
	}
}

// containing returns the terms of the store that contain a word: those that begin with it have distance 0. It returns none once maxMissing
// other words were looked up.
func (s *searcher) containing(word string) []candidate {
	all, known := s.contained[word]
	if known || len(s.contained) == maxMissing {
		return slices.Clone(all)
	}
	const query = "SELECT term, instr(term, ?1) > 1, records FROM " + wordTable +
		" WHERE instr(term, ?1) > 0 AND term <> ?1 ORDER BY 2, 3 DESC, 1 LIMIT ?2"
	s.each(query, []any{word, maxContainingRead}, func(rows *sql.Rows) error {
		var c candidate
		err := rows.Scan(&c.term, &c.distance, &c.records)
		all = append(all, c)
		return err
	})
	s.contained[word] = all
	return slices.Clone(all)
}
