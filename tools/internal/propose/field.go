package propose

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A word of a query may be what no search reads: a value of a field, such as a status or an amount.

// Bounds of the reads that find out whether it is.
const (
	fewHits         = 3 // hits with all words; if there are more, no other call is proposed
	maxTriedStreams = 5 // streams in which the records with the conditions of a query are counted
	maxNumberFields = 8
)

var having = lexicon.Of("having") // before the name of a flag

// unreadFields returns the call that is meant by conditions in a query, such as total>100, or merchant:Towpath if it found nothing because
// search reads only words. The call filters a stream that has the fields and, if several have them, is known to have such records; if none
// is, it searches for the words. It is "" for any other search.
func (s *search) unreadFields(ctx context.Context) string {
	const lead = "q is read as words, not as fields. Send: "
	found, rest, words := written.FieldForms(s.Q)
	unread := func(word string) bool { return strings.Contains(word, ":") }
	signed := slices.ContainsFunc(found, func(c written.FieldForm) bool { return c.Signed })
	if found == nil || !signed && s.Repair == nil && len(s.list.Items) > 0 && !slices.ContainsFunc(s.absent, unread) {
		return ""
	}
	sent := s.without("limit")
	if document := s.Schema().Document; document != nil && !s.Unfiltered {
		having := slices.DeleteFunc(slices.Clone(document.Streams), func(row rs.SchemaStream) bool {
			return known.Conditions(&row, found) == nil || len(s.Streams) > 0 && !slices.Contains(s.Streams, row.Name)
		})
		for i := range having[:min(len(having), maxTriedStreams)] {
			row := &having[i]
			conditions, scope := known.Conditions(row, found), s.Scope
			if of, err := filter.Parse(conditions.JSON()); len(having) > 1 {
				scope.Stream = row.Name
				if n, _ := aggregate.Count(ctx, s.RS, scope, of); n == 0 || err != nil {
					continue
				}
			}
			filtered := rs.Member{Name: "filter", Value: conditions.WithAll(sent.Object("filter")).JSON()}
			if rest == "" && !s.inPeriod() {
				return lead + s.records(row.Name, filtered)
			}
			return lead + searchFor(rest, sent.With("streams", rs.EncodeJSON([]string{row.Name})).With(filtered.Name, filtered.Value))
		}
	}
	if signed { // code, or a formula
		return ""
	}
	return lead + searchFor(strings.TrimSpace(rest+" "+strings.Join(words, " ")), sent)
}

// listedValue returns the call that filters by a word of the query or that counts records, or "". The word is a flag of the stream that the
// query is about, as in emails with attachments, or, if the query finds little, a value of one of its fields. It may read the values of a
// few fields. It counts if the query asks how many records there are.
func (s *search) listedValue(ctx context.Context) string {
	flagged := slices.ContainsFunc(strings.Fields(strings.ToLower(s.Rest)), func(word string) bool { return having[word] })
	granularity, _ := written.Granularity(s.Rest)
	counts, findsLittle := s.Question.AsksNumber() || s.asksAverage() && granularity != "", s.findsLittle(ctx)
	not := written.Negation(s.Q)
	if s.Unread != "" && not == "" || s.inPeriod() || len(s.Filter) > 0 ||
		!findsLittle && !counts && !flagged && not == "" || s.Unfiltered && !counts {
		return ""
	}
	source, others, ok := known.SourceAsked(s.Schema, relax.Without(relax.Words(s.Rest), not), s.Streams)
	if !ok {
		return ""
	}
	stream, scope := source.Stream, s.Scope
	scope.Stream = stream
	if counts {
		others = beyondNumber(others)
	}
	candidates := slices.DeleteFunc(slices.Clone(others), func(word string) bool {
		return !flagged && !counts && not == "" && len(s.absent) > 0 && !s.isAbsent(word)
	})
	mayRead := not == "" && (findsLittle || counts && len(relax.Telling(others)) > 0)
	field, value, word := s.listedWord(ctx, stream, candidates, mayRead)
	form, said := "%s is what %s of %s says: ", []string{word}
	switch {
	case not != "" && field == "":
		return s.byDenied(ctx, scope, others)
	case not != "":
		form, value = "%s is denied, which is what %s of %s says: ", strconv.FormatBool(value != "true")
	case strings.HasPrefix(value, `"`):
		form = "%s is a value of %s in %s: "
		word, _ = rs.AsText(value) // cancelled for storniert
	case field == "":
		form = "%s is named by %s of %s: "
		field, value, word, said = known.Belonging(ctx, s.RS, s.Schema(), scope, s.Rest)
	}
	others = slices.DeleteFunc(relax.Without(relax.Telling(others), said...), func(other string) bool {
		return !counts && s.isAbsent(other) || fields.Calls(other, stream) || having[strings.ToLower(other)] || fields.IsMail(other) ||
			written.StateWord(other) == field
	})
	var where rs.Object
	if field != "" {
		where = rs.Object{{Name: field, Value: value}}
	}
	switch {
	case not != "" && len(others) > 0: // it may deny these
		return ""
	case counts:
		return s.number(ctx, stream, "Of that stream: ", rs.Object{rs.NewMember("metric", "count")}, where, others)
	case field == "" || len(others) > 0 && (s.countsOrAverages() || s.Question.AsksSum()): // a search finds no number
		return ""
	}
	call, isList := s.filtered(stream, where, others)
	says := fmt.Sprintf(form, quote.Text(word), quote.Names([]string{field}, 1), quote.Names([]string{stream}, 1)) + call
	if _, of := known.NamedStreams(s.Schema().Sources, []string{word}); isList && flagged && len(of) > 0 && of[0].Stream != stream {
		says += ". The stream of that name: " + s.records(of[0].Stream)
	}
	return says
}

