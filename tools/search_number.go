package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A query may ask for a number that no hit has: how many records there are, or how much was paid.

// total returns a hint with the call that adds up what was paid, such as the totals of orders from the merchant that the query names, in
// the time that it names; "" for any other query.
func (s *searched) total(ctx context.Context, q *render.Question) string {
	if !q.AsksSum() && !known.AsksAverage(s.Rest) || s.Unread != "" || s.inPeriod() || len(s.filter) > 0 {
		return ""
	}
	source, field, metric, others := known.Paid(s.schema(), s.Rest, s.isSearched)
	if field == "" {
		return ""
	}
	where, ok := s.spent(ctx, source.Stream, field)
	if !ok {
		return ""
	}
	says := map[string]string{"sum": "The sum", "avg": "The average"}[metric] + " of " + quote.Names([]string{field}, 1) + " of " +
		quote.Names([]string{source.Stream}, 1) + ": "
	return s.number(ctx, q, source, says, rs.Object{rs.NewMember("metric", metric), rs.NewMember("field", field)}, where, others)
}

// spent returns the filter for what was paid: if a field has negative amounts, these. It makes one read, and is false if that fails.
func (s *searched) spent(ctx context.Context, stream, field string) (where rs.Object, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	scope := s.call.Scope
	scope.Stream = stream
	least := aggregate.Read(ctx, s.call.RS, scope, aggregate.Args{Metric: "min", Field: field}).Get("value")
	if strings.HasPrefix(least, "-") && !relax.PaysOneself(s.Rest) {
		where = rs.Object{{Name: field, Value: `{"lt":0}`}}
	}
	return where, least != ""
}

// number returns a hint with the call for a number of the records of a stream within a filter and the time of the query. If other words of
// the query are the sender or the title of records, there is a call for each connection that has such records. It is "" if words are left
// that say more.
func (s *searched) number(
	ctx context.Context, q *render.Question, source known.Source, says string, number, where rs.Object, others []string,
) string {
	granularity, words := written.Granularity(s.Rest)
	if (s.timed || granularity != "") && source.Time == "" {
		return ""
	}
	others = relax.Without(others, words...)
	args := append(inConnection(s.call, "stream", source.Stream), number...)
	had, in := known.NamedConnections(s.schema().Sources, relax.Words(s.Rest))
	if len(in) == 1 && !args.Has("connection_id") {
		args, others = args.With("connection_id", rs.EncodeJSON(in[0].ID)), relax.Without(others, had...)
	}
	call := func(source known.Source, args, where rs.Object) string {
		if granularity != "" {
			args = args.With("group_by_time", rs.EncodeJSON(source.Time)).With("granularity", rs.EncodeJSON(granularity))
		}
		if where = source.Within(where, s.bounds()); len(where) > 0 {
			args = args.With("filter", where.JSON())
		}
		return correct.Call{Tool: "aggregate", Arguments: args}.String()
	}
	switch filters := s.timed || len(where) > 0 || len(others) > 0; {
	case filters && s.answer.search.Unfiltered:
		return ""
	case len(others) == 0:
		return says + call(source, args, where)
	}
	sources := slices.DeleteFunc(s.sourcesOf(source.Stream, args.Text("connection_id")), func(source known.Source) bool {
		return !source.HasAll(where, s.schema().Document) // chat has no flags
	})
	value, having := s.valueNamed(ctx, q, sources, others)
	if value == "" || len(relax.Without(others, strings.Fields(value)...)) > 0 {
		return ""
	}
	var calls []string
	for _, source := range having {
		where := rs.Object{rs.NewMember(source.Whose(), value)}.WithAll(where)
		lead := ""
		if len(having) > 1 { // mail is not chat
			lead = quote.Names([]string{source.Connection.DisplayName}, 1) + ": "
		}
		calls = append(calls, lead+call(source, args.With("connection_id", rs.EncodeJSON(source.Connection.ID)), where))
	}
	return says + strings.Join(calls, ", ")
}

// sourcesOf returns the sources of a stream, in one connection or, if that is "", in the connections of the call.
func (s *searched) sourcesOf(stream, connection string) (sources []known.Source) {
	only := cmp.Or(connection, s.call.Scope.ConnectionID)
	for _, source := range s.schema().Sources {
		if source.Stream == stream && (only == "" || only == source.Connection.ID) {
			sources = append(sources, source)
		}
	}
	return sources
}

// valueNamed returns the sender, or the title such as a merchant, that a query names, and those of some sources that have records with it;
// "" if it names none, or a different one in each. It reads the values of a few sources.
func (s *searched) valueNamed(
	ctx context.Context, q *render.Question, sources []known.Source, others []string,
) (value string, having []known.Source) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	named := make([]string, min(len(sources), maxListedFields))
	read.All(ctx, len(named), func(ctx context.Context, i int) {
		of := s.call
		of.Scope.Stream, of.Scope.ConnectionID = sources[i].Stream, sources[i].Connection.ID
		for _, f := range sources[i].Fields(s.schema().Document) {
			if f.Name == sources[i].Whose() && f.Granted && f.Exact && slices.Contains(f.Aggregates, "group_by") {
				groups, _ := aggregate.GroupsOf(ctx, of.RS, of.Scope, f.Name, maxComparedValues)
				named[i] = q.Names(aggregate.Texts(groups), others)
			}
		}
	})
	for i, name := range named {
		switch {
		case name == "":
		case value != "" && value != name:
			return "", nil
		default:
			value, having = name, append(having, sources[i])
		}
	}
	return value, having
}
