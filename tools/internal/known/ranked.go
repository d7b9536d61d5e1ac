package known

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Ranked returns the stream and the arguments that list the record which a superlative names, such as the cheapest order, by the number
// that it compares, or the records with more or less than an amount, and what that is. bounds are since and until of the time of the
// record, if any; may tells which sources are meant. The stream is "" for a query that says more than the stream, or if its number is
// not certain. The schema is read only for such words.
func Ranked(schema func() Stream, query string, bounds rs.Object, may func(Source) bool) (says, stream string, records rs.Object) {
	by, most, ranks := written.Superlative(query)
	operator, amount, rest := written.MoreOrLess(query)
	if ranks == nil && operator == "" {
		return "", "", nil
	}
	if operator != "" {
		by, query = cmp.Or(by, written.Money), rest
	}
	all := schema()
	source, others, ok := SourceCalled(all.Sources, relax.Without(relax.Topic(query), ranks...), may)
	if !ok || len(relax.Telling(others)) > 0 || len(bounds) > 0 && source.Time == "" {
		return "", "", nil
	}
	field := fields.Measured(all.Document, source.Stream, by)
	if field == "" {
		return "", "", nil
	}
	var filter rs.Object
	if ranks != nil {
		says = "The " + strings.Join(ranks, " ") + " of that stream by " + field + ": "
		records = rs.Object{rs.NewMember("sort", map[bool]string{true: "-"}[most]+field), rs.NewMember("limit", 1)}
	} else {
		says = "Numbers in fields are not searched. Those of that stream by " + field + ": "
	}
	if operator != "" {
		filter = rs.Object{{Name: field, Value: rs.Object{{Name: operator, Value: amount}}.JSON()}}
	}
	if len(bounds) > 0 {
		var within rs.Object
		for _, bound := range bounds {
			within = within.With(map[string]string{"since": "gte", "until": "lte"}[bound.Name], bound.Value)
		}
		filter = filter.With(source.Time, within.JSON())
	}
	if len(filter) > 0 {
		records = append(records, rs.Member{Name: "filter", Value: filter.JSON()})
	}
	return says, source.Stream, records
}

// MayPlan reports whether some streams of a connection may have records of what is to come: those with a start, or a day on which they are
// due. No streams and "" are any.
func MayPlan(sources []Source, streams []string, connection string) bool {
	return slices.ContainsFunc(sources, func(s Source) bool {
		name := strings.ToLower(s.Time)
		plans := s.End != "" || MayStart(name) || slices.ContainsFunc(dueNames, func(part string) bool { return strings.Contains(name, part) })
		return plans && (len(streams) == 0 || slices.Contains(streams, s.Stream)) && (connection == "" || connection == s.Connection.ID)
	})
}

var dueNames = []string{"due", "deadline", "scheduled", "faellig", "fällig", "termin", "echeance", "vencimiento", "scadenza", "vervaldatum"}
