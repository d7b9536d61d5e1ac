package search

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A phrase is a sequence of adjacent terms: of one word, or of a quoted phrase. If the last is anyEnding, the term before it is a prefix.
type phrase []string

// anyEnding cannot be a term: terms have no punctuation.
const anyEnding = "*"

// A unit is a word or a quoted phrase of a query. Repetitions are one unit.
type unit struct {
	text    string
	phrase  phrase
	written phrase // with its possessive ending
	quoted  bool   // every hit must have it, exactly
	name    bool   // it may be a name: it has a capital and follows a word in small letters

	light bool // it carries no weight: a stop word, or part of a time
	time  bool // it is light as part of a time

	alternatives []alternative // phrases that match it, the exact words first
	records      int           // how many records in scope have it
	common       bool          // in so many records that it only ranks what others found
	nearest      []string      // words that replace it, because it occurs nowhere
	misspelt     bool          // these differ from it by a typing error, in all likelihood
}

// An alternative is a phrase that matches a unit, with the weight of the match.
type alternative struct {
	phrase phrase
	weight float32
	only   uint32 // languages of the texts in which it matches; 0: all
}

type parsedQuery struct {
	units    []*unit
	excluded []phrase
}

// maxUnits is how many units of a query are looked up individually. The others count only for records that have all words. A set of units
// has a bit for each of them and, as its last bit, timeUnit for the time that the query names.
const (
	maxUnits = 63
	timeUnit = maxUnits
)

func (q *parsedQuery) individual() []*unit { return q.units[:min(len(q.units), maxUnits)] }

// counts reports whether a unit is looked up individually.
func (q *parsedQuery) counts(i int) bool { return i < maxUnits && !q.units[i].light }

func (q *parsedQuery) bits(is func(*unit) bool) (set uint64) {
	for i, u := range q.individual() {
		if is(u) {
			set |= 1 << i
		}
	}
	return set
}

// weighty returns the set of units that carry weight. With such units beyond maxUnits no record has all of the set: which records have them
// is known only for those with the exact query.
func (q *parsedQuery) weighty() uint64 {
	isWeighty := func(u *unit) bool { return !u.light }
	if len(q.units) > maxUnits && slices.ContainsFunc(q.units[maxUnits:], isWeighty) {
		return math.MaxUint64
	}
	return q.bits(isWeighty)
}

// queryPart matches a part of a query: a quoted phrase or a word, after an optional exclusion sign, or any other word, such as a negative
// number. In a query of capitals only, NOT is a word.
const queryPart = `(%s)?(?:"([^"]*)(?:"|$)|(\pL[^\s"]*))|([^\s"]+)`

var (
	queryParts           = regexp.MustCompile(fmt.Sprintf(queryPart, `-|NOT\s+`))
	queryPartsOfCapitals = regexp.MustCompile(fmt.Sprintf(queryPart, `-`))
)

// possessive matches the possessive ending of a word, such as 's.
var possessive = regexp.MustCompile("(?i)['\u2019\u02bc`\u00b4]s([^\\pL\\pN]*)$")

// afterSmall matches a word with a capital after one in small letters of the same sentence.
var afterSmall = regexp.MustCompile(`(?:^|\s)\p{Ll}[^\s.:;?!]*\s+(\p{Lu}\pL+)`)

// dottedDate matches a text with a date, which would otherwise look like a phone number: "01.02.2026 15.30".
var dottedDate = regexp.MustCompile(`^[^+].*\d[./-]\d{1,2}[./-](?:19|20)\d\d(?:\D|$)`)

// parseQuery parses words, "quoted phrases", exclusions (-word and NOT word) and words* with any ending. Nothing else in a query is an
// operator.
func parseQuery(text string) parsedQuery {
	var q parsedQuery
	pattern := queryParts
	if !strings.ContainsFunc(text, unicode.IsLower) {
		pattern = queryPartsOfCapitals
	}
	if text = strings.TrimSpace(text); digitsTogether(text) != "" && strings.ContainsAny(text[:1], "+(0") && !dottedDate.MatchString(text) {
		q.units = append(q.units, &unit{text: text, phrase: phraseOf(text)})
		return q
	}
	names := map[string]bool{}
	for _, found := range afterSmall.FindAllStringSubmatch(text, -1) {
		names[found[1]] = true
	}
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		word, quoted := found[2]+found[3]+found[4], strings.Contains(found[0], `"`)
		written := phraseOf(word)
		p := written
		if !quoted && possessive.MatchString(word) {
			p = phraseOf(possessive.ReplaceAllString(word, ""))
		}
		switch {
		case len(p) == 0:
		case found[1] != "":
			q.excluded = append(q.excluded, p)
		case !slices.ContainsFunc(q.units, func(u *unit) bool { return u.quoted == quoted && slices.Equal(u.phrase, p) }):
			text := p.bare(word)
			q.units = append(q.units, &unit{text: text, phrase: p, written: written, quoted: quoted, name: names[text]})
		}
	}
	if len(q.units) == 0 { // only exclusions: nothing to look for
		q.excluded = nil
	}
	return q
}

func isPunctuation(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.Is(unicode.So, r)
}

func phraseOf(text string) phrase {
	p := phrase(textsOf(words(text)))
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

// bare returns the text of a phrase without the punctuation around it.
func (p phrase) bare(text string) string {
	text = strings.TrimFunc(text, isPunctuation)
	if _, any := p.prefix(); any {
		text += anyEnding
	}
	return text
}

// word returns the only term of a phrase, without anyEnding; "" if there are several.
func (p phrase) word() string {
	if p, _ = p.prefix(); len(p) == 1 {
		return p[0]
	}
	return ""
}

// word returns the folded word at an index of the query, "" for a quoted phrase and outside the query.
func (q *parsedQuery) word(i int) string {
	if i < 0 || i >= len(q.units) || q.units[i].quoted {
		return ""
	}
	return strings.Join(q.units[i].phrase, "-")
}
