package middleware

import (
	"context"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

// fieldConnect are those for a field that the resource server has and the grant has not. Whole streams are asked for.
func (c *correcting) fieldConnect(ctx context.Context) []string {
	if c.refused.Code != "field_not_granted" {
		return nil
	}
	streams, _ := correct.Touches(c.args)
	return toConnect(ctx, rs.Missing{Streams: streams})
}

// unknownField compares the fields of the call with those of its stream.
func (c *correcting) unknownField(ctx context.Context) *rs.Error {
	return c.tool.Mistaken(c.args, c.refused, func(stream, connection string) *rs.Schema { return c.schema(ctx, stream, connection) })
}

// unfit is what is wrong with the fields of a call that is proposed, as far as that is known without a read; nil for nothing. That call
// would be refused, and its error would propose another.
func (c *correcting) unfit(ctx context.Context, call correct.Call) *rs.Error {
	return c.call.Tool.Named(call.Tool).Known.Unknown(c.stream(ctx, call.Arguments, c.call.Tool.Held), call.Arguments, c.refused)
}

// withoutOperators is the call that is meant by a search with operators of a mail program.
func (c *correcting) withoutOperators(ctx context.Context) string {
	refused := rs.Member{Name: c.refused.Param, Value: c.args.Get(c.refused.Param)}
	if _, ok := c.tool.WithoutOperators(c.args, nil); !ok || refused.Name != "q" && !c.tool.IsOperator(refused) {
		return ""
	}
	_, connection := correct.Touches(c.args)
	call, _ := c.tool.WithoutOperators(c.args, c.schema(ctx, "", connection))
	return call.String()
}

// timed is an aggregate with the bounds of time that it was sent with, as conditions on the field of its stream that says when.
func (c *correcting) timed(ctx context.Context) string {
	if !slices.Contains(localCodes, c.refused.Code) || !c.tool.NeedsTime(c.args) {
		return ""
	}
	call, ok := c.tool.Timed(c.args, c.stream(ctx, c.args, c.schema).Time())
	if !ok {
		return ""
	}
	return call.String()
}

// withField is an aggregate with the field that its metric or its granularity needs, of those that are known without a read to take it, and
// what to say of it.
func (c *correcting) withField(ctx context.Context) (send, hint string) {
	param := c.refused.Param
	if param != "field" && param != "group_by_time" || c.args.Has(param) || !c.tool.Takes("metric") {
		return "", ""
	}
	return c.tool.WithField(c.stream(ctx, c.args, c.call.Tool.Held), c.args, param)
}

// inStream names the streams that have the fields of a filter which was sent without one stream, of those that it was sent with.
func (c *correcting) inStream(ctx context.Context, e *rs.Error) {
	_, connection := correct.Touches(c.args)
	var call correct.Call
	if e.Hint, call = c.tool.OfOneStream(c.args, c.schema(ctx, "", connection)); call.Tool != "" {
		e.Send = call.String()
	}
}
