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
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

// explained is the error with what is nearest to what was asked for, and the call that is probably meant.
func (c *correcting) explained(ctx context.Context) *rs.Error {
	e := *c.refused
	fromServer := e.Status != 0
	switch {
	case e.Code == "ambiguous_connection":
		return c.ambiguous(ctx, &e)
	case slices.Contains(sourceCodes, e.Code):
		return c.unknownName(ctx, &e)
	case e.Code == "invalid_cursor" || e.Code == "cursor_expired":
		c.restarted(ctx, &e)
	case e.Code == "search_mode_unavailable":
		e.Send = c.with(c.args.Without("mode"))
	case c.tool.WithoutStream(c.args) && (e.Code == "invalid_arguments" || e.Code == "invalid_request"):
		c.inStream(ctx, &e)
	case e.Status == 400 && strings.Contains(e.Message, "not supported for client-token reads"): // no schema says so
		e.Hint = "No call of this token may do that here: page through the records newest first, or search for words or a period."
		e.Send = c.tool.Unfiltered(c.args, c.refused).String()
	case slices.Contains(fieldCodes, e.Code) && fromServer:
		return c.refusedField(ctx, &e)
	case e.Code == "not_found":
		c.notFound(ctx, &e)
	case !fromServer:
		c.refusedHere(ctx, &e)
	}
	return &e
}

// ambiguous says which stream none of several connections has, or proposes the first connection to choose from: for a record only where
// the resource server looked for it.
func (c *correcting) ambiguous(ctx context.Context, e *rs.Error) *rs.Error {
	if e.Status == 0 {
		directory := granted(ctx) // it asks no member (S0-8a)
		if found := directory.Missing(c.tool, c.args); found != nil {
			return c.missing(ctx, found, directory)
		}
	}
	record := c.tool.Takes("id")
	if n := len(e.Connections); n == 1 || n > 1 && (!record || e.Status != 0) && c.tool.Takes("connection_id") {
		e.Send = c.with(c.args.With("connection_id", rs.EncodeJSON(e.Connections[0].ID)))
		if n > 1 && record {
			e.Hint = strings.TrimSpace(e.Hint + " The call below looks in the first alone: each may have a record of that id.")
		} else if n > 1 {
			e.Hint = strings.TrimSpace(e.Hint + " The call below is of the first alone: for all of them send it for each.")
		}
	}
	return e
}

// unknownName says which stream or connection the grant has not.
func (c *correcting) unknownName(ctx context.Context, e *rs.Error) *rs.Error {
	if found := c.sources(ctx).Missing(c.tool, c.args); found != nil {
		if call := correct.ReadCall(found.Send); call.Tool != "" { // it may have fields that the other stream calls otherwise
			if unfit := c.unfit(ctx, call); unfit != nil {
				found.Hint = strings.TrimSpace(unfit.Message+" "+unfit.Hint) + " " + found.Hint
				found.Send = cmp.Or(unfit.Send, c.tool.LookUp(call.Arguments).String())
			}
		}
		return c.missing(ctx, found, c.grant)
	}
	if e.Status == 0 {
		e.Send = correct.Call{Tool: "schema"}.String()
	}
	return e
}

// missing is an error about what a grant has not, with how the owner grants it.
func (c *correcting) missing(ctx context.Context, found *rs.Error, grant correct.Grant) *rs.Error {
	found.Connect = toConnect(ctx, grant.Ungranted(c.args))
	return c.instead(found)
}

// instead is an error of ours in place of the resource server's, whose own words are quoted below it.
func (c *correcting) instead(found *rs.Error) *rs.Error {
	found.Status, found.Envelope, found.RequestID, found.Cause = c.refused.Status, c.refused.Envelope, c.refused.RequestID, c.refused.Cause
	found.Unavailable = c.refused.Unavailable
	unknown := slices.Contains(sourceCodes, c.refused.Code) // of which it may speak as if the token were at fault
	if own := rs.AsObject(string(c.refused.Envelope)); unknown && c.refused.Status == 401 && own.Has("code") {
		found.Envelope = json.RawMessage(rs.Object{{Name: "code", Value: own.Get("code")}}.JSON())
	}
	if c.refused.Quoted && !unknown {
		found.Said = c.refused.Message
	}
	return found
}

// restarted proposes the call from the first page on, or from the day that was sent as changes_since.
func (c *correcting) restarted(ctx context.Context, e *rs.Error) {
	call, hint := c.tool.Restarted(c.args, func() string { return c.stream(ctx, c.args, c.schema).Time() })
	e.Send, e.Hint = call.String(), cmp.Or(hint, e.Hint)
}

// refusedField explains what a resource server refused of fields and their values: a value in another form than it takes, or a field that
// the stream has not.
func (c *correcting) refusedField(ctx context.Context, e *rs.Error) *rs.Error {
	now := time.Now().UTC()
	send, rewritten := c.tool.Rewritten(c.args, e)
	noRange := strings.Contains(e.Message, "Range filters are not supported") // however its bounds are written
	if rewritten && noRange {
		c.args = send.Arguments
	}
	season := correct.SeasonSays(c.args)
	dated, relative := c.tool.Relative(c.args, now)
	if relative {
		c.args = dated.Arguments
	}
	if !rewritten || noRange {
		if found := c.unknownField(ctx); found != nil {
			if found.Code == e.Code {
				found.Connect = c.fieldConnect(ctx)
			}
			return c.instead(found)
		}
	}
	today := now.Format(time.DateOnly)
	switch {
	case rewritten:
		e.Send, e.Hint = send.String(), cmp.Or(correct.NoSuchDay(c.args), correct.CurrencyLeftOut(c.args), e.Hint)
	case relative:
		e.Send, e.Hint = c.with(c.args), strings.TrimSpace("Today is "+today+". "+season)
	case correct.MistakesDate(c.args):
		e.Hint = "A date is written as year, month, day: today is " + today + "."
	}
	e.Connect = c.fieldConnect(ctx)
	return e
}

