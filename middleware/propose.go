package middleware

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

// refusedHere explains arguments that this program refused before any read.
func (c *refusedCall) refusedHere(ctx context.Context, e *rs.Error) {
	e.Hint = cmp.Or(correct.NoSuchDay(c.args), c.tool.Hint(c.args), e.Hint)
	isBound := e.Param == "since" || e.Param == "until"
	if _, err := rs.ReadTime(c.args.Text(e.Param)); isBound && err != nil {
		e.Hint += c.today()
	}
	if send, hint := c.withField(ctx); send != "" {
		e.Send, e.Hint = send, strings.TrimSpace(e.Hint+" "+hint)
	} else if e.Send = cmp.Or(e.Send, c.withoutOperators(ctx, e), c.withTimeFilter(ctx)); e.Send == "" {
		if dated, ok := c.tool.Relative(c.args); ok && isBound {
			if e.Send = dated.String(); len(dated.Arguments) != len(c.args) {
				e.Hint = correct.BothBounds
			}
		} else {
			c.guess(ctx, e)
		}
	}
	if e.Send == "" {
		if streams, send := c.cachedGrant(ctx).Home(c.tool, c.args); send.Tool != "" {
			e.Hint, e.Send = strings.TrimSpace(e.Hint+" "+streams), send.String()
		}
	}
	if e.Send != "" {
		e.Send = c.dated(c.asGranted(ctx, correct.ReadCall(e.Send))).String()
	}
	if e.Send == "" && strings.Contains(e.Hint, " below") { // the hint speaks of a call below, but there is none
		e.Hint = c.refused.Hint
	}
	e.Hint = strings.TrimSpace(e.Hint + " " + correct.SeasonSays(c.args))
}

// guess adds to e the call that is probably meant by refused arguments, and names the arguments that this call leaves out. If that call
// would be refused as well, it adds one that looks up what is missing.
func (c *refusedCall) guess(ctx context.Context, e *rs.Error) {
	if !slices.Contains(localCodes, c.refused.Code) {
		return
	}
	call, ok := c.tool.Guess(c.args, c.refused)
	if !ok {
		return
	}
	call = c.acceptable(c.asGranted(ctx, call))
	isMoved := func(m rs.Member) bool { return c.args.Has(m.Name) && !c.tool.Takes(m.Name) }
	if _, ok := c.tool.Sought(c.args); ok || slices.ContainsFunc(call.Arguments.Object("filter"), isMoved) {
		// which call finds a text depends on its field, and an argument may be named after no field, so the schema is worth a read
		_, connection := correct.Touches(call.Arguments)
		c.all = c.schema(ctx, c.args.Text("stream"), connection)
	}
	call = c.tool.WithoutUnknown(call, c.stream(ctx, call.Arguments, c.call.Tool.CachedSchema), c.args)
	e.Send = call.String()
	if (call.Tool != "schema" || c.tool.Name == "schema") && c.refused.Code != "invalid_expand" { // that error already says what to leave out
		e.Hint = strings.TrimSpace(e.Hint + " " + call.LeavesOut(c.args))
	}
	instead, hint, ok := c.tool.Unsearched(c.stream(ctx, c.args, c.call.Tool.CachedSchema), c.args)
	switch found := c.fieldMistake(ctx, call); {
	case ok:
		e.Send, e.Hint = instead.String(), hint
	case found == nil:
		e.Hint = strings.TrimSpace(e.Hint + " " + hint)
	case found.Send != "":
		e.Send, e.Hint = found.Send, strings.TrimSpace(e.Hint+" "+found.Message+" "+found.Hint)
	default: // e.Hint is about a call that would be refused
		e.Send, e.Hint = c.tool.LookUp(c.args).String(), found.Message
		if search, ok := c.tool.Sought(c.args); ok {
			e.Send, e.Hint = search.String(), found.Message+" Search reads words: the call below finds the records that have them."
		}
	}
}

// asGranted returns a proposed call with names of streams and a connection that the grant has, as far as the grant is known.
func (c *refusedCall) asGranted(ctx context.Context, call correct.Call) correct.Call {
	missing := c.cachedGrant(ctx).Missing(c.call.Known(call.Tool), call.Arguments)
	if missing == nil || missing.Send == "" {
		return call
	}
	return correct.ReadCall(missing.Send)
}

// acceptable returns a proposed call in the form that its tool accepts. If the call is of another tool, its arguments may need a second
// guess. If the tool would refuse the call even then, acceptable returns one that looks up what is missing.
func (c *refusedCall) acceptable(call correct.Call) correct.Call {
	tool, known := c.call.Tool.Named(call.Tool), c.call.Known(call.Tool)
	if call.Tool != c.tool.Name {
		call.Arguments = known.Canonical(call.Arguments)
	}
	call = c.dated(call)
	if call.Tool != c.tool.Name {
		if refused := decodeError(tool, call); refused != nil {
			call, _ = known.Guess(call.Arguments, refused)
		}
	}
	if call.Tool == tool.Name && decodeError(tool, call) == nil {
		return call
	}
	return c.tool.LookUp(c.args)
}

