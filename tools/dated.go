package tools

import (
	"context"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// datedArgs are arguments whose filter may have dates.
type datedArgs interface {
	Args
	dates() (stream string, f filter.Filter, zone *time.Location) // stream is "" where it is not one
	withFilter(filter.Filter) Args
}

// readDates returns a tool whose core is given a filter in which each date is the whole day; the answer says what it was read as. What the
// fields are is read from the schema, held for a minute, and only where a filter has a date; where it cannot be read, it is not known.
func readDates(c *known.Schemas, tool *Tool) *Tool {
	core := tool.Forward
	if core == nil {
		core = forwardOnce
	}
	tool.Forward = func(ctx context.Context, call Call) (Reply, error) {
		stream, f, zone := call.Args.(datedArgs).dates()
		if !f.HasDate() {
			return core(ctx, call)
		}
		var stated known.Stream
		if scope := (rs.Scope{Stream: stream, ConnectionID: call.Scope.ConnectionID}); stream != "" {
			if err := mayRead(ctx, call.Scope); err != nil {
				return Reply{Call: call}, err
			}
			stated = c.Of(ctx, call.RS, scope)
		}
		f, readAs := f.WholeDays(stated.DateKind, zone)
		call.Args = call.Args.(datedArgs).withFilter(f)
		reply, err := core(ctx, call)
		if err == nil && len(readAs) > 0 {
			body := reply.Response.Object()
			says := body.Array("read_as")
			for _, one := range readAs {
				says = append(says, rs.EncodeJSON(one))
			}
			reply.Response = reply.Response.WithBody(body.With("read_as", rs.JoinArray(says)).JSON())
		}
		return reply, err
	}
	return tool
}

// mayRead refuses, before the schema of any member of a package is read, what the package refuses without a read (S0-8a).
func mayRead(ctx context.Context, scope rs.Scope) error {
	if p := auth.PrincipalFrom(ctx).Package; p != nil && scope.Stream != "" {
		return p.Choose(scope)
	}
	return nil
}
