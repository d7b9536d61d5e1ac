package middleware

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/correct/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// correctDeadline bounds the one read of a schema by which an error is explained.
const correctDeadline = 5 * time.Second

// correctCall reads the arguments, takes those that are certain to mean one thing as if they had been written so, and puts the call that
// is probably meant beside an error. An error of ours is corrected from what is known without a read. Only if the resource server or a
// package refused a name that it alone knows (a stream, field, connection or relation), the compact schema is read, once. A connection's
// display name is taken for its id where only one connection has it.
func correctCall(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		args, err := tools.ReadArguments(call.Raw)
		if err != nil {
			return tools.Reply{}, err
		}
		call.Arguments = args
		if !correct.Mends(call.Raw, args) {
			return next(ctx, call)
		}
		known := call.Tool.Known
		call.Arguments = known.Canonical(args)
		c := correcting{call: call, tool: known, args: call.Arguments}
		if found := c.unknownSource(ctx); found != nil {
			return c.partly(ctx, next, tools.Reply{Call: call}, found)
		}
		reply, err := next(ctx, call)
		if err != nil {
			c.refused = rs.AsError(err)
			if named, ok := c.named(ctx); ok {
				c.args, c.call.Arguments = named, named
				if reply, err = next(ctx, c.call); err != nil {
					c.refused = rs.AsError(err)
				}
			}
		}
		if err == nil {
			reply.Ungranted = outsideTime(ctx, known, c.args, reply.Response)
			return reply, nil
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
			RequestFrom(ctx).noteUngranted(missing, refused)
		}
		return reply, refused
	}
	call := c.call
	call.Arguments = kept
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
		if found := c.grant.Missing(c.tool, c.args); found != nil {
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

// named returns the arguments with the id of the connection that they name by its display name or connector.
func (c *correcting) named(ctx context.Context) (rs.Object, bool) {
	if !sourceCodes[c.refused.Code] || c.args.Get("connection_id") == "" && c.args.Get("id") == "" {
		return nil, false
	}
	return c.sources(ctx).Named(c.tool, c.args)
}

// sources are the streams and connections of the grant: what the package's directory says, or else the resource server's schema.
func (c *correcting) sources(ctx context.Context) correct.Grant {
	if !c.read {
		c.read, c.grant = true, c.grantOf(ctx, c.schema)
	}
	return c.grant
}

// grantOf is the grant by its package's directory, or else by a schema that is read in one of two ways.
func (c *correcting) grantOf(ctx context.Context, read readSchema) correct.Grant {
	grant := granted(ctx)
	if len(grant.Sources) == 0 {
		if s := read(ctx, "", ""); s != nil {
			grant.Sources = correct.Sources(s)
		}
	}
	return grant
}

// stream is what is known of the one stream of arguments by a schema that is read in one of two ways; nothing where they name none, or
// several.
func (c *correcting) stream(ctx context.Context, args rs.Object, read readSchema) fields.Stream {
	if streams, connection := correct.Touches(args); len(streams) == 1 {
		if s := read(ctx, streams[0], connection); s != nil {
			return fields.Read(streams[0], s)
		}
	}
	return fields.Stream{}
}

// A readSchema reads the compact schema of a stream, or of all: by at most one read, or without any.
type readSchema func(ctx context.Context, stream, connection string) *rs.Schema

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
	if c.call.Tool.Schema == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, correctDeadline)
	defer cancel()
	return c.call.Tool.Schema(ctx, c.call.RS, stream, connection)
}

// toConnect are the commands by which the owner grants what is missing; none where nothing is, or where the caller has no terminal.
func toConnect(ctx context.Context, missing rs.Missing) []string {
	terms := auth.PrincipalFrom(ctx).Terms
	if terms == nil || terms.Connect == nil || len(missing.Streams) == 0 && missing.Connection == "" {
		return nil
	}
	return terms.Connect(missing)
}

// refusal is the error by which a tool refuses a call without a read; nil if it takes it.
func refusal(tool *tools.Tool, call correct.Call) *rs.Error {
	args, err := tool.Parse(json.RawMessage(call.Arguments.JSON())) // as it will be sent, so that no name is given twice
	if err == nil {
		_, err = args.Scope()
	}
	if err == nil {
		return nil
	}
	return rs.AsError(err)
}
