package middleware

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

// correctDeadline bounds the read of a schema that explains an error.
const correctDeadline = 5 * time.Second

// A refusedCall is a call that was refused, and what is needed to say why and to propose another.
type refusedCall struct {
	call    tools.Call
	tool    correct.Tool
	args    rs.Object
	refused *rs.Error

	read  bool          // readGrant has set grant
	grant correct.Grant // has no sources if it could not be read
	all   *rs.Schema    // schema of all streams or, for a guess, of the one of the call; nil if it was not needed
}

// readGrant returns the streams and connections of the grant, from the package's directory or the resource server's schema, read once.
func (c *refusedCall) readGrant(ctx context.Context) correct.Grant {
	if !c.read {
		c.read, c.grant = true, c.grantOf(ctx, c.schema)
	}
	return c.grant
}

// cachedGrant returns the grant as far as it is known without a read.
func (c *refusedCall) cachedGrant(ctx context.Context) correct.Grant {
	return c.grantOf(ctx, c.call.Tool.CachedSchema)
}

// grantOf returns the grant from the package's directory, or else from the schema that read returns.
func (c *refusedCall) grantOf(ctx context.Context, read readSchema) correct.Grant {
	grant := granted(ctx)
	if len(grant.Sources) == 0 {
		if all := read(ctx, "", ""); all != nil {
			c.all, grant.Sources, grant.Schema = all, correct.Sources(all), all
		}
	}
	return grant
}

// stream returns the one stream that the arguments name, from the schema that read returns; the zero Stream if they name none or several.
func (c *refusedCall) stream(ctx context.Context, args rs.Object, read readSchema) correct.Stream {
	streams, connection := correct.Touches(args)
	if len(streams) != 1 {
		return correct.Stream{}
	}
	s := c.all
	if s == nil {
		s = read(ctx, streams[0], connection)
	}
	if s == nil {
		return correct.Stream{}
	}
	isIt := func(c rs.Connection) bool { return c.ID == connection || strings.EqualFold(c.DisplayName, connection) }
	isOther := func(row rs.SchemaStream) bool { return connection != "" && !slices.ContainsFunc(row.Connections, isIt) }
	rows := slices.DeleteFunc(slices.Clone(s.Streams), isOther)
	if len(rows) == 0 { // the connection is unknown
		rows = s.Streams
	}
	return correct.ReadStream(streams[0], &rs.Schema{Streams: rows})
}

// A readSchema returns the compact schema of a stream, or of all for "": by at most one read (schema), or from the cache (Tool.CachedSchema).
type readSchema func(ctx context.Context, stream, connection string) *rs.Schema

// granted returns the grant of a package from its directory, and the zero Grant for a client.
func granted(ctx context.Context) correct.Grant {
	p := auth.PrincipalFrom(ctx).Package
	if p == nil {
		return correct.Grant{}
	}
	return correct.Grant{Sources: p.Granted(), OneConnection: true}
}

// schema returns the compact schema, which is cached for a minute, or nil if it cannot be read.
func (c *refusedCall) schema(ctx context.Context, stream, connection string) *rs.Schema {
	ctx, cancel := context.WithTimeout(ctx, correctDeadline)
	defer cancel()
	return c.call.Tool.Schema(ctx, c.call.RS, stream, connection)
}

// toConnect returns the commands with which the owner grants what is missing; nil if nothing is missing or the caller has no terminal.
func toConnect(ctx context.Context, missing rs.Missing) []string {
	terms := auth.PrincipalFrom(ctx).Terms
	if terms == nil || terms.Connect == nil || len(missing.Streams) == 0 && missing.Connection == "" {
		return nil
	}
	return terms.Connect(missing)
}
