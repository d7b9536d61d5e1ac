package middleware

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

// explain returns the error with a hint and the call that is probably meant.
func (c *refusedCall) explain(ctx context.Context) *rs.Error {
	e := *c.refused
	fromServer := e.Status != 0
	switch {
	case ctx.Err() != nil: // the caller no longer waits
	case e.Code == "ambiguous_connection":
		return c.ambiguous(ctx, &e)
	case slices.Contains(sourceCodes, e.Code):
		return c.unknownName(ctx, &e)
	case e.Code == "invalid_cursor" || e.Code == "cursor_expired":
		call, hint := c.tool.Restarted(c.args, func() string { return c.stream(ctx, c.args, c.schema).Time() })
		e.Send, e.Hint = call.String(), cmp.Or(hint, e.Hint)
	case e.Code == "search_mode_unavailable":
		e.Send = c.callWith(c.args.Without("mode"))
	case c.tool.WithoutStream(c.args) && (e.Code == "invalid_arguments" || e.Code == "invalid_request"):
		_, connection := correct.Touches(c.args)
		hint, call := c.tool.OfOneStream(c.args, c.schema(ctx, "", connection))
		e.Hint, e.Send = hint, cmp.Or(call.String(), e.Send)
	case e.Status == 400 && strings.Contains(e.Message, "not supported for client-token reads"): // the schema does not reveal this limit
		c.unfiltered(&e)
	case slices.Contains(fieldCodes, e.Code) && fromServer:
		return c.refusedField(ctx, &e)
	case e.Code == "not_found":
		c.notFound(ctx, &e)
	case !fromServer:
		c.refusedHere(ctx, &e)
	}
	return &e
}

// ambiguous explains a call that may mean several connections. If none has the stream, it reports that. Otherwise it proposes one of them;
// for a record, one of several only if the resource server returned the error, and so has looked for the record.
func (c *refusedCall) ambiguous(ctx context.Context, e *rs.Error) *rs.Error {
	if e.Status == 0 {
		directory := granted(ctx) // needs no read of a member (S0-8a)
		if found := directory.Missing(c.tool, c.args); found != nil {
			return c.missing(ctx, found, directory)
		}
	}
	n, record := len(e.Connections), c.tool.Takes("id")
	canChoose := n == 1 || c.tool.Takes("connection_id") && (!record || e.Status != 0)
	if n == 0 || !canChoose {
		return e
	}
	having := correct.HavingAll(c.args.Text("stream"), c.args, func() *rs.Schema { return c.call.Tool.CachedSchema(ctx, c.args.Text("stream"), "") })
	at := max(0, slices.IndexFunc(e.Connections, func(one rs.Connection) bool { return slices.Contains(having, one.ID) }))
	e.Send = c.callWith(c.args.With("connection_id", rs.EncodeJSON(e.Connections[at].ID)))
	switch {
	case n == 1:
	case record:
		e.Hint = strings.TrimSpace(e.Hint + " The call below looks in the first alone: each may have a record of that id.")
	case at == 0:
		e.Hint = strings.TrimSpace(e.Hint + " The call below is of the first alone: for all of them send it for each.")
	}
	return e
}

