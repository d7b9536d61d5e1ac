package propose

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

// memberCount reports whether the query asks only how many people belong to a record that it names, such as a channel. It returns the call
// for that record and its field with their number; "" if it has no such field, as counting those who wrote in it would leave out the others.
func (s *search) memberCount(ctx context.Context) (says string, is bool) {
	if !s.Question.AsksNumber() || !has(s.Rest, members) || has(s.Rest, posted) || s.timed || s.inPeriod() || len(s.Filter) > 0 {
		return "", false
	}
	for _, source := range s.Schema().Sources {
		for _, child := range source.Children {
			field, _, title, said := known.Belonging(ctx, s.RS, s.Schema(), rs.Scope{Stream: child.Target}, s.Rest)
			isOther := func(word string) bool { return !members[strings.ToLower(word)] }
			others := relax.Without(relax.Telling(relax.Words(s.Rest)), said...)
			if field == "" || field != child.ForeignKey || slices.ContainsFunc(others, isOther) {
				continue
			}
			own := s.fieldsOf(source)
			number := s.numberNamed(source, lexicon.Phrases("member"), func(rs.SchemaField) bool { return true })
			if named := own.Field(source.Title); number == "" || named == nil || !named.Exact {
				return "", true
			}
			filter := rs.Object{rs.NewMember(source.Title, title)}
			return quote.Names([]string{number}, 1) + " of " + quote.Names([]string{source.Stream}, 1) + " says how many: " +
				s.records(source.Stream, rs.NewMember("fields", []string{source.Title, number}), rs.Member{Name: "filter", Value: filter.JSON()}), true
		}
	}
	return "", false
}
