package middleware

import (
	"context"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// correctCall reads the arguments, rewrites those that can mean only one thing, and adds to an error the call that is probably meant. What
// explains the error comes from the cache where possible. The compact schema is read if only it can explain the error, for example if the
// resource server refused a name, or if the right call depends on the fields of a stream. A connection may be given by its display name or
// its connector if only one connection has that name.
func correctCall(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		args, err := tools.ReadArguments(call.Raw)
		if err != nil {
			return tools.Reply{}, err
		}
		call.Arguments = args
		if !correct.Mends(call.Raw, args) {
			return next(ctx, call.InZone())
		}
		call.Arguments = call.Tool.Known.Canonical(args)
		call = call.InZone()
		known := call.Tool.Known.At(call.Now)
		c := refusedCall{call: call, tool: known, args: call.Arguments}
		if found := c.unknownSource(ctx); found != nil {
			return c.answerGranted(ctx, next, tools.Reply{Call: call}, found)
		}
		reply, err := next(ctx, call)
		if err != nil {
			c.refused = rs.AsError(err)
			if named, ok := c.withConnectionID(ctx); ok {
				c.args, c.call.Arguments = named, named
				if reply, err = next(ctx, c.call); err != nil {
					c.refused = rs.AsError(err)
				}
			}
		}
		if err == nil {
			return reply, nil
		}
		return c.answerGranted(ctx, next, reply, c.explain(ctx))
	}
}

// Codes with which the resource server or a package refuses a stream or connection (sourceCodes) or a field (fieldCodes), and with which
// this program refuses arguments before any read (localCodes).
var (
	sourceCodes = []rs.Code{
		"context.stream_not_allowed", "context.instance_mismatch", "grant_stream_not_allowed", "connection_not_found", "unknown_stream", "unknown_connection",
	}
	fieldCodes = []rs.Code{
		"unknown_field", "field_not_granted", "invalid_field_path", "invalid_sort", "invalid_request", "invalid_expand", "invalid_filter", "invalid_arguments",
	}
	localCodes = []rs.Code{"invalid_arguments", "invalid_filter", "invalid_expand", "invalid_id", "conflicting_connection_id"}
)

// withConnectionID replaces the display name or connector of a connection in the arguments by its id. It returns false if they name none.
func (c *refusedCall) withConnectionID(ctx context.Context) (rs.Object, bool) {
	if !slices.Contains(sourceCodes, c.refused.Code) || c.args.Get("connection_id") == "" && c.args.Get("id") == "" {
		return nil, false
	}
	return c.readGrant(ctx).Named(c.tool, c.args)
}

// answerGranted repeats a search of several streams without those that are not granted. The reply then names the omitted streams and how
// the owner grants them. Any other call keeps its reply and error, and what it lacks is recorded in the [Request], for a new sign-in.
func (c *refusedCall) answerGranted(ctx context.Context, next tools.Handler, reply tools.Reply, refused *rs.Error) (tools.Reply, error) {
	kept, omitted, ok := c.grant.Granted(c.tool, c.args)
	if !ok || refused.Code != "unknown_stream" {
		if missing := c.grant.Ungranted(c.args); len(missing.Streams) > 0 || missing.Connection != "" {
			RequestFrom(ctx).ungranted.Store(&ungrantedCall{missing, refused})
		}
		return reply, refused
	}
	call := c.call
	call.Arguments = kept
	reply, err := next(ctx, call)
	if err != nil {
		return reply, err
	}
	reply.Ungranted = &render.Ungranted{Streams: omitted, Connect: toConnect(ctx, rs.Missing{Streams: omitted})}
	return reply, nil
}

// unknownSource returns an error for a search of a package for a stream that none of its grants has. The package itself would search the
// others without mentioning it.
func (c *refusedCall) unknownSource(ctx context.Context) *rs.Error {
	p := auth.PrincipalFrom(ctx).Package
	if p == nil || !c.tool.Takes("streams") || !c.args.Has("streams") {
		return nil
	}
	streams, _ := correct.Touches(c.args)
	for _, stream := range streams {
		if err := p.Choose(rs.Scope{Stream: stream}); err == nil || rs.AsError(err).Code != "ambiguous_connection" {
			continue // some grant has the stream, even if it cannot be read now
		}
		if c.grant = granted(ctx); len(c.grant.Sources) == 0 {
			return nil // the directory does not say which streams there are
		}
		for _, name := range streams {
			for _, u := range p.Unavailable(name) { // these have the stream too
				c.grant.Sources = append(c.grant.Sources, rs.GrantedStream{Stream: name, Connection: u.Connection})
			}
		}
		args := c.args
		if named, ok := c.grant.Named(c.tool, args); ok { // a connection was named by its display name; check with its id
			args = named
		}
		if found := c.grant.Missing(c.tool, args); found != nil {
			found.Connect = toConnect(ctx, c.grant.Ungranted(c.args))
			return found
		}
	}
	return nil
}
