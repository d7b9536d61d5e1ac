package propose

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// readWhose reads which sender or merchant an ask names, and the sources that have records with that name. It reads the values of the first
// sources only. If the sources have different names that fit, it reads none. Several names, as in whether Ann or Bo wrote more, make it an
// ask for the number of each; it returns false if that cannot be.
func (s *search) readWhose(ctx context.Context, a *ask) bool {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	values := make([][]string, min(len(a.sources), maxListedFields))
	read.All(ctx, len(values), func(ctx context.Context, i int) {
		values[i] = s.valuesOf(ctx, a.sources[i], a.sources[i].Whose())
	})
	if all := slices.Concat(values...); a.joins(all) {
		if a.number.group != "" { // the number for each is asked for
			return true
		}
		return s.readSeveral(a, values, a.marked(all))
	}
	var found party
	for i, names := range values {
		switch name := s.Question.Names(names, a.left); {
		case name == "":
		case found.name != "" && found.name != name:
			return true
		default:
			found.name, found.sources = name, append(found.sources, a.sources[i])
		}
	}
	a.party = found
	a.explain(relax.All(found.name)...)
	a.left = slices.DeleteFunc(a.left, func(word string) bool { // removes Ann's as well as Ann
		owner, _ := strings.CutSuffix(strings.TrimSuffix(between(word), "_"), "_s")
		return strings.Contains(between(found.name), owner+"_")
	})
	return true
}

// joined matches two marked names with a word such as "or" or "and" between them. notSender matches a marked name after a word, such as
// "about", which shows that it is not a sender.
var (
	joined = written.Expression(`§_(?:` + lexicon.Pattern("join-list") + `|(?:.*_)?` + lexicon.Pattern("join-compared") + `)_(?:` +
		lexicon.Pattern("before-sender") + `_)?§`)
	notSender = written.Expression(`_(?:` + lexicon.Pattern("before-other-name") + `|` + lexicon.Pattern("mention") + `)_§`)
)

// joins reports whether an ask names several senders or merchants. Words that equal one of the values count as names.
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

// readSeveral reads an ask that names several senders or merchants. As no filter has several values, the ask becomes one for the number of
// each, in the sources that have some of them. It returns false if the ask is for no such number, for an average, or by time.
func (s *search) readSeveral(a *ask, values [][]string, marked string) bool {
	s.several = true
	a.party.isSeveral = a.kind == counts || a.kind == sums || a.kind == most
	for i, names := range values {
		if strings.Contains(a.marked(names), "§") {
			a.party.sources = append(a.party.sources, a.sources[i])
		}
	}
	a.left = slices.DeleteFunc(a.left, func(word string) bool {
		return !strings.Contains(marked, between(word))
	})
	return a.party.isSeveral && a.number.metric != "avg" && a.number.granularity == ""
}

// maxPayees is the most spellings of a payee for which there is a call each.
const maxPayees = 4

// readPayees finds the payees of the stream whose names have all words that are left. It changes nothing if there are none, too many, or
// possibly more than the payees that were read.
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
	if len(payees) == 0 || len(payees) > maxPayees || len(payees) > 1 && a.number.metric == "avg" {
		return
	}
	if more { // that were not read
		if _, n := s.matches(ctx, a.left, []string{source.Stream}, nil, source.Connection.ID); n != found {
			return
		}
	}
	a.party, a.left = party{name: payees[0], payees: payees, sources: []known.Source{source}}, nil
}

// valuesOf reads the values of a field of a source that a filter can name.
func (s *search) valuesOf(ctx context.Context, source known.Source, field string) []string {
	f := s.fieldsOf(source).Field(field)
	if f == nil || !f.Granted || !f.Exact || !slices.Contains(f.Aggregates, "group_by") {
		return nil
	}
	scope := rs.Scope{Stream: source.Stream, ConnectionID: source.Connection.ID}
	groups, _ := aggregate.GroupsOf(ctx, s.RS, scope, field, aggregate.MaxCompared)
	return aggregate.Texts(groups)
}

// readCompared removes the words of those whose numbers are compared: the count by that field has them.
func (s *search) readCompared(ctx context.Context, a *ask) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	for _, value := range s.valuesOf(ctx, a.source(), a.number.group) {
		a.left = slices.DeleteFunc(a.left, func(word string) bool {
			return slices.ContainsFunc(strings.Fields(value), func(part string) bool { return strings.EqualFold(part, word) })
		})
	}
}
