package propose

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// readListed reads the word of an ask that is a flag of its stream or a value of a field with few values, and makes it a condition. A flag
// that the ask denies becomes a condition for the opposite. A value that it denies becomes a count by the field, as no filter leaves out a
// value. It returns false if no source has all fields of the conditions, or if it is unclear which of several flags is denied.
func (s *search) readListed(ctx context.Context, a *ask) bool {
	words := s.listable(a)
	field, value, word := s.listedWord(ctx, a, words)
	switch isText := strings.HasPrefix(value, `"`); {
	case a.not != "" && (field == "" || isText):
		s.readEachValue(a, field)
		return true
	case field == "":
		return true
	case a.not != "":
		value = strconv.FormatBool(value != "true")
	}
	a.says = cmp.Or(a.says, listedSentence(a, field, value, word))
	a.flag, a.where = word, a.where.With(field, value)
	if !s.readFlags(a, relax.Without(slices.Concat(words, a.left), word)) {
		return false
	}
	suiting := s.suiting(a, a.where)
	lacks := func(source known.Source) bool { return !source.HasAll(a.where, s.Schema().Document) }
	a.party.sources = slices.DeleteFunc(a.party.sources, lacks)
	if len(suiting) == 0 || a.party.name != "" && len(a.party.sources) == 0 {
		return false
	}
	a.sources = suiting
	for _, child := range a.source().Children {
		if !has(a.query, having) && fields.Calls(word, child.Target) {
			a.parts = child.Target
		}
	}
	a.explain(append(strings.Fields(word), word)...)
	a.left = slices.DeleteFunc(a.left, func(word string) bool { return written.StateWord(word) == field })
	if a.kind == sums {
		a.explain(refunds...)
	}
	return true
}

// readFlags reads the further flags that an ask names. It is false if one of several is denied, as it is not certain which.
func (s *search) readFlags(a *ask, words []string) bool {
	for {
		field, value, word := foreign.FlagNamed(a.source().Fields(s.Schema().Document), words)
		if field == "" || a.not != "" {
			return field == ""
		}
		words = relax.Without(words, word)
		a.where = a.where.With(field, value)
		a.explain(word)
	}
}

// listable returns the words of an ask that may be a flag or a value: those that are left or that say nothing else, as in mails that I have
// not read, and for records without another sign of a condition only those that no record has.
func (s *search) listable(a *ask) []string {
	words := a.left
	if a.not != "" || a.kind == counts {
		words = slices.DeleteFunc(slices.Clone(a.words), func(word string) bool {
			return !slices.Contains(a.left, word) && len(relax.Telling([]string{word})) > 0
		})
	}
	isCondition := has(s.Rest, having) || a.not != "" || len(a.amount.Bounds) > 0
	if a.kind == records && !isCondition && len(s.absent) > 0 {
		words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !s.isAbsent(word) })
	}
	return words
}

// mayReadValues reports whether an ask may read the values of fields to find one of some words.
func (s *search) mayReadValues(ctx context.Context, a *ask, words []string) bool {
	if a.not != "" {
		return len(a.left) > 0 && len(words) == 1
	}
	return len(a.left) > 0 && len(words) > 0 &&
		(a.kind != records || len(a.amount.Bounds) > 0 || a.party.name != "" || s.findsLittle(ctx))
}

// listedSentence returns that a word is a condition, by a field with a value.
func listedSentence(a *ask, field, value, word string) string {
	field, stream := quote.Names([]string{field}, 1), quote.Names([]string{a.source().Stream}, 1)
	if strings.HasPrefix(value, `"`) {
		text, _ := rs.AsText(value) // the value, as the word may be another form of it: cancelled for storniert
		return quote.Text(text) + " is a value of " + field + " in " + stream + ": "
	}
	if a.not != "" {
		return quote.Text(word) + " is denied, so " + field + " of " + stream + " must be " + value + ": "
	}
	return quote.Text(word) + " is what " + field + " of " + stream + " says: "
}

