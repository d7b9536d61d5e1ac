package tools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Additional reads that several tools make, and what they add to an answer. A read that fails adds nothing.

// knownStream returns what the schema says of a stream, or of all streams if stream is "", under the connection of the call. The schema is
// cached for a minute.
func (call Call) knownStream(ctx context.Context, stream string) known.Stream {
	return call.Tool.schemas.Of(ctx, call.RS, rs.Scope{Stream: stream, ConnectionID: call.Scope.ConnectionID})
}

// listStreams reads how many records each stream has, and how new and how fresh they are; nil if the read fails or is left out.
func listStreams(ctx context.Context, call Call) *rs.Response {
	if len(auth.PrincipalFrom(ctx).MemberTokens()) > read.MaxCountedMembers {
		return nil
	}
	return call.Tool.schemas.Streams(ctx, call.RS, call.Scope.ConnectionID)
}

// streamDetail reads how fresh a stream is, and to which time the grant is limited in it; nil if the read fails.
func streamDetail(ctx context.Context, call Call, stream string) *rs.Response {
	return read.Optional(ctx, call.RS, read.Request(call.Scope.ConnectionID, "streams", stream))
}

// absence returns how fresh the streams are in which nothing was found and, for a single stream, to which time the grant is limited. This
// distinguishes data that does not exist from data that has not arrived yet or was not granted. It makes one or two reads of each member,
// and none if the call has read (reads) more than [read.MaxCountedMembers]. list is the list of the streams; nil if it was not read.
func absence(ctx context.Context, call Call, reads int, streams ...string) (fresh render.Coverage, list *rs.Response) {
	if reads > read.MaxCountedMembers {
		return render.Coverage{}, nil
	}
	ctx, cancel := read.WithinDeadline(ctx)
	defer cancel()
	var detail *rs.Response
	list = listStreams(ctx, call)
	if len(streams) == 1 && !limitsKnown(ctx) {
		detail = streamDetail(ctx, call, streams[0])
	}
	return render.CoverageOf(list.ListedStreams(), detail, streams...), list
}

// limitsKnown reports whether the principal already has all the times to which the grant is limited. Resource servers apply these limits
// without mentioning them in an answer.
func limitsKnown(ctx context.Context) bool {
	_, known := auth.PrincipalFrom(ctx).Limits()
	return known
}

// wholeDays returns a filter in which each date means the whole day, and the lines of the answer that say how dates were read. The types
// of the fields come from the schema, which is read only if the filter has a date; without it they are unknown. It refuses a text that
// may be two numbers for a field of numbers.
func wholeDays(call Call, f filter.Filter, zone *time.Location, schema func() known.Stream) (filter.Filter, filter.DatesRead, error) {
	kindOf := func(field string) filter.DateKind { return schema().DateKind(field) }
	if c, first, second := f.TwoNumbers(kindOf); first != "" {
		e := rs.Invalid("filter", fmt.Sprintf("filter compares %s with %s, which may be %s or %s.",
			quote.Exact(c.Field), quote.Exact(c.Value.String()), first, second),
			fmt.Sprintf("Send a number without quotation marks. The call below has %s; send %s if that is meant.", first, second))
		e.Code = "invalid_filter"
		if bounds := call.Arguments.Object("filter").Object(c.Field); bounds != nil {
			first = bounds.With(c.Operator, first).JSON()
		}
		call.Arguments = withValue(call, c.Field, first)
		e.Send = call.asSent().String()
		return nil, filter.DatesRead{}, e
	}
	sent, readAs := f.WholeDays(kindOf, zone)
	return sent, readAs, nil
}

// mayRead returns the error with which a package refuses a scope without a read (S0-8a), before the schema of any member is read.
func mayRead(ctx context.Context, scope rs.Scope) error {
	if p := auth.PrincipalFrom(ctx).Package; p != nil && scope.Stream != "" {
		return p.Choose(scope)
	}
	return nil
}

// lasting reports how many records began before the filtered time and end after its start, and which call returns them. A filter on the
// start of records leaves them out: a trip from Monday to Wednesday is not over on Tuesday. It makes one read if the stream has a field for
// the end, and returns nil if there are no such records.
func lasting(ctx context.Context, call Call, f filter.Filter, schema func() known.Stream) rs.Object {
	at := slices.IndexFunc(f, func(c filter.Condition) bool { return rs.IsLowerBound(c.Operator) && known.MayStart(c.Field) })
	if at < 0 {
		return nil
	}
	from, stream := f[at], schema()
	end := stream.EndOf(from.Field)
	if end == "" || f.Has(end) {
		return nil
	}
	before := filter.Lasting(from.Field, end, stream.DateKind(from.Field), from.Value)
	n, ok := aggregate.Count(ctx, call.RS, call.Scope, slices.Concat(f.Without(from.Field), before))
	if !ok || n == 0 {
		return nil
	}
	args := call.Arguments
	conditions := before[1:]
	for _, c := range f {
		if c.Field == from.Field && rs.IsUpperBound(c.Operator) {
			conditions = append(filter.Filter{c}, conditions...)
		}
	}
	newFilter := args.Object("filter").Without(from.Field).WithAll(conditions.Object())
	note := fmt.Sprintf("began before %s but end after it, so not in this answer: %d. With these, but only what has %s", from.Value, n, end)
	return rs.Object{quote.Note("lasting", note, call.Tool.Name, args.With("filter", newFilter.JSON()))}
}

// asSent returns the call in the form in which a client sends it.
func (call Call) asSent() correct.Call {
	return correct.Call{Tool: call.Tool.Name, Arguments: call.Arguments}
}

// asMeant returns the call with those values in its filter that are meant by values that no record has.
func asMeant(call Call, empty []render.EmptyField) correct.Call {
	for _, e := range empty {
		if value := e.Meant.Object("filter").Get(e.Field); value != "" {
			call.Arguments = withValue(call, e.Field, value)
		}
	}
	return call.asSent()
}

// withValue returns the arguments of a call with another value for a field of its filter.
func withValue(call Call, field, value string) rs.Object {
	args := call.Arguments
	return args.With("filter", args.Object("filter").With(field, value).JSON())
}
