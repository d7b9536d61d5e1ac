// Package relax has the rules for a search that requires all words and found no record: which words to search for one by one, and how to
// merge what they find. Its functions are pure; package tools makes the reads.
package relax

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Words returns the terms that a query is about, as written and in their order: its words without those that are common in its language,
// and its quoted phrases with their quotes. It leaves out excluded words (-word). If all words are common, it returns all. No term occurs
// twice.
func Words(query string) []string {
	terms, _ := split(query)
	if content := content(terms); len(content) > 0 {
		return texts(content)
	}
	return texts(terms)
}

// All returns all terms of a query.
func All(query string) []string {
	terms, _ := split(query)
	return texts(terms)
}

// Topic returns the terms of [Words] without [sayNothing]; none for a question about everything, such as what is on.
func Topic(query string) []string {
	terms, _ := split(query)
	return slices.DeleteFunc(texts(content(terms)), func(word string) bool { return sayNothing[written.Folded(word)] })
}

// content returns the terms that are not common words of their language.
func content(terms []term) []term {
	common := stopWords(terms)
	var kept []term
	for i, t := range terms {
		occasion := i > 0 && occasions[t.folded] && beforeOccasions[terms[i-1].folded]
		if t.phrase || !common[t.folded] && !framing[t.text] && !occasion {
			kept = append(kept, t)
		}
	}
	return kept
}

func texts(content []term) (words []string) {
	seen := map[string]bool{}
	for _, t := range content {
		if !seen[t.folded] {
			seen[t.folded] = true
			words = append(words, t.text)
		}
	}
	return words
}

// Together returns the words that a query is about, to search for together; "" if the query is the same, or is about one word.
func Together(query string) string {
	terms, _ := split(query)
	words := Words(query)
	shortened := strings.Contains(straight(query), "'") // [bareWord] may have removed a part
	if len(words) < 2 || len(words) == len(terms) && !shortened {
		return ""
	}
	return strings.Join(words, " ")
}

var (
	// framing are question words and articles of other languages that are not English words. With a capital they may be part of a name.
	framing = lexicon.Of("framing")
	// occasions are words for one of several times. After a word such as last they have no meaning for a search.
	occasions       = lexicon.Of("occasion")
	beforeOccasions = lexicon.Of("before-occasion")
)

// A term is a word of a query, or a quoted phrase or a version.
type term struct {
	text   string // as written, a phrase with its quotes
	folded string // in lower case
	phrase bool
}

// split returns the words and phrases of a query, and the words that it excludes, each with its minus, as written.
func split(query string) (terms []term, excluded []string) {
	for i, part := range strings.Split(straight(query), `"`) {
		words := strings.Fields(part)
		if i%2 == 1 { // between quotes
			if text := `"` + strings.Join(words, " ") + `"`; len(words) > 0 {
				terms = append(terms, term{text: text, folded: strings.ToLower(text), phrase: true})
			}
			continue
		}
		for _, field := range words {
			if len(field) > 1 && field[0] == '-' && inWord([]rune(field[1:])[0]) {
				excluded = append(excluded, field)
				continue
			}
			if number := strings.Trim(field, ".,;:!?()"); strings.Contains(number, ".") && version().MatchString(number) {
				number = `"` + number + `"`
				terms = append(terms, term{text: number, folded: strings.ToLower(number), phrase: true})
				continue
			}
			words := strings.FieldsFunc(field, func(r rune) bool { return !inWord(r) })
			if isCommon := func(word string) bool { return languages[0][strings.ToLower(word)] }; strings.Contains(field, "-") &&
				!slices.ContainsFunc(words, func(word string) bool { return !isCommon(word) }) { // one-to-one is not common
				words = []string{strings.Join(words, "-")}
			}
			for _, word := range words {
				if word = bareWord(word); word != "" {
					terms = append(terms, term{text: word, folded: strings.ToLower(word)})
				}
			}
		}
	}
	return terms, excluded
}

// version matches a number with dots, such as 4.3, but not a date. As several words it would be that of another version.
var version = written.Expression(`^\pL?[0-9]+(?:\.[0-9]{1,3})+$`)

// straight replaces typographic quotes and apostrophes.
var straight = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "’", "'", "‘", "'").Replace

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\''
}

// bareWord returns a word without apostrophes around it, the ending of an English genitive and a French article.
func bareWord(word string) string {
	word = strings.Trim(word, "'")
	if before, after, ok := strings.Cut(word, "'"); ok && len(after) > 2 && elided[strings.ToLower(before)] {
		word = after
	}
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "'S")
}

// elided are the French words that end in an apostrophe, such as l'.
var elided = lexicon.Of("elided")

// stopWords returns the common words of the language in which most of the terms are common. That is English unless two terms indicate
// another language: a single one, such as son, may be an English word.
func stopWords(terms []term) map[string]bool {
	best, most := languages[0], 1
	for _, language := range languages {
		common := 0
		for _, t := range terms {
			if !t.phrase && language[t.folded] {
				common++
			}
		}
		if common > most {
			best, most = language, common
		}
	}
	return best
}

// languages has the common words of each known language, English first.
var languages = lexicon.ByLanguage("common")

// Choose returns at most most words to search for one by one: phrases first, then long words, since nothing tells how rare a word is before
// the search for it.
func Choose(words []string, most int) []string {
	chosen := slices.Clone(words)
	slices.SortStableFunc(chosen, func(a, b string) int { return weight(b) - weight(a) })
	return chosen[:min(most, len(chosen))]
}

func weight(word string) int {
	n := len([]rune(word))
	if strings.HasPrefix(word, `"`) {
		n += 1000
	}
	return n
}

