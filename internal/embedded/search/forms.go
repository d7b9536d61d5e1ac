package search

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	formWeight    = 0.7 // of another form of a word; the word as written has 1
	nearestWeight = 0.5
	maxForms      = 16 // of one word
)

// A candidate is a term of the store that may match a word, with its edit distance from the word.
type candidate struct {
	term              string
	distance, records int
	only              uint32 // languages of the texts in which it matches; 0: all
}

// compareCandidates orders the nearest first, and equally near ones by frequency.
func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.records, a.records), cmp.Compare(a.term, b.term))
}

// inScope returns at most limit candidates that occur in scope, the nearest first, of equally near ones the most frequent in scope. The
// counts of the store include records that the grant does not show: they only decide when to stop looking.
func (s *searcher) inScope(all []candidate, limit int) (found []candidate) {
	slices.SortFunc(all, compareCandidates)
	for _, c := range all {
		if len(found) == limit && compareCandidates(found[limit-1], c) < 0 {
			break
		}
		if c.records = len(s.postings(phrase{c.term}, c.only)); c.records > 0 {
			found = append(found, c)
			slices.SortFunc(found, compareCandidates)
			found = found[:min(len(found), limit)]
		}
	}
	return found
}

// expand finds the other forms of each word that carries weight: in the language of the query if it can be guessed, else in those of the
// searched fields.
func (s *searcher) expand(guess uint32) {
	languages := guess
	if guess == 0 || guess&(guess-1) != 0 {
		for i, n := range s.texts() {
			if n == 0 {
				languages &^= 1 << i
			} else if guess == 0 {
				languages |= 1 << i
			}
		}
		languages = cmp.Or(languages, guess, 1)
	}
	divided := 0
	for _, u := range s.query.individual() {
		u.alternatives = []alternative{{u.phrase, 1, 0}}
		if s.request.AllWords || u.light || u.quoted {
			continue
		}
		if together := digitsTogether(u.text); together != "" {
			u.alternatives = append(u.alternatives, alternative{phrase{together}, 1, 0})
		}
		if len(u.written) > len(u.phrase) {
			u.alternatives = []alternative{{u.written, 1, 0}, {u.phrase, formWeight, 0}}
		}
		if way := phraseOf(pairs.Replace(strings.ToLower(norm.NFC.String(u.text)))); !slices.Equal(way, u.phrase) {
			u.alternatives = append(u.alternatives, alternative{way, 1, 0})
		}
		for _, other := range u.phrase.otherNumbers() {
			if way := phrase(strings.Fields(other)); len(s.postings(way, 0)) > 0 {
				u.alternatives = append(u.alternatives, alternative{way, formWeight, 0})
			}
		}
		if len(u.phrase) == 1 && inflects(u.phrase[0]) {
			for _, form := range s.forms(u.phrase[0], accented(u.text), languages) {
				u.alternatives = append(u.alternatives, alternative{phrase{form.term}, formWeight, form.only})
			}
		}
		if last := len(u.phrase) - 1; last > 0 && strings.Contains(u.text, "-") { // stand-ups
			u.alternatives = append(u.alternatives, s.endings(u.phrase[:last], u.phrase[last], languages)...)
		}
		if divided < maxDivided && !slices.ContainsFunc(u.alternatives, s.occurs) {
			divided++
			u.alternatives = append(u.alternatives, s.divided(u.phrase, languages)...)
		}
	}
}

// numberForm matches the terms of a number of three or more digits, with or without separated thousands, and its decimals.
var numberForm = regexp.MustCompile(`^([0-9]{3,15}|[0-9]{1,3}(?: [0-9]{3})+)( [0-9]{1,2})?$`)

// otherNumbers lists the other spellings of a number: with and without separated thousands, and without zero decimals.
func (p phrase) otherNumbers() (others []string) {
	written := strings.Join(p, " ")
	found := numberForm.FindStringSubmatch(written)
	if found == nil {
		return nil
	}
	together := strings.ReplaceAll(found[1], " ", "")
	apart := together
	for at := len(together) - 3; at > 0; at -= 3 {
		apart = apart[:at] + " " + apart[at:]
	}
	if others = []string{together + found[2], apart + found[2]}; strings.Trim(found[2], " 0") == "" {
		others = append(others, together, apart)
	}
	slices.Sort(others)
	return slices.DeleteFunc(slices.Compact(others), func(way string) bool { return way == written })
}

