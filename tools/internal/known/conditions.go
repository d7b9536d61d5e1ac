package known

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// NamedField returns the first field of a source for a use that some words name, such as reaction_count for reactions, and these words; "" for
// none.
func (s Source) NamedField(words []string, u fields.Use, document *rs.Schema) (field string, had []string) {
	for _, f := range s.Fields(document) {
		if had, _ = Named([]Source{{Stream: f.Name}}, words); len(had) > 0 && f.Granted && u(f) {
			return f.Name, had
		}
	}
	return "", nil
}

// HasAll reports whether a source has the fields of all conditions of a filter.
func (s Source) HasAll(filter rs.Object, document *rs.Schema) bool {
	own := s.Fields(document)
	return !slices.ContainsFunc(filter, func(condition rs.Member) bool {
		return !slices.ContainsFunc(own, func(f rs.SchemaField) bool { return f.Name == condition.Name })
	})
}

// IsPayee reports whether a field has whom something was paid to.
func IsPayee(f rs.SchemaField) bool { return f.Granted && payee().MatchString(written.Snake(f.Name)) }

var payee = written.Expression(lexicon.Pattern("payee"))

// Within returns a filter limited to the time between the bounds since and until of a search, if any.
func (s Source) Within(filter, bounds rs.Object) rs.Object {
	var within rs.Object
	for _, bound := range bounds {
		within = within.With(map[string]string{"since": "gte", "until": "lte"}[bound.Name], bound.Value)
	}
	if len(within) == 0 {
		return filter
	}
	return filter.With(s.Time, within.JSON())
}

// Planned returns the sources of some streams of a connection that may have records of what is to come: those with a start, or a day on
// which they are due. No streams and "" are any.
func Planned(sources []Source, streams []string, connection string) []Source {
	return slices.DeleteFunc(slices.Clone(sources), func(s Source) bool {
		name := strings.ToLower(s.Time)
		plans := s.End != "" || MayStart(name) || slices.ContainsFunc(dueNames, func(part string) bool { return strings.Contains(name, part) })
		return !plans || len(streams) > 0 && !slices.Contains(streams, s.Stream) || connection != "" && connection != s.Connection.ID
	})
}

var dueNames = lexicon.Phrases("due")
