package middleware

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// correctDeadline bounds the one read of a schema by which an error is explained.
const correctDeadline = 5 * time.Second

// correctCall takes arguments that are certain to mean one thing as if they had been written so, and puts the call that is probably
// meant beside an error. An error of ours is corrected from what is known without a read. Only if the resource server or a package
// refused a name that it alone knows (a stream, field, connection or relation), the compact schema is read, once. A connection's
// display name is taken for its id where only one connection has it.
func correctCall(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		args, ok := correct.Arguments(call.Raw)
		if !ok {
			return next(ctx, call)
		}
		known := call.Tool.Known
		if canonical, changed := known.Canonical(args); changed {
			args, call.Raw = canonical, json.RawMessage(canonical.JSON())
		}
		c := correcting{call: call, tool: known, args: args}
		if found := c.unknownSource(ctx); found != nil {
			return c.partly(ctx, next, tools.Reply{Call: call}, found)
		}
		reply, err := next(ctx, call)
		if err == nil {
			reply.Ungranted = outsideTime(ctx, known, args, reply.Response)
			return reply, nil
		}
		c.refused = rs.AsError(err)
		if named, ok := c.named(ctx); ok {
			c.args, c.call.Raw = named, json.RawMessage(named.JSON())
			if reply, err = next(ctx, c.call); err == nil {
				reply.Ungranted = outsideTime(ctx, known, c.args, reply.Response)
				return reply, nil
			}
			c.refused = rs.AsError(err)
		}
		return c.partly(ctx, next, reply, c.explained(ctx))
	}
}

// partly answers a search of several streams of which some are not granted for the others, and says which those are and how the owner
// grants them. Any other call keeps its reply and error.
func (c *correcting) partly(ctx context.Context, next tools.Handler, reply tools.Reply, refused *rs.Error) (tools.Reply, error) {
	kept, left, ok := c.grant.Granted(c.tool, c.args)
	if !ok || refused.Code != rs.UnknownStream {
		if missing := c.grant.Ungranted(c.args); len(missing.Streams) > 0 || missing.Connection != "" {
			RequestFrom(ctx).NoteUngranted(missing, refused)
		}
		return reply, refused
	}
	call := c.call
	call.Raw = json.RawMessage(kept.JSON())
	reply, err := next(ctx, call)
	if err != nil {
		return reply, err
	}
	u := outsideTime(ctx, c.tool, kept, reply.Response)
	if u == nil {
		u = &render.Ungranted{}
	}
	u.Streams, u.Connect = left, toConnect(ctx, rs.Missing{Streams: left, AllTimes: len(u.Times) > 0})
	reply.Ungranted = u
	return reply, nil
}

// unknownSource refuses a search of a package that names a stream which none of its grants has: the package asks those that have the
// others, and would say nothing of it.
func (c *correcting) unknownSource(ctx context.Context) *rs.Error {
	p := auth.PrincipalFrom(ctx).Package
	if p == nil || !c.tool.Takes("streams") || !c.args.Has("streams") {
		return nil
	}
	streams, _ := correct.Touches(c.args)
	for _, stream := range streams {
		if err := p.Choose(rs.Scope{Stream: stream}); err == nil || rs.AsError(err).Code != rs.AmbiguousConnection {
			continue // a grant has it, even if it cannot be read now
		}
		c.grant = granted(ctx)
		if found := c.grant.MissingStream(c.tool, c.args, stream); found != nil {
			found.Connect = toConnect(ctx, c.grant.Ungranted(c.args))
			return found
		}
	}
	return nil
}

// A correcting is the correction of one refused call.
type correcting struct {
	call    tools.Call
	tool    correct.Tool
	args    rs.Object
	refused *rs.Error

	read  bool          // the grant was looked up
	grant correct.Grant // without sources where it could not be
}

// Codes by which a call is refused for a name that the resource server or a package does not know.
var (
	sourceCodes = codeSet("context.stream_not_allowed", "context.instance_mismatch",
		rs.GrantStreamNotAllowed, rs.ConnectionNotFound, rs.UnknownStream, rs.UnknownConnection)
	fieldCodes = codeSet("unknown_field", "field_not_granted", "invalid_field_path", "invalid_sort", "invalid_request",
		rs.InvalidExpand, rs.InvalidFilter, rs.InvalidArguments)
)

func codeSet(list ...rs.Code) map[rs.Code]bool {
	set := map[rs.Code]bool{}
	for _, code := range list {
		set[code] = true
	}
	return set
}

// named returns the arguments with the id of the connection that they name by its display name.
func (c *correcting) named(ctx context.Context) (rs.Object, bool) {
	if !sourceCodes[c.refused.Code] || c.args.Get("connection_id") == "" && c.args.Get("id") == "" {
		return nil, false
	}
	return c.sources(ctx).Named(c.args)
}

