package foreign

import (
	"cmp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// otherQuotes matches a phrase in quotation marks that are not straight. Phrased makes them straight.
var otherQuotes = written.Expression(`[“”„«]\s*([^“”„«»"]+?)\s*[“”»]`)

// Phrased moves into the query what other arguments ask of its words: to be found as a phrase, as with exact, or not at all.
func Phrased(args rs.Object) rs.Object {
	q, name := QueryOf(args)
	if name == "" {
		return args
	}
	asked := q
	if strings.ContainsAny(q, "“”„«»") {
		q = otherQuotes().ReplaceAllString(q, `"$1"`)
	}
	for _, m := range args {
		text, _ := rs.AsText(m.Value)
		switch asks := written.Snake(m.Name); {
		case excludingNames[asks]:
			if words := excludedBy(m.Value); words != "" {
				q, args = q+words, args.Without(m.Name)
			}
		case exactNames[asks] && (written.Truth(m.Value) == "true" || exactWords[written.Snake(text)]):
			if !strings.Contains(q, `"`) {
				q = `"` + q + `"`
			}
			args = args.Without(m.Name)
		}
	}
	if q == asked {
		return args
	}
	return args.With(name, rs.EncodeJSON(q))
}

// excludedBy returns the words that the value of an argument such as exclude leaves out of a search, each as " -word"; "" for none.
func excludedBy(value string) (words string) {
	list, isText := written.Text(value)
	if rs.Kind(value) == "array" {
		list = value
	} else if !isText {
		return ""
	}
	for _, text := range written.Names(list) {
		switch {
		case written.Truth(rs.EncodeJSON(text)) != "" || strings.ContainsAny(text, `":`):
			return ""
		case strings.Contains(text, " "):
			words += ` -"` + text + `"`
		case text != "":
			words += " -" + text
		}
	}
	return words
}

var excludingNames = written.Set("exclude excluding not without must_not exclude_words exclude_terms " +
	"excluded_words not_words exclude_keywords negative_keywords negative_terms none_of")

var (
	exactNames = written.Set("mode match match_type match_mode search_type search_mode exact " +
		"exact_match exact_phrase is_phrase phrase_match phrase_search")
	exactWords = written.Set("exact exact_match exact_phrase phrase match_phrase phrase_match literal")
)

// queryTerm matches a word, a phrase, a bracket or the sign for "or" in a query.
var queryTerm = written.Expression(`[^\s"()|]*"[^"]*"|[()]|\|+|[^\s"()|]+`)

// Alternatives returns how many searches a query with phrases needs, as "a" OR "b" needs two, and the query of the first; "" if that is
// unclear. A search finds records that have all of its phrases.
func Alternatives(q string) (first string, calls int) {
	if strings.Count(q, `"`) < 2 {
		return q, 1
	}
	t := queryTerms{left: queryTerm().FindAllString(q, -1)}
	first, calls = t.any()
	for len(t.left) > 0 { // after a bracket that none opened
		t.next()
		_, more := t.any()
		calls += more
	}
	if t.unclear {
		first = ""
	}
	return first, calls
}

// mostCalls limits the number of searches that the brackets of one alternative multiply to, so that it cannot overflow.
const mostCalls = 1000

type queryTerms struct {
	last    string // the term that was read last
	left    []string
	unclear bool // a part in brackets is denied
}

func (t *queryTerms) next() string {
	t.last, t.left = t.left[0], t.left[1:]
	return t.last
}

// separates reports whether the next term begins another alternative. In small letters, "or" does so next to a phrase.
func (t *queryTerms) separates() bool {
	beside := strings.HasSuffix(t.last, `"`) || len(t.left) > 1 && strings.HasSuffix(t.left[1], `"`)
	return t.left[0] == "OR" || t.left[0][0] == '|' || beside && orWords[strings.ToLower(t.left[0])]
}

var orWords = lexicon.Of("either")

// any reads alternatives up to the end of their bracket.
func (t *queryTerms) any() (first string, calls int) {
	for first, calls = t.all(); len(t.left) > 0 && t.left[0] != ")"; {
		t.next()
		other, more := t.all()
		first, calls = cmp.Or(first, other), calls+more
	}
	return first, calls
}

// all reads terms that must all be found. It finds no search without a term.
func (t *queryTerms) all() (terms string, calls int) {
	for len(t.left) > 0 && t.left[0] != ")" && !t.separates() {
		before, several := t.last, 1
		term := t.next()
		if term == "(" {
			t.unclear = t.unclear || before == "-" || before == "NOT"
			if term, several = t.any(); len(t.left) > 0 {
				t.next()
			}
		}
		if term == "AND" || term == "NOT" || term == "" {
			continue
		}
		if before == "NOT" {
			term = "-" + term
		}
		terms, calls = strings.TrimSpace(terms+" "+term), min(max(1, calls)*several, mostCalls)
	}
	return terms, calls
}
