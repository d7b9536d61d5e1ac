package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A phrase is terms that must stand together: of one word, or of a quoted phrase. The last may be anyEnding: then words that begin with the
// term before it stand for that.
type phrase []string

// anyEnding is no term: terms hold letters, numbers and symbols alone.
const anyEnding = "*"

// A unit is a word or a quoted phrase of a query, as the caller wrote it first.
type unit struct {
	text   string
	phrase phrase
	quoted bool // every hit must have it, exactly

	light bool // it carries no weight: a stop word, or part of a time
	time  bool // it is light as part of a time

	alternatives []alternative // what stands for it in records, the exact words first
	records      int           // how many records in scope have it
	common       bool          // so many that it only ranks what others found
	nearest      []string      // the words in its place, because it occurs nowhere
}

// An alternative is a phrase that stands for a unit, with the weight of a match.
type alternative struct {
	phrase phrase
	weight float32
}

// A query is what a caller asked, in parts.
type query struct {
	units    []unit
	excluded []phrase
}

// maxUnits is how many different words of a query are looked for one by one. The rest counts only for records that have all words.
const maxUnits = 64

// parseQuery reads words, "quoted phrases" and -excluded ones, which NOT before them excludes too, and words* with any ending. Nothing else
// in a query is an operator.
func parseQuery(text string) query {
	var q query
	text = withMinus(text)
	for i, part := range strings.Split(text, `"`) {
		words, quoted := []string{part}, i%2 == 1
		if !quoted {
			words = strings.Fields(part)
		}
		for _, word := range words {
			p := phraseOf(word)
			switch {
			case len(p) == 0:
			case quoted && i > 0 && excludesPhrase(text, i), !quoted && isExclusion(word):
				q.excluded = append(q.excluded, p)
			case slices.ContainsFunc(q.units, func(u unit) bool { return u.quoted == quoted && slices.Equal(u.phrase, p) }):
			default:
				q.units = append(q.units, unit{text: p.bare(word), phrase: p, quoted: quoted})
			}
		}
	}
	if len(q.units) == 0 { // only exclusions: nothing to look for
		q.excluded = nil
	}
	return q
}

var notBefore = regexp.MustCompile(`(^|\s)NOT\s+(["\pL])`)

// withMinus writes a minus for a NOT, unless the whole query is in capitals, in which it may be a word.
func withMinus(text string) string {
	if !strings.ContainsFunc(text, unicode.IsLower) {
		return text
	}
	parts := strings.Split(text, `"`)
	for i := 0; i < len(parts); i += 2 {
		before := parts[i]
		if i+1 < len(parts) {
			before += `"`
		}
		parts[i] = strings.TrimSuffix(notBefore.ReplaceAllString(before, "$1-$2"), `"`)
	}
	return strings.Join(parts, `"`)
}

func isPunctuation(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.Is(unicode.So, r)
}

// isExclusion reports a word with a minus in front. A number with one is a number.
func isExclusion(word string) bool {
	rest, ok := strings.CutPrefix(word, "-")
	return ok && strings.IndexFunc(rest, unicode.IsLetter) == 0
}

// excludesPhrase reports whether a minus stands right before the quoted part of that number.
func excludesPhrase(text string, part int) bool {
	before := strings.Join(strings.Split(text, `"`)[:part], `"`)
	rest, ok := strings.CutSuffix(before, "-")
	return ok && (rest == "" || strings.HasSuffix(rest, " ") || strings.HasSuffix(rest, `"`))
}

func phraseOf(text string) phrase {
	var p phrase
	for _, t := range Terms(text) {
		p = append(p, t.Text)
	}
	if text = strings.TrimSpace(text); len(p) > 0 && len(p[len(p)-1]) > 1 && strings.HasSuffix(text, anyEnding) &&
		!strings.HasPrefix(text, anyEnding) { // *so* is emphasis
		p = append(p, anyEnding)
	}
	return p
}

// prefix returns the terms of a phrase, and whether the last of them may have any ending.
func (p phrase) prefix() (phrase, bool) {
	if last := len(p) - 1; p[last] == anyEnding {
		return p[:last], true
	}
	return p, false
}

// bare is what the caller wrote for a phrase, without the punctuation around it.
func (p phrase) bare(text string) string {
	text = strings.TrimFunc(text, isPunctuation)
	if _, any := p.prefix(); any {
		text += anyEnding
	}
	return text
}

// word is the one word of a phrase, without an ending that it leaves open; "" where it has several.
func (p phrase) word() string {
	if p, _ = p.prefix(); len(p) == 1 {
		return p[0]
	}
	return ""
}

// expression spells a phrase for FTS5. Terms hold letters, numbers and symbols alone, and stand in quotes: nothing of a query is
// read as an operator.
func (p phrase) expression() string {
	terms, any := p.prefix()
	expression := `"` + strings.Join(terms, " ") + `"`
	if any {
		expression += " " + anyEnding
	}
	return expression
}

// isMay reports whether a word is the month of May, or the name: with a capital, and not at the beginning of a question ("May I …").
func (q *query) isMay(i int) bool {
	return q.units[i].text == "May" && (i > 0 || len(q.units) > 1 &&
		!slices.ContainsFunc(q.units[1].phrase, func(term string) bool { return stopLanguages()[term] != 0 }))
}
