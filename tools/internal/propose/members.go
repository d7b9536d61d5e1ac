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
	var parts []string // the streams with what belongs to other records
	for _, source := range s.Schema().Sources {
		for _, child := range source.Children {
			parts = append(parts, child.Target)
		}
	}
	slices.Sort(parts)
	for _, stream := range slices.Compact(parts) {
		whole := known.Belonging(ctx, s.RS, s.Schema(), stream, s.Rest)
		isOther := func(word string) bool { return !members[strings.ToLower(word)] }
		others := relax.Without(relax.Telling(relax.Words(s.Rest)), whole.Said...)
		if whole.Called == "" || slices.ContainsFunc(others, isOther) {
			continue
		}
		number := s.numberNamed(whole.Source, lexicon.Phrases("member"), func(rs.SchemaField) bool { return true })
		if named := s.fieldsOf(whole.Source).Field(whole.Title); number == "" || named == nil || !named.Exact {
			return "", true
		}
		filter := rs.Object{rs.NewMember(whole.Title, whole.Called)}
		return quote.Names([]string{number}, 1) + " of " + quote.Names([]string{whole.Stream}, 1) + " says how many: " +
			s.records(whole.Stream, rs.NewMember("fields", []string{whole.Title, number}), rs.Member{Name: "filter", Value: filter.JSON()}), true
	}
	return "", false
}