// texts counts the texts of each language in the searched fields.
func (s *searcher) texts() (texts [len(languages)]int) {
	for field, counts := range s.languages {
		if source := s.scope.at(field[0]); source == nil || source.weight(field[1]) == 0 {
			continue
		}
		for i, n := range counts {
			texts[i] += n
		}
	}
	return texts
}

// accented returns the folded word up to its last letter with an accent, "" if there is none.
func accented(word string) string {
	folded, end := "", 0
	for _, r := range norm.NFC.String(strings.ToLower(word)) {
		fold := foldRune(r)
		if folded += fold; fold != string(r) {
			end = len(folded)
		}
	}
	return folded[:end]
}

// forms lists the terms in scope with the same stem as term in one of the languages, the most frequent first. Terms have no accents, and a
// stem may lack the accented letter: pagué and page share one in Spanish. A term that does not begin with accented, the word up to its
// last accent, is therefore a form only in texts of that language. A common word, as not is for the German Noten, is no form of another.
func (s *searcher) forms(term, accented string, languages uint32) []candidate {
	records, only := map[string]int{}, map[string]uint32{} // by form
	usual := cmp.Or(mostSpoken(s.texts()), 1)
	for i := 0; languages>>i != 0; i++ {
		if languages>>i&1 == 0 {
			continue
		}
		for stem, start := range stemsOf(i, term) {
			if len(start) < 2 {
				continue
			}
			s.known(start, start+lastLetter, func(other string, count int) {
				if other != term && inflects(other) && stopLanguages()[other]&usual == 0 && stemOf(i, other) == stem {
					records[other] = count
					if !strings.HasPrefix(other, accented) {
						only[other] |= 1 << i
					}
				}
			})
		}
	}
	for _, other := range withArticles(term) {
		s.known(other, other+firstLetter, func(_ string, count int) { records[other] = count })
	}
	var forms []candidate
	for form, count := range records {
		forms = append(forms, candidate{form, 0, count, only[form]})
	}
	return s.inScope(forms, maxForms)
}

// lighten marks the words that carry no weight: stop words of the query's language, unless the query has no others. It returns the
// languages that the query may be in. A query is English unless it has more stop words of another language (at least two, or one of a
// language with more texts than English), because words such as "son" and "car" are also English.
func (s *searcher) lighten() uint32 {
	var terms []string
	for _, u := range s.query.units {
		if !u.quoted && !u.name {
			terms = append(terms, u.phrase...)
		}
	}
	guess, evidence := guessLanguages(terms)
	if evidence == 1 && guess&1 == 0 && !s.foreign() {
		texts := s.texts()
		for i := range texts {
			if texts[i] <= texts[0] {
				guess &^= 1 << i
			}
		}
	}
	language := guess
	if guess&1 != 0 {
		language = 1
	}
	weighty := false
	for i, u := range s.query.units {
		isName := language == 1 && strings.Contains(u.text, "-") && len(s.postings(u.phrase, 0)) > 0 || // one-to-one
			u.name && language&inGerman == 0
		isTime := language == 1 && (u.phrase.word() == "time" || u.phrase.word() == "times") &&
			slices.Contains(beforeTime, s.query.word(i-1))
		u.light = u.light || isTime || !u.quoted && !isName && u.isStop(language)
		weighty = weighty || !u.light
	}
	for _, u := range s.query.units {
		u.light = u.light && weighty
	}
	return guess
}

// inGerman is the language in which words such as Sie have a capital.
const inGerman = 1 << 1

// beforeTime are words after which time is one of several times and says nothing, as in last time.
var beforeTime = []string{"last", "first", "next", "many", "what", "which"}

// foreign reports whether at least half of the query's weighty words occur nowhere, and a stop word in it is too short (two letters at
// most) to be an English word such as "son" or "car". Then the query is in the language of that word, whatever the texts are in.
func (s *searcher) foreign() bool {
	const longest = 2 // letters
	short, words, missing := false, 0, 0
	for _, u := range s.query.units {
		switch {
		case u.quoted || u.light:
		case u.isStop(math.MaxUint32):
			short = short || utf8.RuneCountInString(u.phrase.word()) <= longest
		default:
			if words++; len(s.postings(u.phrase, 0)) == 0 {
				missing++
			}
		}
	}
	return short && 2*missing >= words && missing > 0
}

// isStop reports whether every term of a unit is a stop word of one of languages.
func (u *unit) isStop(languages uint32) bool {
	return !slices.ContainsFunc(u.phrase, func(term string) bool { return stopLanguages()[term]&languages == 0 })
}
