package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// A filter on when something begins leaves out what began earlier and is not over: a trip from Monday to Wednesday is on on Tuesday.

// startOf is the lower bound of the field of a filter that may say when something begins; false where it has none.
func startOf(f filter.Filter) (bound filter.Condition, ok bool) {
	at := slices.IndexFunc(f, func(c filter.Condition) bool {
		return (c.Operator == "gte" || c.Operator == "gt") && known.MayStart(c.Field)
	})
	if at < 0 {
		return bound, false
	}
	return f[at], true
}

// lasting says how many records began before the time that the filter of a call asks for and last into it, and which call has them: one
// read, where the stream says when its records end. It is nothing where none does.
func lasting(ctx context.Context, call Call, stated known.Stream, f filter.Filter) rs.Object {
	from, _ := startOf(f)
	end := stated.EndOf(from.Field)
	if end == "" || slices.ContainsFunc(f, func(c filter.Condition) bool { return c.Field == end }) {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(f), func(c filter.Condition) bool { return c.Field == from.Field })
	before := filter.Lasting(from.Field, end, stated.DateKind(from.Field), from.Value)
	ctx, cancel := context.WithTimeout(ctx, besideDeadline)
	defer cancel()
	counted, err := aggregated(ctx, call, aggregate.Args{Metric: "count", Filter: slices.Concat(others, before)})
	n, ok := counted.Number("value")
	if err != nil || !ok || n == 0 {
		return nil
	}
	args := call.Arguments
	conditions := before[1:]
	for _, c := range f {
		if c.Field == from.Field && strings.HasPrefix(c.Operator, "l") {
			conditions = append(filter.Filter{c}, conditions...)
		}
	}
	asked := args.Object("filter").Without(from.Field).WithAll(conditions.Object())
	return rs.Object{{Name: "lasting", Value: rs.EncodeJSON(fmt.Sprintf("began before %s but end after it, so not in this answer: %d. "+
		"With these, but only what has %s: %s", from.Value, n, end, correct.Call{Tool: call.Tool.Name, Arguments: args.With("filter", asked.JSON())}))}}
}
