package propose

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A word of a query may be what no search reads: a value of a field, such as a status or an amount.

// Bounds of the reads that find out whether it is.
const (
	fewHits         = 3 // hits with all words; if there are more, no other call is proposed
	maxListedFields = 3 // fields whose values are read
	maxTriedStreams = 5 // streams in which the records with the conditions of a query are counted
	maxNumberFields = 8
)

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
