package propose

import (
	"cmp"
	"context"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// maxListedFields is the number of fields whose values are read to find one that a query names.
const maxListedFields = 3

// valueNamed returns the sender, or the title such as a merchant, that a query names, and those of some sources that have records with it;
// "" if it names none, or a different one in each. It reads the values of a few sources.
func (s *search) valueNamed(ctx context.Context, sources []known.Source, others []string) (value string, having []known.Source) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	named := make([]string, min(len(sources), maxListedFields))
	read.All(ctx, len(named), func(ctx context.Context, i int) {
		scope := rs.Scope{Stream: sources[i].Stream, ConnectionID: sources[i].Connection.ID}
		for _, f := range sources[i].Fields(s.Schema().Document) {
			if f.Name == sources[i].Whose() && f.Granted && f.Exact && slices.Contains(f.Aggregates, "group_by") {
				groups, _ := aggregate.GroupsOf(ctx, s.RS, scope, f.Name, aggregate.MaxCompared)
				named[i] = s.Question.Names(aggregate.Texts(groups), others)
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

// sourcesOf returns the sources of a stream, in one connection or, if that is "", in the connections of the call.
func (s *search) sourcesOf(stream, connection string) (sources []known.Source) {
	only := cmp.Or(connection, s.Scope.ConnectionID)
	for _, source := range s.Schema().Sources {
		if source.Stream == stream && (only == "" || only == source.Connection.ID) {
			sources = append(sources, source)
		}
	}
	return sources
}
