package middleware

import (
	"context"
	"slices"
	"strings"

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
	streams, connection := correct.Touches(c.args)
	if len(streams) != 1 {
		return nil
	}
	s := c.schema(ctx, streams[0], connection)
	if s == nil {
		return nil
	}
	known := correct.ReadHaving(streams[0], s, c.args)
	if known.Misses(c.args) {
		if all := c.schema(ctx, "", connection); all != nil {
			known.ReadRelated(all, connection)
		}
	}
	found := c.tool.Unknown(known, c.args, c.refused)
	if !c.tool.Takes("stream") { // a record is of one connection
		return found
	}
	if connection != "" {
		s = c.schema(ctx, streams[0], "")
	}
	return c.atHome(found, s, streams[0], connection)
}

// unfit is what is wrong with the fields of a call that is proposed, as far as that is known without a read; nil for nothing. That call
// would be refused, and its error would propose another.
func (c *correcting) unfit(ctx context.Context, call correct.Call) *rs.Error {
	return c.call.Tool.Named(call.Tool).Known.Unknown(c.stream(ctx, call.Arguments, c.call.Tool.Held), call.Arguments, c.refused)
}

// atHome adds to what is said of the fields of a call which connections of its stream have them.
func (c *correcting) atHome(found *rs.Error, all *rs.Schema, stream, connection string) *rs.Error {
	if all == nil {
		return found
	}
	says, instead := correct.AtHome(all, stream, connection, c.args)
	if says == "" {
		return found
	}
	if found == nil {
		found = &rs.Error{Code: c.refused.Code, Param: c.refused.Param, Hint: "Ask each connection for its own fields."}
	}
	found.Message = strings.TrimSpace(found.Message + " " + says)
	if instead != nil {
		found.Send = c.with(instead)
	}
	return found
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
	asked, connection := correct.Touches(c.args)
	e.Hint = "A filter needs the one stream whose fields it names."
	s := c.schema(ctx, "", connection)
	if s == nil {
		return
	}
	having := slices.DeleteFunc(correct.Having(s, c.args.Object("filter")), func(stream string) bool {
		return len(asked) > 0 && !slices.Contains(asked, stream)
	})
	if len(having) > 1 {
		e.Hint += " These have them: " + strings.Join(having, ", ") + ". " + correct.CallForEach(len(having))
	}
	if len(having) > 0 {
		e.Send = c.tool.InStream(c.args, having[0]).String()
	}
}
