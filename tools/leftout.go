package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/leftout"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// What an answer leaves out that the model may take to be in it.

// A filter on when something begins leaves out what began earlier and is not over: a trip from Monday to Wednesday is on on Tuesday.

// lasting says how many records began before the time that the filter of a call asks for and last into it, and which call has them: one
// read, where the stream says when its records end. It is nothing where none does.
func lasting(ctx context.Context, call Call, f filter.Filter, schema func() known.Stream) rs.Object {
	at := slices.IndexFunc(f, func(c filter.Condition) bool { return strings.HasPrefix(c.Operator, "g") && known.MayStart(c.Field) })
	if at < 0 {
		return nil
	}
	from, stated := f[at], schema()
	end := stated.EndOf(from.Field)
	if end == "" || f.Has(end) {
		return nil
	}
	before := filter.Lasting(from.Field, end, stated.DateKind(from.Field), from.Value)
	n, ok := counted(ctx, call, slices.Concat(f.Without(from.Field), before))
	if !ok || n == 0 {
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
	note := fmt.Sprintf("began before %s but end after it, so not in this answer: %d. With these, but only what has %s", from.Value, n, end)
	return rs.Object{leftout.Noted("lasting", note, correct.Call{Tool: call.Tool.Name, Arguments: args.With("filter", asked.JSON())})}
}

// asSent is a call as it would be sent again.
func (call Call) asSent() correct.Call {
	return correct.Call{Tool: call.Tool.Name, Arguments: call.Arguments}
}

// asMeant is a call with the values that are meant in its filter instead of those that no record has.
func asMeant(call Call, empty []render.EmptyField) correct.Call {
	for _, e := range empty {
		if value := e.Meant.Object("filter").Get(e.Field); value != "" {
			call.Arguments = withValue(call, e.Field, value)
		}
	}
	return call.asSent()
}