// notFound says what may keep a record from being found: an id that was copied encoded, or the time that a grant begins with.
func (c *correcting) notFound(ctx context.Context, e *rs.Error) {
	if plain, ok := c.tool.Unescaped(c.args); ok {
		e.Send, e.Hint = plain.String(), "The record's own id is percent-encoded in a pdpp:// id only. The call below has it as it is."
	}
	if alone, ok := c.tool.WithoutLine(c.args); ok {
		e.Send, e.Hint = alone.String(), correct.LineHint
	}
	if ref, err := rs.ParseRef(c.args.Text("id")); err == nil && e.Send == "" {
		if finds, send := correct.FindID(ref.RecordID, rs.Object{{Name: "stream", Value: rs.EncodeJSON(ref.Stream)}}); finds != "" {
			e.Send, e.Hint = send.String(), "Check the id, which must be passed exactly as printed. What is outside the grant is not found either. "+finds
		}
	}
	streams, _ := correct.Touches(c.args)
	limits, _ := auth.PrincipalFrom(ctx).Limits()
	for _, limit := range limits {
		if limit.Since != "" && slices.Contains(streams, limit.Stream) {
			e.Hint = "The grant is limited to records from " + limit.Since + " on: an older one is not found either. Else check the id."
			e.Connect = toConnect(ctx, rs.Missing{Streams: streams, AllTimes: true})
		}
	}
}

// refusedHere explains arguments that were refused before any read.
func (c *correcting) refusedHere(ctx context.Context, e *rs.Error) {
	e.Hint = cmp.Or(correct.NoSuchDay(c.args), c.tool.Hint(c.args), e.Hint)
	if send, hint := c.withField(ctx); send != "" {
		e.Send, e.Hint = send, strings.TrimSpace(e.Hint+" "+hint)
	} else if e.Send = cmp.Or(e.Send, c.withoutOperators(ctx), c.timed(ctx)); e.Send == "" {
		if dated, ok := c.tool.Relative(c.args, time.Now().UTC()); ok && (e.Param == "since" || e.Param == "until") {
			if e.Send = dated.String(); len(dated.Arguments) > len(c.args) {
				e.Hint = correct.BothBounds
			}
		} else {
			c.guess(ctx, e)
		}
	}
	if e.Send == "" {
		if streams, send := c.known(ctx).Home(c.tool, c.args); send.Tool != "" {
			e.Hint, e.Send = strings.TrimSpace(e.Hint+" "+streams), send.String()
		}
	}
	if call := correct.ReadCall(e.Send); call.Tool != "" { // with the streams that there are, as far as those are known
		if missing := c.known(ctx).Missing(c.call.Tool.Named(call.Tool).Known, call.Arguments); missing != nil {
			e.Send = cmp.Or(missing.Send, e.Send)
		}
	}
	e.Hint = strings.TrimSpace(e.Hint + " " + correct.SeasonSays(c.args))
}

// guess adds to an error the call that is probably meant by arguments that the tool refused, with what it leaves out, or else one that
// says what is missing.
func (c *correcting) guess(ctx context.Context, e *rs.Error) {
	if !slices.Contains(localCodes, c.refused.Code) {
		return
	}
	call, ok := c.tool.Guess(c.args, c.refused)
	if !ok { // by the names of its fields, as far as those are known, it may mean one
		if found := c.unfit(ctx, correct.Call{Tool: c.tool.Name, Arguments: c.args}); found != nil && found.Send != "" {
			e.Send = c.accepted(correct.ReadCall(found.Send)).String()
		}
		return
	}
	if in, ok := c.known(ctx).InFolder(c.tool, c.args); ok {
		call = in
	} else if missing := c.known(ctx).Missing(c.call.Tool.Named(call.Tool).Known, call.Arguments); missing != nil && missing.Send != "" {
		call = correct.ReadCall(missing.Send)
	}
	call = c.accepted(call)
	e.Send = call.String()
	if call.Tool != "schema" && c.refused.Code != "invalid_expand" { // which says what to leave out
		e.Hint = strings.TrimSpace(e.Hint + " " + call.LeavesOut(c.args))
	}
	switch found := c.unfit(ctx, call); {
	case found == nil:
		stream := c.stream(ctx, c.args, c.call.Tool.Held)
		if instead, hint, ok := c.tool.Unsearched(stream, c.args); ok {
			e.Send, e.Hint = instead.String(), hint
		} else {
			e.Hint = strings.TrimSpace(e.Hint + " " + hint)
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
		call.Arguments = tool.Known.Canonical(call.Arguments)
	}
	if dated, ok := tool.Known.Relative(call.Arguments, time.Now().UTC()); ok {
		call = dated
	}
	if call.Tool != c.tool.Name {
		if refused := refusal(tool, call); refused != nil {
			call, _ = tool.Known.Guess(call.Arguments, refused)
		}
	}
	if call.Tool == tool.Name && refusal(tool, call) == nil {
		return call
	}
	return c.tool.LookUp(c.args)
}