// dated returns a proposed call with dates in place of relative times.
func (c *refusedCall) dated(call correct.Call) correct.Call {
	if dated, ok := c.call.Known(call.Tool).Relative(call.Arguments); ok {
		return dated
	}
	return call
}

// today is a sentence about the day in the zone of the call.
func (c *refusedCall) today() string { return " Today is " + c.call.Now.Format(time.DateOnly) + "." }

// decodeError returns the error with which a tool refuses a call before any read; nil if it accepts the call.
func decodeError(tool *tools.Tool, call correct.Call) *rs.Error {
	args, err := tool.Parse(json.RawMessage(call.Arguments.JSON())) // parse the text that will be sent: it also refuses duplicate names
	if err == nil {
		_, err = args.Scope()
	}
	if err == nil {
		return nil
	}
	return rs.AsError(err)
}

// fieldMistake returns an error if the stream of a proposed call lacks one of its fields, as far as that is known without a read; else nil.
// The resource server would refuse such a call, and its error would propose another.
func (c *refusedCall) fieldMistake(ctx context.Context, call correct.Call) *rs.Error {
	return c.call.Known(call.Tool).Unknown(c.stream(ctx, call.Arguments, c.call.Tool.CachedSchema), call.Arguments, c.refused)
}

// withoutOperators returns the call that is meant by a search with operators of a mail program, or "". It adds to e.Hint which operators
// the call drops.
func (c *refusedCall) withoutOperators(ctx context.Context, e *rs.Error) string {
	refused := rs.Member{Name: c.refused.Param, Value: c.args.Get(c.refused.Param)}
	if _, _, ok := c.tool.WithoutOperators(c.args, nil); !ok || refused.Name != "q" && !c.tool.IsOperator(refused) {
		return ""
	}
	_, connection := correct.Touches(c.args)
	call, says, _ := c.tool.WithoutOperators(c.args, c.schema(ctx, "", connection))
	e.Hint = strings.TrimSpace(e.Hint + " " + says)
	return call.String()
}

// withTimeFilter returns the call with since and until as conditions on the time field of its stream, or "" if it needs no such change.
func (c *refusedCall) withTimeFilter(ctx context.Context) string {
	if !slices.Contains(localCodes, c.refused.Code) {
		return ""
	}
	call, ok := c.tool.InTimeField(c.args, func() string { return c.stream(ctx, c.args, c.schema).Time() })
	if !ok {
		return ""
	}
	if found := c.fieldMistake(ctx, call); found != nil && found.Send != "" { // such as a sort by startTime
		return found.Send
	}
	return call.String()
}

// unfiltered explains a call that needs a filter although the token may not filter. In place of a filter on an id, it proposes to fetch
// that record. In place of an aggregate whose groups each need a filtered read, it proposes to list the fields that it reads.
func (c *refusedCall) unfiltered(e *rs.Error) {
	e.Hint = "No call of this token may do that here: page through the records newest first, or search for words or a period."
	filter := c.args.Object("filter")
	ref := rs.Ref{ConnectionID: c.args.Text("connection_id"), Stream: c.args.Text("stream"), RecordID: filter.Text("id")}
	switch {
	case len(filter) == 1 && ref.RecordID != "" && c.tool.Name == "query_records":
		e.Send = correct.Call{Tool: "fetch", Arguments: rs.Object{rs.NewMember("id", ref.String())}}.String()
	case len(filter) == 0 && c.tool.Name == "aggregate":
		for _, param := range []string{"group_by", "group_by_time", "field"} {
			if name := c.args.Text(param); name != "" {
				filter = filter.With(name, "true")
			}
		}
		e.Hint = "That takes a filtered read for each group or part, and this token may not filter. " +
			"metric count works by group, and sum, min and max without one; the call below lists the values."
		e.Send = c.tool.Unfiltered(c.args.With("filter", filter.JSON()), c.refused).String()
	default:
		e.Send = c.tool.Unfiltered(c.args, c.refused).String()
	}
}

// withField returns an aggregate with the field that its metric or granularity needs, and a hint about it. It chooses a field that is known
// without a read to allow it.
func (c *refusedCall) withField(ctx context.Context) (send, hint string) {
	param := c.refused.Param
	if param != "field" && param != "group_by_time" || c.args.Has(param) || !c.tool.Takes("metric") {
		return "", ""
	}
	return c.tool.WithField(c.stream(ctx, c.args, c.call.Tool.CachedSchema), c.args, param)
}