// listedWord finds the word that is a flag of the stream of an ask or, if it may read, a value, or a form of a value, of one of the first
// fields of it that may have a closed list of values.
func (s *search) listedWord(ctx context.Context, a *ask, words []string) (field, value, word string) {
	var all []rs.SchemaField
	for _, source := range a.sources {
		all = append(all, source.Fields(s.Schema().Document)...)
	}
	if field, value, word = foreign.FlagNamed(all, words); field != "" {
		return field, value, word
	}
	for _, f := range all { // all-day, of which each word is a common one
		stated := strings.TrimPrefix(strings.TrimPrefix(written.Snake(f.Name), "is_"), "has_")
		phrase := strings.ReplaceAll(stated, "_", " ")
		isFlag := f.Granted && f.Exact && strings.HasPrefix(f.Type, "boolean")
		if isFlag && phrase != stated && strings.Contains("_"+written.Snake(a.query)+"_", "_"+stated+"_") {
			return f.Name, "true", phrase
		}
	}
	if !s.mayReadValues(ctx, a, words) {
		return "", "", ""
	}
	all = slices.DeleteFunc(all, func(f rs.SchemaField) bool { // of a sender or a merchant, which is read as one
		return slices.ContainsFunc(a.sources, func(source known.Source) bool { return f.Name == source.Author || f.Name == source.Payee })
	})
	field, value, word = s.valueWord(ctx, a, known.ListedFields(all, false, maxListedFields), words, isForm)
	if field != "" || a.kind == records || a.kind == byTime { // a search finds the records by their words, but no number of them
		return field, value, word
	}
	return s.valueWord(ctx, a, known.ListedFields(all, true, maxListedFields), words, isSame)
}

// valueWord reads the values of some fields of the stream of an ask and finds the word that is one.
func (s *search) valueWord(
	ctx context.Context, a *ask, names, words []string, is func(word, value string) bool,
) (field, value, word string) {
	scope := rs.Scope{Stream: a.source().Stream, ConnectionID: cmp.Or(a.connection, s.Scope.ConnectionID)}
	if len(a.sources) == 1 {
		scope.ConnectionID = cmp.Or(scope.ConnectionID, a.source().Connection.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	values := make([][]aggregate.Group, len(names))
	read.All(ctx, len(names), func(ctx context.Context, i int) {
		values[i], _ = aggregate.GroupsOf(ctx, s.RS, scope, names[i], maxListedValues)
	})
	for i, field := range names {
		for _, g := range values[i] {
			text, isText := g.Text()
			at := slices.IndexFunc(words, func(word string) bool { return is(word, text) })
			if isText && at >= 0 {
				return field, g.Key, words[at]
			}
			said := strings.Fields(text) // several, such as Eating Out
			if isText && len(relax.Without(said, words...)) < len(said) && strings.Contains(between(a.query), between(text)) {
				return field, g.Key, text
			}
		}
	}
	return "", "", ""
}

// isSame reports whether a word is a value or a name, such as grocery for Groceries.
func isSame(word, value string) bool {
	return strings.EqualFold(word, value) || strings.EqualFold(relax.OtherForm(word), value)
}

// isForm reports whether a word is a form of a value: a state in another language, a language or a currency by its name, the end of a kind
// of files, such as PDFs for application/pdf, or the infinitive of a state.
func isForm(word, value string) bool {
	const infinitive, ending = 4, 3 // letters of a verb, and those that it may lack
	lower, state := written.StateWord(word), written.StateWord(value)
	kind := value[strings.LastIndexByte(value, '/')+1:]
	isVerb := len(lower) >= infinitive && strings.HasPrefix(state, lower) && strings.HasSuffix(state, "ed")
	isInfinitive := isVerb && len(state)-len(lower) <= ending
	return written.IsForm(lower, relax.OtherForm(lower), state) || isInfinitive || written.Code(word) == value ||
		kind != value && strings.TrimSuffix(lower, "s") == kind
}

const maxListedValues = 30 // of a field that are read to find the one that a query names
