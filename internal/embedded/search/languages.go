package search

import (
	_ "embed" // stopWords
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

// languages are the recognized languages, by their stemmers. In a set of languages, bit i is languages[i]: English is bit 0.
var languages = [...]func(*snowballstem.Env) bool{
	english.Stem, german.Stem, french.Stem, spanish.Stem, italian.Stem, portuguese.Stem, dutch.Stem, swedish.Stem, danish.Stem, norwegian.Stem,
	finnish.Stem, russian.Stem,
}

// stopWords has a paragraph for each of languages: the name of the language, and its words that are too common to find anything, as [Terms]
// folds them.
//
//go:embed stopwords.txt
var stopWords string

// stopLanguages maps a term to the set of languages in which it is a stop word. It is computed by the first search, to keep startup fast.
var stopLanguages = sync.OnceValue(func() map[string]uint32 {
	words := map[string]uint32{}
	for i, paragraph := range strings.Split(stopWords, "\n\n") {
		_, some, _ := strings.Cut(paragraph, ": ")
		for _, t := range Terms(some) {
			words[t.Text] |= 1 << i
		}
	}
	return words
})

// irregularWords has a paragraph for each language with irregular words, in the order of languages: groups of forms that do not share a
// stem, such as buy and bought. Left out are forms that usually are another word, such as saw.
//
//go:embed irregular.txt
var irregularWords string

// irregularForms maps a stem in one of languages to the forms of its word. Like stopLanguages, it is computed by the first search.
var irregularForms = sync.OnceValue(func() (groups [len(languages)]map[string][]string) {
	for i, paragraph := range strings.Split(irregularWords, "\n\n") {
		groups[i] = map[string][]string{}
		_, some, _ := strings.Cut(paragraph, ": ")
		for group := range strings.SplitSeq(some, ",") {
			forms := textsOf(words(group))
			for _, form := range forms {
				groups[i][stemOf(i, form)] = forms
			}
		}
	}
	return groups
})

// stemsOf maps the stems of a term's forms in a language to the prefix of all terms with that stem.
func stemsOf(at int, term string) map[string]string {
	stem := stemOf(at, term)
	stems := map[string]string{stem: sharedStart(term, stem)}
	for _, form := range irregularForms()[at][stem] {
		if other := stemOf(at, form); other != stem {
			stems[other] = sharedStart(form, other)
		}
	}
	return stems
}

func areIrregular(word, form string) bool {
	for at, groups := range irregularForms() {
		if groups != nil && slices.Contains(groups[stemOf(at, word)], form) {
			return true
		}
	}
	return false
}

// guessLanguages returns the set of languages that have the most stop words among terms, and how many: none if there are no stop words.
func guessLanguages(terms []string) (guess uint32, most int) {
	counts, stops := [len(languages)]int{}, stopLanguages()
	for _, t := range terms {
		for i, bits := 0, stops[t]; bits != 0; i, bits = i+1, bits>>1 {
			counts[i] += int(bits & 1)
		}
	}
	most = slices.Max(counts[:])
	for i, n := range counts {
		if n == most && n > 0 {
			guess |= 1 << i
		}
	}
	return guess, most
}

// mostSpoken returns the languages of at least a quarter of the texts, as far as these are known.
func mostSpoken(texts [len(languages)]int) (most uint32) {
	all := 0
	for _, n := range texts {
		all += n
	}
	for i, n := range texts {
		if n > 0 && 4*n >= all {
			most |= 1 << i
		}
	}
	return most
}

// ContentWords returns the words of a query without the stop words of its language, or the query if it has no others.
func ContentWords(query string) string {
	content := textsOf(words(query))
	guess, _ := guessLanguages(content)
	content = slices.DeleteFunc(content, func(word string) bool { return stopLanguages()[word]&guess != 0 })
	if len(content) == 0 {
		return query
	}
	return strings.Join(content, " ")
}

func stemOf(at int, term string) string {
	env := snowballstem.NewEnv(term)
	languages[at](env)
	return env.Current()
}

// inflects reports whether a term may have other forms: numbers, short words and scripts without an alphabet do not.
func inflects(term string) bool {
	return len(term) >= 3 && !strings.ContainsFunc(term, func(r rune) bool { return r >= '0' && r <= '9' || isUnspaced(r) })
}

// sharedStart returns the prefix of all forms of a term: what it has in common with its stem in a language, without the last letter if that
// is longer than four, because some endings replace it ("happy", "happier").
func sharedStart(term, stem string) string {
	a, b := []rune(term), []rune(stem)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if n > 4 {
		n--
	}
	return string(a[:n])
}

// Articles, prepositions and conjunctions that are written together with the word after them.
var (
	arabicArticles = strings.Fields("ال و ف ب ك ل وال فال بال كال لل ولل وب ول")
	hebrewArticles = strings.Fields("ה ו ב כ ל מ ש וה שה ול וב מה כש")
)

// leastRoot is the fewest letters of a word without its article.
const leastRoot = 3

// withArticles lists the forms of an Arabic or Hebrew term with and without these articles.
func withArticles(term string) []string {
	var articles []string
	switch r, _ := utf8.DecodeRuneInString(term); {
	case unicode.Is(unicode.Arabic, r):
		articles = arabicArticles
	case unicode.Is(unicode.Hebrew, r):
		articles = hebrewArticles
	}
	var forms []string
	roots := []string{term}
	for _, article := range articles {
		if root, ok := strings.CutPrefix(term, article); ok && utf8.RuneCountInString(root) >= leastRoot {
			roots, forms = append(roots, root), append(forms, root)
		}
	}
	for _, root := range roots {
		for _, article := range articles {
			forms = append(forms, article+root)
		}
	}
	slices.Sort(forms)
	return slices.DeleteFunc(slices.Compact(forms), func(form string) bool { return form == term })
}
