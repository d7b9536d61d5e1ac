package middleware

import (
	"context"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
)

// correctDeadline bounds the one read of a schema by which an error is explained.
const correctDeadline = 5 * time.Second

// A correcting is the correction of one refused call.
type correcting struct {
	call    tools.Call
	tool    correct.Tool
	args    rs.Object
	refused *rs.Error

	read  bool          // the grant was looked up
	grant correct.Grant // without sources where it could not be
	all   *rs.Schema    // of all streams, where it was looked up for that
}

// sources are the streams and connections of the grant: what the package's directory says, or else the resource server's schema.
func (c *correcting) sources(ctx context.Context) correct.Grant {
	if !c.read {
		c.read, c.grant = true, c.grantOf(ctx, c.schema)
	}
	return c.grant
}

// known is the grant as far as it is known without a read.
func (c *correcting) known(ctx context.Context) correct.Grant {
	return c.grantOf(ctx, c.call.Tool.Held)
}

// grantOf is the grant by its package's directory, or else by a schema that is read in one of two ways.
func (c *correcting) grantOf(ctx context.Context, read readSchema) correct.Grant {
	grant := granted(ctx)
	if len(grant.Sources) == 0 {
		if all := read(ctx, "", ""); all != nil {
			c.all, grant.Sources, grant.Schema = all, correct.Sources(all), all
		}
	}
	return grant
}

// stream is what is known of the one stream of arguments by a schema that is read in one of two ways; nothing where they name none, or
// several.
func (c *correcting) stream(ctx context.Context, args rs.Object, read readSchema) correct.Stream {
	if streams, connection := correct.Touches(args); len(streams) == 1 {
		s := c.all
		if s == nil {
			s = read(ctx, streams[0], connection)
		}
		if s != nil {
			return correct.ReadStream(streams[0], s)
		}
	}
	return correct.Stream{}
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
