package tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
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
	note := fmt.Sprintf("began before %s but end after it, so not in this answer: %d. With these, but only what has %s", from.Value, n, end)
	return rs.Object{noted("lasting", note, correct.Call{Tool: call.Tool.Name, Arguments: args.With("filter", asked.JSON())})}
}

// noted is a member of an answer that says something of it, with the call that answers instead.
func noted(name, note string, instead correct.Call) rs.Member {
	call := rs.Object{rs.NewMember("tool", instead.Tool), {Name: "arguments", Value: instead.Arguments.JSON()}}
	return rs.Member{Name: name, Value: rs.Object{rs.NewMember("note", note), {Name: "instead", Value: call.JSON()}}.JSON()}
}

// unitsIn says which fields have the units of numbers that a page shows, where the call names no such field: the schema is read for a
// number only.
func (q queryRecordsArgs) unitsIn(response *rs.Response, schema func() known.Stream) rs.Object {
	told := func(c filter.Condition) bool { return c.Operator == "" && written.IsUnitName(c.Field) }
	if slices.ContainsFunc(q.fields, written.IsUnitName) || slices.ContainsFunc(q.filter, told) {
		return nil
	}
	list, _ := response.List()
	of := map[string][]string{} // the fields whose unit a field says
	for _, field := range q.fields {
		isNumber := func(item rs.Item) bool { return written.IsNumber(item.Data.Get(field)) }
		if strings.HasSuffix(field, "_count") || !slices.ContainsFunc(list.Items, isNumber) {
			continue
		}
		unit := schema().UnitOf(field)
		if unit != "" {
			of[unit] = append(of[unit], field)
		}
	}
	var says []string
	for _, unit := range slices.Sorted(maps.Keys(of)) {
		says = append(says, unit+", which says the unit of "+strings.Join(of[unit], ", "))
	}
	if says == nil {
		return nil
	}
	return rs.Object{rs.NewMember("units_in", "Not asked for: "+strings.Join(says, "; ")+".")}
}

// mixedUnits says that a page is sorted or bounded by numbers of several units, such as currencies, as its records show, and which call has
// those of one.
func (q queryRecordsArgs) mixedUnits(response *rs.Response, call Call) rs.Object {
	compared := []string{strings.TrimPrefix(q.sort, "-")}
	for _, c := range q.filter {
		if c.Operator != "" && !slices.Contains(compared, c.Field) {
			compared = append(compared, c.Field)
		}
	}
	list, _ := response.List()
	for _, field := range compared {
		texts := map[string][]string{} // the values of the other fields
		for _, item := range list.Items {
			data := item.Members.Object("data")
			for _, m := range data {
				value, isText := written.Text(m.Value)
				if isText && written.IsNumber(data.Get(field)) && (texts[m.Name] == nil || value != "" && !slices.Contains(texts[m.Name], value)) {
					texts[m.Name] = append(texts[m.Name], value)
				}
			}
		}
		unit := written.UnitField(field, slices.Collect(maps.Keys(texts)))
		values := slices.DeleteFunc(texts[unit], func(value string) bool { return value == "" })
		if len(values) < 2 {
			continue
		}
		shown := values[:min(len(values), maxNamedUnits)]
		note := fmt.Sprintf("%s is not all in one %s: %s are compared as if they were the same. Of one alone",
			field, unit, strings.Join(shown, ", "))
		one := call.Arguments.Object("filter").With(unit, rs.EncodeJSON(values[0]))
		arguments := call.Arguments.Without("cursor").With("filter", one.JSON())
		return rs.Object{noted("mixed_units", note, correct.Call{Tool: call.Tool.Name, Arguments: arguments})}
	}
	return nil
}

const maxNamedUnits = 4

var (
	answersTo = written.Expression(`(?i)thread|repl(?:y|ies)|parent`)
	digits    = written.Expression(`[0-9]+`)
)

// threadHead says which record those of a page belong to that are filtered by it, such as the first message of a thread, where it is there
// and not among them: one read, where the value is like their ids or what these end in.
func (q queryRecordsArgs) threadHead(ctx context.Context, call Call, response *rs.Response) rs.Object {
	list, _ := response.List()
	at := slices.IndexFunc(q.filter, func(c filter.Condition) bool { return c.Operator == "" && answersTo().MatchString(c.Field) })
	if at < 0 || len(list.Items) == 0 {
		return nil
	}
	first, value := list.Items[0].Members, q.filter[at].Value
	id := first.Text("id")
	head, own := id[:strings.LastIndexByte(id, ':')+1]+value, id[strings.LastIndexByte(id, ':')+1:]
	if digits().ReplaceAllString(own, "0") != digits().ReplaceAllString(value, "0") || rs.UnsafeName(head) != "" ||
		slices.ContainsFunc(list.Items, func(item rs.Item) bool { return item.Members.Text("id") == head }) {
		return nil
	}
	connection := cmp.Or(rs.ConnectionID(first), call.Scope.ConnectionID)
	if answered(ctx, func(ctx context.Context) (*rs.Response, error) {
		return call.RS.Do(ctx, read.Request(connection, "streams", q.stream, "records", head))
	}) == nil {
		return nil
	}
	ref := rs.Ref{ConnectionID: connection, Stream: q.stream, RecordID: head}
	note := fmt.Sprintf("%s is that of %s, which is not among these", q.filter[at].Field, head)
	return rs.Object{noted("thread_head", note, correct.Call{Tool: "fetch", Arguments: rs.Object{rs.NewMember("id", ref.String())}})}
}

// Over several connections a resource server takes a field that one of them has: the others are left out, or answer without it.

// missingFields says which connections of the stream lack fields that a call names, and which call reads the same there; nothing where all
// have them.
func missingFields(call Call, stated known.Stream) rs.Object {
	if stated.Document == nil || len(stated.Connections) < 2 {
		return nil
	}
	rows := fields.Lacks(call.Tool.Name, stated.Document, call.Scope.Stream, call.Arguments)
	if rows == nil {
		return nil
	}
	return rs.Object{{Name: "missing_fields", Value: rs.JoinArray(rows)}}
}

// asMeant is a call with the values that are meant in its filter instead of those that no record has.
func asMeant(call Call, empty []render.EmptyField) Call {
	for _, e := range empty {
		if value := e.Meant.Object("filter").Get(e.Field); value != "" {
			call.Arguments = withValue(call, e.Field, value)
		}
	}
	return call
}

// leavesOut reports whether a resource server warns that its answer leaves out a connection.
func leavesOut(response *rs.Response) bool {
	return slices.ContainsFunc(aggregate.Body(response).Object("meta").Array("warnings"), func(raw string) bool {
		return rs.AsObject(raw).Text("code") == "connection_left_out"
	})
}