// unknownName explains a call that names a stream or connection which the grant does not have.
func (c *refusedCall) unknownName(ctx context.Context, e *rs.Error) *rs.Error {
	if found := c.readGrant(ctx).Missing(c.tool, c.args); found != nil {
		if call := correct.ReadCall(found.Send); call.Tool != "" { // its fields may have other names in the proposed stream
			if unfit := c.fieldMistake(ctx, call); unfit != nil {
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

// missing adds the commands with which the owner grants what is missing to found, an error about that.
func (c *refusedCall) missing(ctx context.Context, found *rs.Error, grant correct.Grant) *rs.Error {
	found.Connect = toConnect(ctx, grant.Ungranted(c.args))
	return c.replace(found)
}

// replace adds to found, an error that replaces the one of the refused call, the status, ids and message of that one.
func (c *refusedCall) replace(found *rs.Error) *rs.Error {
	found.Status, found.Envelope, found.RequestID, found.Cause = c.refused.Status, c.refused.Envelope, c.refused.RequestID, c.refused.Cause
	found.Unavailable = c.refused.Unavailable
	unknown := slices.Contains(sourceCodes, c.refused.Code) // the server's message may blame the token: do not quote it
	if own := rs.AsObject(string(c.refused.Envelope)); unknown && c.refused.Status == 401 && own.Has("code") {
		found.Envelope = json.RawMessage(rs.Object{{Name: "code", Value: own.Get("code")}}.JSON())
	}
	if c.refused.Quoted && !unknown {
		found.ServerMessage = c.refused.Message
	}
	return found
}

// refusedField explains why a resource server refused a field or its value: the stream lacks the field, or the value has the wrong form.
func (c *refusedCall) refusedField(ctx context.Context, e *rs.Error) *rs.Error {
	if e.Code == "field_not_granted" { // propose to grant the whole streams
		streams, _ := correct.Touches(c.args)
		e.Connect = toConnect(ctx, rs.Missing{Streams: streams})
	}
	send, rewritten := c.tool.Rewritten(c.args, e)
	refiltered := rewritten && send.Arguments.Get("filter") != c.args.Get("filter")
	season := correct.SeasonSays(c.args)
	dated, relative := c.tool.Relative(c.args)
	if relative {
		c.args = dated.Arguments
	}
	mistakes := cmp.Or(correct.NoSuchDay(c.args), correct.CurrencyLeftOut(c.args))
	if refiltered { // what is moved out of the filter may be wrong too, and another form of a range does not help a field without ranges
		send = c.dated(send)
		c.args = send.Arguments
	}
	if !rewritten || refiltered {
		found := c.tool.Mistaken(c.args, c.refused, func(stream, connection string) *rs.Schema { return c.schema(ctx, stream, connection) })
		if found != nil {
			if found.Code == e.Code {
				found.Connect = e.Connect
			}
			return c.replace(found)
		}
		if e.Code == "invalid_sort" { // as far as the schema says, the field sorts
			e.Hint = "The schema does not say what else sorts. Without sort, the records are newest first or, with order asc, oldest first."
			e.Send = c.callWith(c.args.Without("sort"))
			return e
		}
	}
	switch {
	case rewritten:
		e.Send, e.Hint = send.String(), cmp.Or(mistakes, e.Hint)
	case relative:
		e.Send, e.Hint = c.callWith(c.args), strings.TrimSpace(c.today()+" "+season)
	case correct.MistakesDate(c.args):
		e.Hint = cmp.Or(correct.NoSuchDay(c.args), "A date is written as year, month, day."+c.today())
	}
	return e
}

// notFound explains why a record may not be found: its id was copied with escapes or a line number, or the record is older than the grant
// allows.
func (c *refusedCall) notFound(ctx context.Context, e *rs.Error) {
	if plain, hint, ok := c.tool.Copied(c.args); ok {
		e.Send, e.Hint = plain.String(), hint
	}
	if ref, err := rs.ParseRef(c.args.Text("id")); err == nil && e.Send == "" {
		if finds, send := correct.FindID(ref.RecordID, rs.Object{rs.NewMember("stream", ref.Stream)}); finds != "" {
			e.Send, e.Hint = send.String(), "Check the id, which must be passed exactly as printed. What is outside the grant is not found either. "+finds
		}
	}
	streams, _ := correct.Touches(c.args)
	limits, _ := auth.PrincipalFrom(ctx).Limits()
	for _, limit := range limits {
		if _, err := rs.ReadTime(limit.Since); err == nil && slices.Contains(streams, limit.Stream) { // else it may be any text
			e.Hint = "The grant is limited to records from " + limit.Since + " on: an older one is not found either. Else check the id."
			e.Connect = toConnect(ctx, rs.Missing{Streams: streams, AllTimes: true})
		}
	}
}

func (c *refusedCall) callWith(args rs.Object) string {
	return correct.Call{Tool: c.tool.Name, Arguments: args}.String()
}