// Excluded returns the words that a query excludes, each with its minus, as written.
func Excluded(query string) []string {
	_, words := split(query)
	return words
}

// Phrase reports whether a query is one quoted phrase, which is meant literally.
func Phrase(query string) bool {
	terms, _ := split(query)
	return len(terms) == 1 && terms[0].phrase
}

// Same reports whether a word alone is the whole query.
func Same(word, query string) bool {
	return strings.EqualFold(word, strings.TrimSpace(straight(query)))
}

// OtherForm returns another form of a word, such as the singular of a plural, for a resource server that matches only the written form; ""
// if no rule applies. Phrases, numbers and short words have none.
func OtherForm(word string) string {
	if utf8.RuneCountInString(word) < 4 || strings.ContainsAny(word, "\"0123456789") || // the rules are about Latin letters
		strings.ContainsFunc(word, func(r rune) bool { return r > 0x24f }) {
		return ""
	}
	lower := strings.ToLower(word)
	for _, rule := range []struct {
		ending, instead string
		stem            int // the least number of characters before the ending
	}{
		{"ies", "y", 3}, {"sses", "ss", 2}, {"ches", "ch", 2}, {"shes", "sh", 2}, {"xes", "x", 2}, {"ungen", "ung", 3}, {"ss", "sses", 2},
		{"us", "", 99}, {"is", "", 99}, {"s", "", 3}, {"ying", "y", 3}, {"ing", "", 4}, {"ied", "y", 3}, {"ed", "", 4}, {"ung", "ungen", 3}, {"y", "ies", 3},
	} {
		stem, ok := strings.CutSuffix(lower, rule.ending)
		switch {
		case !ok:
		case utf8.RuneCountInString(stem) < rule.stem:
			return ""
		default:
			return undouble(stem, rule.ending) + rule.instead
		}
	}
	return lower + "s"
}

// undouble turns plann into plan, for endings that double the consonant before them.
func undouble(stem, ending string) string {
	if n := len(stem); (ending == "ing" || ending == "ed") && n > 3 && stem[n-1] == stem[n-2] && !strings.ContainsRune("lsz", rune(stem[n-1])) {
		return stem[:n-1]
	}
	return stem
}

// sayNothing are words of a question about everything in a period, without accents.
var sayNothing = lexicon.Of("says-nothing")

// doings are words for what was done with the subject of a question, and for that subject. Records need not have them, nor [pasts].
var doings = lexicon.Of("doing")

// Telling returns those of some words that say what a question is about, without [sayNothing] and what was done with it.
func Telling(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		lower := strings.ToLower(word)
		return sayNothing[written.Folded(word)] || doings[lower] || pasts[lower]
	})
}

// AsksPast reports whether a question is about what has been, by its verbs.
func AsksPast(query string) bool {
	terms, _ := split(query)
	common := func(language map[string]bool) (n int) {
		for _, t := range terms {
			if language[t.folded] {
				n++
			}
		}
		return n
	}
	return slices.ContainsFunc(terms, func(t term) bool {
		return pasts[t.folded] || t.folded == "was" && common(languages[0]) > common(languages[1]) // in German it is what
	})
}

var pasts = lexicon.Of("past")

// Without returns words without others, ignoring case.
func Without(words []string, others ...string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(word, other) })
	})
}

// Keep returns a query with some of its words only, as written there, and with its phrases and excluded words.
func Keep(query string, words []string) string {
	var kept []string
	within := false // within a phrase
	for field := range strings.FieldsSeq(straight(query)) {
		phrase := within || strings.Contains(field, `"`)
		within = within != (strings.Count(field, `"`)%2 == 1)
		terms, excluded := split(field)
		isKept := func(t term) bool { return slices.Contains(words, t.text) }
		if phrase || len(excluded) > 0 || slices.ContainsFunc(terms, isKept) {
			kept = append(kept, strings.TrimRight(field, ".,;:!?"))
		}
	}
	return strings.Join(kept, " ")
}

// IsHead reports whether a word of a query is a noun by itself: another of some words does not follow it, as in "order confirmation".
func IsHead(query, word string, words []string) bool {
	terms, _ := split(query)
	at := slices.IndexFunc(terms, func(t term) bool { return t.text == word })
	return at >= 0 && (at+1 == len(terms) || !slices.Contains(words, terms[at+1].text))
}

// Excluding returns some words of a query as a search for them, with a minus before the one word behind not, a word that excludes it. It
// returns nil if that is not one of them or not the only one behind not, or if no others are left to look for.
func Excluding(query, not string, words []string) (search []string) {
	terms, _ := split(query)
	at := slices.IndexFunc(terms, func(t term) bool { return strings.EqualFold(t.text, not) })
	if at < 0 {
		return nil
	}
	all := content(terms)
	behind := Without(texts(slices.DeleteFunc(terms[at:], func(t term) bool { return !slices.Contains(all, t) })), not)
	if others := Without(words, append(behind, not)...); len(behind) == 1 && len(others) > 0 && slices.Contains(words, behind[0]) {
		return append(others, "-"+behind[0])
	}
	return nil
}

// ExclusionNote says of a query with an excluded word what a search of single records leaves out; "" for any other query.
func ExclusionNote(query string) string {
	if !strings.Contains(query, "-") && !strings.Contains(query, " NOT ") {
		return ""
	}
	_, excluded := split(query)
	isWord := func(word string) bool { return unicode.IsLetter([]rune(word)[1]) } // -5 is a number
	if !slices.ContainsFunc(excluded, isWord) && !strings.Contains(query, " NOT ") {
		return ""
	}
	return "An excluded word leaves out the records that have it themselves: a message stays if only its body or thread has it."
}
