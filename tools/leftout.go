package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/correct/homes"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// What an answer leaves out that the model may take to be in it.

// A filter on when something begins leaves out what began earlier and is not over: a trip from Monday to Wednesday is on on Tuesday.

// lasting says how many records began before the time that the filter of a call asks for and last into it, and which call has them: one
// read, where the stream says when its records end. It is nothing where none does.
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
	return rs.Object{encoded("lasting", fmt.Sprintf("began before %s but end after it, so not in this answer: %d. "+
		"With these, but only what has %s: %s", from.Value, n, end, correct.Call{Tool: call.Tool.Name, Arguments: args.With("filter", asked.JSON())}))}
}

// Over several connections a resource server takes a field that one of them has: the others are left out, or answer without it.

// missingFields says which connections of the stream lack fields that a call names, and which call reads the same there; nothing where all
// have them.
func missingFields(call Call, stated known.Stream) rs.Object {
	if stated.Document == nil || len(stated.Connections) < 2 {
		return nil
	}
	rows := homes.Lacks(call.Tool.Name, stated.Document, call.Scope.Stream, call.Arguments)
	if rows == nil {
		return nil
	}
	return rs.Object{{Name: "missing_fields", Value: rs.JoinArray(rows)}}
}

// leavesOut reports whether a resource server warns that its answer leaves out a connection.
func leavesOut(response *rs.Response) bool {
	return slices.ContainsFunc(aggregate.Body(response).Object("meta").Array("warnings"), func(raw string) bool {
		return rs.AsObject(raw).Text("code") == "connection_left_out"
	})
}

// mayLack reports whether a page shows that a connection lacks a field that the call names, so that the schema is read for no other: the
// page leaves a connection out, or one of several has no record with the field. By a field that is not shown records may be sorted.
func (q queryRecordsArgs) mayLack(call Call, response *rs.Response) bool {
	if call.Scope.ConnectionID != "" || len(q.fields) == 0 && q.sort == "" && len(q.filter) == 0 {
		return false
	}
	if leavesOut(response) {
		return true
	}
	list, _ := response.List()
	connections, shown := map[string]bool{}, map[[2]string]bool{}
	for _, item := range list.Items {
		connection := rs.ConnectionID(item.Members)
		connections[connection] = true
		for _, field := range item.Members.Object("data") {
			shown[[2]string{connection, field.Name}] = true
		}
	}
	named := slices.Clone(q.fields)
	if q.sort != "" {
		named = append(named, strings.TrimPrefix(q.sort, "-"))
	}
	for connection := range connections {
		if len(connections) > 1 && slices.ContainsFunc(named, func(name string) bool { return !shown[[2]string{connection, name}] }) {
			return true
		}
	}
	return false
}

// tied is how many records after a first page of few, of one connection, have the same value of the field that it is sorted by as its last
// record: by chance some are on it and others are not.
func (q queryRecordsArgs) tied(ctx context.Context, call Call, response *rs.Response) int {
	const few = 25
	field := strings.TrimPrefix(q.sort, "-")
	list, _ := response.List()
	if field == "" || q.limit == 0 || q.limit > few || !q.position.First() || len(list.Items) < q.limit || !list.Envelope.Flag("has_more") {
		return 0
	}
	last, here := list.Items[len(list.Items)-1].Members, 0
	value := last.Object("data").Get(field)
	for _, item := range list.Items {
		if rs.ConnectionID(item.Members) != rs.ConnectionID(last) {
			return 0
		}
		if item.Members.Object("data").Get(field) == value {
			here++
		}
	}
	text, ok := rs.AsText(value)
	if !ok || text == "" {
		return 0
	}
	n, _ := counted(ctx, call, append(slices.Clone(q.filter), filter.Condition{Field: field, Value: text}))
	return max(n-here, 0)
}