// sources are the streams and connections of the grant: what the package's directory says, or else the resource server's schema.
func (c *correcting) sources(ctx context.Context) correct.Grant {
	if c.read {
		return c.grant
	}
	c.read = true
	if c.grant = granted(ctx); len(c.grant.Sources) > 0 {
		return c.grant
	}
	if s := c.schema(ctx, "", ""); s != nil {
		c.grant.Sources = correct.Sources(s)
	}
	return c.grant
}

// granted is what a package's directory says of its streams; nothing for the grant of a client.
func granted(ctx context.Context) correct.Grant {
	p := auth.PrincipalFrom(ctx).Package
	if p == nil {
		return correct.Grant{}
	}
	return correct.Grant{Sources: p.Granted(), OneConnection: true}
}

// schema is the compact schema, held for a minute; nil where it cannot be read.
func (c *correcting) schema(ctx context.Context, stream, connection string) *rs.Schema {
	ctx, cancel := context.WithTimeout(ctx, correctDeadline)
	defer cancel()
	if c.call.Tool.Schema == nil {
		return nil
	}
	return c.call.Tool.Schema(ctx, c.call.RS, stream, connection)
}

// explained is the error with what is nearest to what was asked for, and the call that is probably meant.
func (c *correcting) explained(ctx context.Context) *rs.Error {
	e := *c.refused
	fromServer := e.Status != 0
	switch {
	case e.Code == rs.AmbiguousConnection:
		if directory := granted(ctx); !fromServer && directory.OneConnection { // it asks no member (S0-8a)
			if found := directory.Missing(c.tool, c.args); found != nil {
				found.Connect = toConnect(ctx, directory.Ungranted(c.args))
				return c.instead(found)
			}
		}
		return c.withConnection(e)
	case sourceCodes[e.Code]:
		if found := c.sources(ctx).Missing(c.tool, c.args); found != nil {
			found.Connect = toConnect(ctx, c.grant.Ungranted(c.args))
			return c.instead(found)
		}
		if !fromServer {
			e.Send = correct.Call{Tool: "schema"}.String()
		}
	case e.Code == rs.InvalidCursor || e.Code == "cursor_expired":
		e.Send = c.tool.Restarted(c.args).String()
		if day, ok := correct.ChangesSinceDay(c.args); ok {
			e.Hint = "changes_since is no date but next_changes_since of an answer. The call below reads what is of that time."
			e.Send = c.sinceDay(ctx, day).String()
		}
	case e.Code == "search_mode_unavailable":
		e.Send = correct.Call{Tool: c.tool.Name, Arguments: c.args.Without("mode")}.String()
	case c.tool.WithoutStream(c.args) && (e.Code == rs.InvalidArguments || e.Code == "invalid_request"):
		c.inStream(ctx, &e)
	case e.Status == 400 && strings.Contains(e.Message, "not supported for client-token reads"): // no schema says so
		e.Hint = "No call of this token may do that here: page through the records newest first, or search for words or a period."
		e.Send = c.tool.Unfiltered(c.args, c.refused).String()
	case fieldCodes[e.Code] && fromServer:
		send, rewritten := c.tool.Rewritten(c.args, &e)
		noRange := strings.Contains(e.Message, "Range filters are not supported") // however its bounds are written
		if rewritten && noRange {
			c.args = send.Arguments
		}
		dated, relative := c.tool.Relative(c.args, time.Now().UTC())
		if relative {
			c.args = dated.Arguments
		}
		var found *rs.Error
		if !rewritten || noRange {
			found = c.unknownField(ctx)
		}
		switch {
		case found != nil:
			if found.Code == e.Code {
				found.Connect = c.fieldConnect(ctx)
			}
			return c.instead(found)
		case rewritten:
			e.Send, e.Hint = send.String(), cmp.Or(correct.NoSuchDay(c.args), correct.CurrencyLeftOut(c.args), e.Hint)
		case relative:
			e.Send, e.Hint = correct.Call{Tool: c.tool.Name, Arguments: c.args}.String(), "Today is "+time.Now().UTC().Format(time.DateOnly)+"."
		case correct.MistakesDate(c.args):
			e.Hint = "A date is written as year, month, day: today is " + time.Now().UTC().Format(time.DateOnly) + "."
		}
		e.Connect = c.fieldConnect(ctx)
	case e.Code == rs.NotFound:
		if plain, ok := c.tool.Unescaped(c.args); ok {
			e.Send, e.Hint = plain.String(), "The record's own id is percent-encoded in a pdpp:// id only. The call below has it as it is."
		}
		streams, _ := correct.Touches(c.args)
		limits, _ := auth.PrincipalFrom(ctx).Limits()
		for _, limit := range limits {
			if limit.Since != "" && slices.Contains(streams, limit.Stream) {
				e.Hint = "The grant is limited to records from " + limit.Since + " on: an older one is not found either. Else check the id."
				e.Connect = toConnect(ctx, rs.Missing{Streams: streams, AllTimes: true})
			}
		}
	case !fromServer:
		e.Hint = cmp.Or(correct.NoSuchDay(c.args), c.tool.Hint(c.args), e.Hint)
		if send, hint := c.withField(ctx); send != "" {
			e.Send, e.Hint = send, strings.TrimSpace(e.Hint+" "+hint)
			break
		}
		if e.Send = cmp.Or(e.Send, c.withoutOperators(ctx), c.timed(ctx)); e.Send == "" {
			if dated, ok := c.tool.Relative(c.args, time.Now().UTC()); ok && (e.Param == "since" || e.Param == "until") {
				e.Send = dated.String()
				break
			}
			c.guess(ctx, &e)
		}
		if streams, send := c.known(ctx).Home(c.tool, c.args); e.Send == "" && send.Tool != "" {
			e.Hint, e.Send = strings.TrimSpace(e.Hint+" "+streams), send.String()
		}
	}
	return &e
}