// filtered returns the call that lists the records of a stream within a filter, in the connection that some words name; or, if other words
// or the time of the query say more, the search for these.
func (s *search) filtered(stream string, where rs.Object, words []string) (call string, isList bool) {
	filter := rs.Object{{Name: "filter", Value: where.JSON()}}
	had, in := known.NamedConnections(s.Schema().Sources, words)
	if len(in) == 1 && s.Scope.ConnectionID == "" && len(s.sourcesOf(stream, in[0].ID)) > 0 {
		words, filter = relax.Without(words, had...), filter.With("connection_id", rs.EncodeJSON(in[0].ID))
	}
	if len(words) == 0 && !s.timed {
		return s.records(stream, filter...), true
	}
	within := s.without("mode", "limit").With("streams", rs.EncodeJSON([]string{stream})).WithAll(filter)
	return searchFor(strings.Join(words, " "), within.WithAll(s.bounds())), false
}

// byDenied returns the call that counts the records of a scope by the field of which a query denies a value or any, as in orders not
// delivered or events with no location, since no filter leaves out a value; "" if words say more.
func (s *search) byDenied(ctx context.Context, scope rs.Scope, words []string) string {
	words = slices.DeleteFunc(relax.Telling(words), func(word string) bool { return fields.Calls(word, scope.Stream) })
	if len(words) != 1 {
		return ""
	}
	field, _, _ := s.listedWord(ctx, scope.Stream, words, true)
	field = cmp.Or(field, written.StateWord(words[0]))
	if f := fields.Read(scope.Stream, s.Schema().Document).Field(field); f == nil || !slices.Contains(f.Aggregates, "group_by") {
		return ""
	}
	args := append(argument.InConnection(s.Arguments, "stream", scope.Stream),
		rs.NewMember("metric", "count"), rs.NewMember("group_by", field))
	return "By " + field + ", each value and none: " + correct.Call{Tool: "aggregate", Arguments: args}.String()
}

// fieldNumber returns a hint about the fields that have the one number in a query that finds little, or have it as a negative number, as an
// expense may be, with calls for their records. No search reads numbers of fields. It tries a few fields, those of money first; it returns
// "" if none has the number.
func (s *search) fieldNumber(ctx context.Context) string {
	number := written.LikelyNumber(s.Q)
	if number == "" || written.WithoutBound(s.Q) != s.Q || !s.findsLittle(ctx) {
		return ""
	}
	candidates := fields.Numbers(cmp.Or(s.Schema().Document, &rs.Schema{}), s.Streams, func(f rs.SchemaField) bool { return f.Exact })
	calls := make([]string, 2*min(len(candidates), maxNumberFields))
	read.All(ctx, len(calls), func(ctx context.Context, i int) {
		stream, field, value := candidates[i/2].Stream, candidates[i/2].Field, strings.Repeat("-", i%2)+number
		scope := s.Scope
		scope.Stream = stream
		if n, _ := aggregate.Count(ctx, s.RS, scope, filter.Filter{{Field: field, Value: filter.ValueOf(value)}}); n > 0 {
			calls[i] = s.records(stream, rs.Member{Name: "filter", Value: rs.Object{{Name: field, Value: value}}.JSON()})
		}
	})
	calls = slices.DeleteFunc(calls, func(call string) bool { return call == "" })
	if len(calls) == 0 {
		return ""
	}
	return "Numbers in fields are not searched. With this one: " + strings.Join(calls[:min(len(calls), read.MaxNamed)], ", ") + "."
}

// findsLittle reports whether few records have all words of a query that is neither quoted nor limited to a time or filter, and whether
// reads remain for more.
func (s *search) findsLittle(ctx context.Context) bool {
	found, counted := s.list.Envelope.Object("meta").Number("count")
	if !counted {
		found = len(s.list.Items)
	}
	exact := len(s.Filter) > 0 || s.Mode != "" && s.Mode != "lexical" || strings.Contains(s.Q, `"`) || s.inPeriod()
	repaired := s.Repair != nil && s.Repair.Reads > relax.MaxReads-maxListedFields-1 // and one for the schema
	// In a package, members that lack the stream would be asked too.
	members := s.Response.Reads > read.MaxCountedMembers || auth.PrincipalFrom(ctx).Package != nil
	return s.Q != "" && !exact && !repaired && !members && (len(s.absent) > 0 || found <= fewHits)
}
