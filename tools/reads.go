package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/leftout"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// The reads that several tools make beside the one that was asked for, and what they add to its answer: nothing where one fails.

const maxCountedMembers = 8 // of a package, whose streams are counted beside an answer that can do without it

// known is what the schema says of a stream under the connection of a call, of all streams where it is ""; it is held for a minute.
func (call Call) known(ctx context.Context, stream string) known.Stream {
	return call.Tool.schemas.Of(ctx, call.RS, rs.Scope{Stream: stream, ConnectionID: call.Scope.ConnectionID})
}

// listStreams reads how many records each stream has, how new and how fresh they are; nil where that is not answered.
func listStreams(ctx context.Context, call Call) *rs.Response {
	if len(auth.PrincipalFrom(ctx).MemberTokens()) > maxCountedMembers {
		return nil
	}
	return call.Tool.schemas.Streams(ctx, call.RS, call.Scope.ConnectionID)
}

// streamDetail reads how fresh a stream is, and to which time the grant is limited in it; nil where that is not answered.
func streamDetail(ctx context.Context, call Call, stream string) *rs.Response {
	return read.Beside(ctx, call.RS, read.Request(call.Scope.ConnectionID, "streams", stream))
}

// absence says how fresh the data are that something was looked for in and not found, and of one stream to which time the grant is
// limited, so that what is absent is distinguished from what has not come yet or was not granted: one or two reads more. list is that of
// the streams; nil where it was not answered.
func absence(ctx context.Context, call Call, reads int, streams ...string) (fresh render.Coverage, list *rs.Response) {
	if reads > maxCountedMembers {
		return render.Coverage{}, nil
	}
	ctx, cancel := read.WithinDeadline(ctx)
	defer cancel()
	var detail *rs.Response
	list = listStreams(ctx, call)
	if len(streams) == 1 && !limitsKnown(ctx) {
		detail = streamDetail(ctx, call, streams[0])
	}
	return render.CoverageOf(list, detail, streams...), list
}

// limitsKnown reports whether every answer says without a read to which time the grant is limited, which resource servers apply without a
// word.
func limitsKnown(ctx context.Context) bool {
	_, known := auth.PrincipalFrom(ctx).Limits()
	return known
}

// isEmpty reports whether a list has no items, and none follow.
func isEmpty(response *rs.Response) bool {
	list, ok := response.List()
	return ok && len(list.Items) == 0 && !list.Envelope.Has("next_cursor") && !list.Envelope.Flag("has_more")
}

// aggregated computes something of the records of the call's stream; nothing where that is not answered.
func aggregated(ctx context.Context, call Call, q aggregate.Args) rs.Object {
	response, err := call.RS.Do(ctx, q.Request(rs.Scope{Stream: call.Scope.Stream, ConnectionID: call.Scope.ConnectionID}))
	if err != nil {
		return nil
	}
	return aggregate.Body(response)
}

// groupsOf are the first values of a field of the call's stream, and whether there are more; none where that is not answered.
func groupsOf(ctx context.Context, call Call, field string, limit int) (groups []aggregate.Group, more bool) {
	body := aggregated(ctx, call, aggregate.Args{Metric: "count", GroupBy: field, Limit: limit})
	beyond, _ := body.Number("other_count")
	return aggregate.Groups(body), beyond > 0
}

// counted is how many records of the call's stream a filter leaves; false where that is not answered in time.
func counted(ctx context.Context, call Call, f filter.Filter) (int, bool) {
	ctx, cancel := context.WithTimeout(ctx, read.BesideDeadline)
	defer cancel()
	return aggregated(ctx, call, aggregate.Args{Metric: "count", Filter: f}).Number("value")
}

// wholeDays returns a filter in which each date is the whole day, and what the answer says it was read as. What the fields are is read from
// the schema, and only where a filter has a date; where it cannot be read, it is not known.
func wholeDays(f filter.Filter, zone *time.Location, stated func() known.Stream) (filter.Filter, []string) {
	if !f.HasDate() {
		return f, nil
	}
	return f.WholeDays(stated().DateKind, zone)
}

// mayRead refuses, before the schema of any member of a package is read, what the package refuses without a read (S0-8a).
func mayRead(ctx context.Context, scope rs.Scope) error {
	if p := auth.PrincipalFrom(ctx).Package; p != nil && scope.Stream != "" {
		return p.Choose(scope)
	}
	return nil
}

// withMembers is an answer with more members in its body.
func withMembers(response *rs.Response, said rs.Object) *rs.Response {
	if len(said) == 0 {
		return response
	}
	return response.WithBody(response.Object().WithAll(said).JSON())
}

