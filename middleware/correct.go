package middleware

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
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
		if found := unknownSource(ctx, known, args); found != nil {
			return tools.Reply{Call: call}, found
		}
		reply, err := next(ctx, call)
		if err == nil {
			return reply, nil
		}
		c := correcting{call: call, tool: known, args: args, refused: rs.AsError(err)}
		if named, ok := c.named(ctx); ok {
			call.Raw = json.RawMessage(named.JSON())
			return next(ctx, call)
		}
		return reply, c.explained(ctx)
	}
}

// unknownSource refuses a search of a package that names a stream which none of its grants has: the package asks those that have the
// others, and would say nothing of it.
func unknownSource(ctx context.Context, t correct.Tool, args rs.Object) error {
	p := auth.PrincipalFrom(ctx).Package
	if p == nil || !t.Takes("streams") || !args.Has("streams") {
		return nil
	}
	streams, _ := correct.Touches(args)
	for _, stream := range streams {
		if err := p.Choose(rs.Scope{Stream: stream}); err == nil || rs.AsError(err).Code != rs.AmbiguousConnection {
			continue // a grant has it, even if it cannot be read now
		}
		if found := granted(ctx).MissingStream(t, args, stream); found != nil {
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

// schema reads the compact schema; nil where that fails.
func (c *correcting) schema(ctx context.Context, stream, connection string) *rs.Schema {
	ctx, cancel := context.WithTimeout(ctx, correctDeadline)
	defer cancel()
	response, err := rs.CompactSchema(ctx, c.call.RS, stream, connection)
	if err != nil {
		return nil
	}
	return rs.ReadSchema(response.Body)
}

// explained is the error with what is nearest to what was asked for, and the call that is probably meant.
func (c *correcting) explained(ctx context.Context) *rs.Error {
	e := *c.refused
	fromServer := e.Status != 0
	switch {
	case e.Code == rs.AmbiguousConnection:
		if directory := granted(ctx); !fromServer && directory.OneConnection { // it asks no member (S0-8a)
			if found := directory.Missing(c.tool, c.args); found != nil {
				return c.instead(found)
			}
		}
		return c.withConnection(e)
	case sourceCodes[e.Code]:
		if found := c.sources(ctx).Missing(c.tool, c.args); found != nil {
			return c.instead(found)
		}
		if !fromServer {
			e.Send = correct.Call{Tool: "schema"}.String()
		}
	case e.Code == rs.InvalidCursor || e.Code == "cursor_expired":
		e.Send = c.tool.Restarted(c.args).String()
	case e.Status == 400 && strings.Contains(e.Message, "not supported for client-token reads"): // no schema says so
		e.Hint = "No call of this token may do that here: page through the records newest first, search for words or a period, or aggregate."
		e.Send = c.tool.Unfiltered(c.args, c.refused).String()
	case fieldCodes[e.Code] && fromServer:
		if send, ok := c.tool.Rewritten(c.args, &e); ok {
			e.Send = send.String()
		} else if found := c.unknownField(ctx); found != nil {
			return c.instead(found)
		}
	case !fromServer:
		e.Send = c.guess()
		e.Hint = cmp.Or(c.tool.Hint(c.args), e.Hint)
	}
	return &e
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
	return correct.ReadStream(streams[0], s).Unknown(c.tool, c.args, c.refused)
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

// guess is the call that is probably meant by arguments that the tool refused, or else one that says what is missing.
func (c *correcting) guess() string {
	if !localCodes[c.refused.Code] {
		return ""
	}
	call, ok := c.tool.Guess(c.args, c.refused)
	if !ok {
		return ""
	}
	if call.Tool == c.call.Tool.Name {
		args, err := c.call.Tool.Decode(json.RawMessage(call.Arguments.JSON()))
		if err == nil {
			_, err = args.Scope()
		}
		if err != nil || call.Arguments.JSON() == c.args.JSON() {
			call = c.tool.LookUp(c.args)
		}
	}
	return call.String()
}

// localCodes are those of arguments that were refused before any read.
var localCodes = codeSet(rs.InvalidArguments, rs.InvalidFilter, rs.InvalidExpand, rs.InvalidID, rs.ConflictingConnectionID)
