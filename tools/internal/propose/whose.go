package propose

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A query may name a sender, or to whom something was paid; or several of them, as in whether Ann or Bo wrote more.

// readWhose reads which sender, or which title such as a merchant, an ask names, and the sources that have records with it; none if it
// names a different one in each. It reads the values of a few sources. It is false if an ask names several and is not for their numbers.
func (s *search) readWhose(ctx context.Context, a *ask) bool {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	values := make([][]string, min(len(a.sources), maxListedFields))
	read.All(ctx, len(values), func(ctx context.Context, i int) {
		values[i] = s.valuesOf(ctx, a.sources[i], a.sources[i].Whose())
	})
	if all := slices.Concat(values...); a.joins(all) {
		if a.group != "" { // the number for each is asked for
			return true
		}
		return s.readSeveral(a, values, a.marked(all))
	}
	for i, of := range values {
		switch name := s.Question.Names(of, a.left); {
		case name == "":
		case a.whose != "" && a.whose != name:
			a.whose, a.having = "", nil
			return true
		default:
			a.whose, a.having = name, append(a.having, a.sources[i])
		}
	}
	a.explain(relax.All(a.whose)...)
	a.left = slices.DeleteFunc(a.left, func(word string) bool { // and Ann's
		owner, _ := strings.CutSuffix(strings.TrimSuffix(between(word), "_"), "_s")
		return strings.Contains(between(a.whose), owner+"_")
	})
	return true
}

// joined matches two marked names with a word such as or between them, and notSender a name before which a word shows that it is no sender.
var (
	joined = written.Expression(`§_(?:` + lexicon.Pattern("join-list") + `|(?:.*_)?` + lexicon.Pattern("join-compared") + `)_(?:` +
		lexicon.Pattern("before-sender") + `_)?§`)
	notSender = written.Expression(`_(?:` + lexicon.Pattern("before-other-name") + `|` + lexicon.Pattern("mention") + `)_§`)
)

// joins reports whether an ask names several senders or merchants, for which some values are taken.
func (a *ask) joins(values []string) bool {
	text := a.marked(values)
	return joined().MatchString(text) && !notSender().MatchString(text)
}

// marked returns the words of an ask, joined by _, with a mark for each of some values that it names, as a whole or by the first word.
func (a *ask) marked(values []string) string {
	text := between(a.query)
	for _, value := range values {
		text = strings.ReplaceAll(text, between(value), "_§_")
	}
	for _, value := range values {
		first, _, _ := strings.Cut(value, " ")
		if slices.ContainsFunc(a.left, func(word string) bool { return strings.EqualFold(word, first) }) {
			text = strings.ReplaceAll(text, between(first), "_§_")
		}
	}
	return text
}

// between returns the words of a text in lower case, with _ around each.
func between(text string) string {
	isMark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return "_" + strings.Join(strings.FieldsFunc(strings.ToLower(text), isMark), "_") + "_"
}

// readSeveral makes of an ask that names several senders or merchants one of the number for each, with its other conditions, in the sources
// that have some of them. It is false for any other ask: no filter has several values.
func (s *search) readSeveral(a *ask, values [][]string, marked string) bool {
	s.several = true
	for i, of := range values {
		if strings.Contains(a.marked(of), "§") {
			a.having = append(a.having, a.sources[i])
		}
	}
	a.several = a.kind == counts || a.kind == sums || a.kind == most
	a.left = slices.DeleteFunc(a.left, func(word string) bool {
		return !strings.Contains(marked, between(word))
	})
	return a.several && a.metric != "avg" && a.granularity == ""
}

const maxPayees = 4 // that an ask is about

// readPayees reads which values of the field for whom was paid have the words that are left; none if these may not be all.
func (s *search) readPayees(ctx context.Context, a *ask) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	source, found := a.source(), 0
	if source.Payee == "" || len(a.sources) > 1 {
		return
	}
	scope := rs.Scope{Stream: source.Stream, ConnectionID: source.Connection.ID}
	groups, more := aggregate.GroupsOf(ctx, s.RS, scope, source.Payee, aggregate.MaxCompared)
	var payees []string
	for _, group := range groups {
		text, ok := group.Text()
		within := "_" + written.Snake(strings.ToLower(text)) + "_"
		isOther := func(word string) bool { return !strings.Contains(within, "_"+written.Snake(strings.ToLower(word))+"_") }
		if ok && !slices.ContainsFunc(a.left, isOther) {
			payees, found = append(payees, text), found+group.Count
		}
	}
	if len(payees) == 0 || len(payees) > maxPayees || len(payees) > 1 && a.metric == "avg" {
		return
	}
	if more { // that were not read
		if _, n := s.matches(ctx, a.left, []string{source.Stream}, nil, source.Connection.ID); n != found {
			return
		}
	}
	a.whose, a.payees, a.having, a.left = payees[0], payees, []known.Source{source}, nil
}

// valuesOf reads the values of a field of a source that a filter can name.
func (s *search) valuesOf(ctx context.Context, source known.Source, field string) []string {
	for _, f := range source.Fields(s.Schema().Document) {
		if f.Name == field && f.Granted && f.Exact && slices.Contains(f.Aggregates, "group_by") {
			scope := rs.Scope{Stream: source.Stream, ConnectionID: source.Connection.ID}
			groups, _ := aggregate.GroupsOf(ctx, s.RS, scope, f.Name, aggregate.MaxCompared)
			return aggregate.Texts(groups)
		}
	}
	return nil
}

// readCompared removes the words of those whose numbers are compared: the count by that field has them.
func (s *search) readCompared(ctx context.Context, a *ask) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	for _, value := range s.valuesOf(ctx, a.source(), a.group) {
		a.left = slices.DeleteFunc(a.left, func(word string) bool {
			return slices.ContainsFunc(strings.Fields(value), func(part string) bool { return strings.EqualFold(part, word) })
		})
	}
}