// toConnect are the commands by which the owner grants what is missing; none where nothing is, or where the caller has no terminal.
func toConnect(ctx context.Context, missing rs.Missing) []string {
	terms := auth.PrincipalFrom(ctx).Terms
	if terms == nil || terms.Connect == nil || len(missing.Streams) == 0 && missing.Connection == "" {
		return nil
	}
	return terms.Connect(missing)
}

// instead is an error of ours in place of the resource server's, whose own words are quoted below it.
func (c *correcting) instead(found *rs.Error) *rs.Error {
	found.Status, found.Envelope, found.RequestID, found.Cause = c.refused.Status, c.refused.Envelope, c.refused.RequestID, c.refused.Cause
	found.Unavailable = c.refused.Unavailable
	if c.refused.Quoted && !sourceCodes[c.refused.Code] { // of an unknown name it speaks of the token, and misleads
		found.Said = c.refused.Message
	}
	return found
}

// withConnection proposes the first connection that there is to choose from.
func (c *correcting) withConnection(e rs.Error) *rs.Error {
	if len(e.Connections) > 0 && c.tool.Takes("connection_id") {
		e.Send = correct.Call{Tool: c.tool.Name, Arguments: c.args.With("connection_id", rs.EncodeJSON(e.Connections[0].ID))}.String()
	}
	return &e
}

// guess adds to an error the call that is probably meant by arguments that the tool refused, with what it leaves out, or else one that
// says what is missing.
func (c *correcting) guess(ctx context.Context, e *rs.Error) {
	if !localCodes[c.refused.Code] {
		return
	}
	call, ok := c.tool.Guess(c.args, c.refused)
	if !ok {
		return
	}
	call = c.accepted(call)
	e.Send = call.String()
	if call.Tool != "schema" && c.refused.Code != rs.InvalidExpand { // which says what to leave out
		e.Hint = strings.TrimSpace(e.Hint + " " + call.LeavesOut(c.args))
	}
	switch found := c.unfit(ctx, call); {
	case found == nil:
		if instead, hint, ok := c.held(ctx, c.args).Unsearched(c.tool, c.args); ok {
			e.Send, e.Hint = instead.String(), hint
		}
	case found.Send != "":
		e.Send, e.Hint = found.Send, strings.TrimSpace(e.Hint+" "+found.Message+" "+found.Hint)
	default: // the hint is of a call that is refused
		e.Send, e.Hint = c.tool.LookUp(c.args).String(), found.Message
		if search, ok := c.tool.Sought(c.args); ok {
			e.Send, e.Hint = search.String(), found.Message+" Search reads words: the call below finds the records that have them."
		}
	}
}

// accepted is a proposed call in the form that its tool takes. Arguments that were meant for another tool may need a second guess; what
// is refused even so is looked up.
func (c *correcting) accepted(call correct.Call) correct.Call {
	tool := c.call.Tool
	if call.Tool != tool.Name {
		tool = tool.Named(call.Tool)
		call.Arguments, _ = tool.Known.Canonical(call.Arguments)
		if dated, ok := tool.Known.Relative(call.Arguments, time.Now().UTC()); ok {
			call = dated
		}
		if refused := refusal(tool, call); refused != nil {
			call, _ = tool.Known.Guess(call.Arguments, refused)
		}
	}
	if call.Tool == tool.Name && refusal(tool, call) == nil {
		return call
	}
	return c.tool.LookUp(c.args)
}

// localCodes are those of arguments that were refused before any read.
var localCodes = codeSet(rs.InvalidArguments, rs.InvalidFilter, rs.InvalidExpand, rs.InvalidID, rs.ConflictingConnectionID)