// lasting says how many records began before the time that the filter of a call asks for and last into it, and which call has them. A
// filter on the start leaves them out: a trip from Monday to Wednesday is not over on Tuesday. It makes one read, where the stream says when
// its records end, and returns nil where there are none.
func lasting(ctx context.Context, call Call, f filter.Filter, schema func() known.Stream) rs.Object {
	at := slices.IndexFunc(f, func(c filter.Condition) bool { return strings.HasPrefix(c.Operator, "g") && known.MayStart(c.Field) })
	if at < 0 {
		return nil
	}
	from, stated := f[at], schema()
	end := stated.EndOf(from.Field)
	if end == "" || f.Has(end) {
		return nil
	}
	before := filter.Lasting(from.Field, end, stated.DateKind(from.Field), from.Value)
	n, ok := counted(ctx, call, slices.Concat(f.Without(from.Field), before))
	if !ok || n == 0 {
		return nil
	}
	args := call.Arguments
	conditions := before[1:]
	for _, c := range f {
		if c.Field == from.Field && strings.HasPrefix(c.Operator, "l") {
			conditions = append(filter.Filter{c}, conditions...)
		}
	}
	asked := args.Object("filter").Without(from.Field).WithAll(conditions.Object())
	note := fmt.Sprintf("began before %s but end after it, so not in this answer: %d. With these, but only what has %s", from.Value, n, end)
	return rs.Object{leftout.Noted("lasting", note, correct.Call{Tool: call.Tool.Name, Arguments: args.With("filter", asked.JSON())})}
}

// asSent is a call as it would be sent again.
func (call Call) asSent() correct.Call {
	return correct.Call{Tool: call.Tool.Name, Arguments: call.Arguments}
}

// asMeant is a call with the values that are meant in its filter instead of those that no record has.
func asMeant(call Call, empty []render.EmptyField) correct.Call {
	for _, e := range empty {
		if value := e.Meant.Object("filter").Get(e.Field); value != "" {
			call.Arguments = withValue(call, e.Field, value)
		}
	}
	return call.asSent()
}

// withValue are the arguments of a call with another value for a field of its filter.
func withValue(call Call, field, value string) rs.Object {
	args := call.Arguments
	return args.With("filter", args.Object("filter").With(field, value).JSON())
}

// fieldsOf are the fields of the call's stream, under each connection that has it.
func fieldsOf(schema *rs.Schema, call Call) (all []rs.SchemaField) {
	for i := 0; schema != nil && i < len(schema.Streams); i++ {
		if stream := &schema.Streams[i]; stream.Name == call.Scope.Stream && known.HasConnection(stream, call.Scope.ConnectionID) {
			all = append(all, stream.Fields()...)
		}
	}
	return all
}

// recordRequest reads a record, or those of its fields that are named.
func recordRequest(scope rs.Scope, fields []string) rs.Request {
	r := read.Request(scope.ConnectionID, "streams", scope.Stream, "records", scope.RecordID)
	read.Set(r.Query, "fields", fields)
	return r
}

// Bounds of what is read for what may be the id of a record.
const (
	maxIDReads   = 100 // of records by their ids
	maxNamedByID = 3   // records that the answer names
)

// recordsOf are the records of an id in the first of some streams, and how many of these answered in time.
func recordsOf(ctx context.Context, call Call, scopes []rs.Scope, id string) (refs []rs.Ref, answered int) {
	ctx, cancel := context.WithTimeout(ctx, read.BesideDeadline)
	defer cancel()
	found := make([][]rs.Ref, len(scopes))
	var count atomic.Int64
	read.All(ctx, min(len(scopes), maxIDReads), func(ctx context.Context, i int) {
		refs, err := recordOf(ctx, call, scopes[i], id)
		several := rs.AsError(cmp.Or[error](err, &rs.Error{})).Connections
		for _, connection := range several[:min(len(several), maxNamedByID)] { // none was named, and each may have one
			one := scopes[i]
			one.ConnectionID = connection.ID
			of, ofOne := recordOf(ctx, call, one, id)
			refs, err = append(refs, of...), ofOne
		}
		found[i] = refs
		if err == nil || rs.AsError(err).Status == 404 {
			count.Add(1)
		}
	})
	refs = slices.Concat(found...)
	return refs[:min(len(refs), maxNamedByID)], int(count.Load())
}

// recordOf is the record of an id in a scope; none where that is not of it.
func recordOf(ctx context.Context, call Call, scope rs.Scope, id string) ([]rs.Ref, error) {
	scope.RecordID = id
	response, err := call.RS.Do(ctx, recordRequest(scope, nil))
	if err != nil {
		return nil, err
	}
	record := read.Record(response)
	if record.Text("id", "record_id", "record_key") != id {
		return nil, nil
	}
	return []rs.Ref{{ConnectionID: cmp.Or(rs.ConnectionID(record), scope.ConnectionID), Stream: scope.Stream, RecordID: id}}, nil
}
