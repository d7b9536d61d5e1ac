// Package leftout reports what an answer leaves out although a model may assume that it is there.
package leftout

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
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Units reports which fields have the units of the numbers on a page, if the call asks for the numbers but not for their units. It reads
// the schema only for a number.
func Units(requested []string, f filter.Filter, page *rs.Response, schema func() known.Stream) rs.Object {
	namesUnit := func(c filter.Condition) bool { return c.Operator == "" && written.IsUnitName(c.Field) }
	if slices.ContainsFunc(requested, written.IsUnitName) || slices.ContainsFunc(f, namesUnit) {
		return nil
	}
	list, _ := page.List()
	of := map[string][]string{} // the fields with numbers, by the field with their unit
	for _, field := range requested {
		isNumber := func(item rs.Item) bool { return written.IsNumber(item.Data.Get(field)) }
		if strings.HasSuffix(field, "_count") || !slices.ContainsFunc(list.Items, isNumber) {
			continue
		}
		if unit := schema().UnitOf(field); unit != "" && !slices.Contains(of[unit], field) {
			of[unit] = append(of[unit], field)
		}
	}
	var notes []string
	for _, unit := range slices.Sorted(maps.Keys(of)) {
		notes = append(notes, unit+", which says the unit of "+strings.Join(of[unit], ", "))
	}
	if notes == nil {
		return nil
	}
	return rs.Object{rs.NewMember("units_in", "Not asked for: "+strings.Join(notes, "; ")+".")}
}

const maxNamedUnits = 4

// MixedUnits reports that a page is sorted or filtered by numbers in several units, such as currencies, as its records show, with the call
// for one of the units.
func MixedUnits(sort string, f filter.Filter, page *rs.Response, call correct.Call) rs.Object {
	compared := []string{strings.TrimPrefix(sort, "-")}
	for _, c := range f {
		if c.Operator != "" && !slices.Contains(compared, c.Field) {
			compared = append(compared, c.Field)
		}
	}
	list, _ := page.List()
	for _, field := range compared {
		texts := map[string][]string{} // the values of the other fields
		for _, item := range list.Items {
			if !written.IsNumber(item.Data.Get(field)) {
				continue
			}
			for _, m := range item.Data {
				value, isText := written.Text(m.Value)
				if isText && (texts[m.Name] == nil || value != "" && !slices.Contains(texts[m.Name], value)) {
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
		return rs.Object{quote.Note("mixed_units", note, call.Tool, arguments)}
	}
	return nil
}

// Fields reports which connections of a stream lack fields that a call names, with the call that reads the same there; nil if none does. A
// resource server accepts a field that one of several connections has, and leaves the others out or answers without it.
func Fields(stream string, call correct.Call, stated known.Stream) rs.Object {
	if stated.Document == nil || len(stated.Connections) < 2 {
		return nil
	}
	rows := fields.Lacks(call.Tool, stated.Document, stream, call.Arguments)
	if rows == nil {
		return nil
	}
	return rs.Object{{Name: "missing_fields", Value: rs.JoinArray(rows)}}
}

// IsWarned reports whether the resource server warns that its answer leaves out a connection.
func IsWarned(response *rs.Response) bool {
	return slices.ContainsFunc(aggregate.Body(response).Object("meta").Array("warnings"), func(raw string) bool {
		return rs.AsObject(raw).Text("code") == "connection_left_out"
	})
}

var (
	answersTo = written.Expression(`(?i)thread|repl(?:y|ies)|parent`)
	digits    = written.Expression(`[0-9]+`)
)

// ThreadHead reports the record by whose id a page is filtered, such as the first message of a thread, if it exists and is not on the page.
// It makes one read, and only if the filter's value resembles the ids on the page or their last parts.
func ThreadHead(ctx context.Context, d rs.Doer, scope rs.Scope, f filter.Filter, page *rs.Response) rs.Object {
	list, _ := page.List()
	at := slices.IndexFunc(f, func(c filter.Condition) bool { return c.Operator == "" && answersTo().MatchString(c.Field) })
	if at < 0 || len(list.Items) == 0 {
		return nil
	}
	first, value := list.Items[0].Members, f[at].Value.String()
	id := first.Text("id")
	head, own := id[:strings.LastIndexByte(id, ':')+1]+value, id[strings.LastIndexByte(id, ':')+1:]
	if digits().ReplaceAllString(own, "0") != digits().ReplaceAllString(value, "0") || rs.UnsafeName(head) != "" ||
		slices.ContainsFunc(list.Items, func(item rs.Item) bool { return item.Members.Text("id") == head }) {
		return nil
	}
	connection := cmp.Or(rs.ConnectionID(first), scope.ConnectionID)
	if read.Optional(ctx, d, read.Request(connection, "streams", scope.Stream, "records", head)) == nil {
		return nil
	}
	ref := rs.Ref{ConnectionID: connection, Stream: scope.Stream, RecordID: head}
	note := fmt.Sprintf("%s is that of %s, which is not among these", f[at].Field, head)
	return rs.Object{quote.Note("thread_head", note, "fetch", rs.Object{rs.NewMember("id", ref.String())})}
}
