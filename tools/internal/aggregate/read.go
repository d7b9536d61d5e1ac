package aggregate

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Read makes an aggregation of the scope's stream; nil if it fails.
func Read(ctx context.Context, server rs.Doer, scope rs.Scope, q Args) rs.Object {
	response, err := server.Do(ctx, q.Request(rs.Scope{Stream: scope.Stream, ConnectionID: scope.ConnectionID}))
	if err != nil {
		return nil
	}
	return Body(response)
}

// MaxCompared is the number of values of a field that are compared with a word that may mean one of them.
const MaxCompared = 100

// GroupsOf returns the first values of a field of the scope's stream, and whether there are more; none if the read fails.
func GroupsOf(ctx context.Context, server rs.Doer, scope rs.Scope, field string, limit int) (groups []Group, more bool) {
	body := Read(ctx, server, scope, Args{Metric: "count", GroupBy: field, Limit: limit})
	beyond, _ := body.Number("other_count")
	return Groups(body), beyond > 0
}

// Count returns how many records of the scope's stream match a filter; false if the read fails or takes longer than [read.OptionalDeadline].
func Count(ctx context.Context, server rs.Doer, scope rs.Scope, f filter.Filter) (int, bool) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	return Read(ctx, server, scope, Args{Metric: "count", Filter: f}).Number("value")
}
