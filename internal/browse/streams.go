package browse

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// mostRanges is the most streams of a page whose first date is read.
const mostRanges = 60

// streams lists all streams, from a call of schema {}. The first date of each is a call of aggregate.
func (v *view) streams(ctx context.Context) g.Node {
	v.title = "Streams"
	offset, _ := strconv.Atoi(v.Get("offset")) // 0 without one
	index := v.callForData(ctx, "schema", arguments("offset", offset))
	ranges := 0
	var sources g.Group
	for i, connection := range objects(index, "data", "connections") {
		id := connection.Text("connection_id")
		var rows g.Group
		for _, stream := range objects(connection, "streams") {
			name, first, last := stream.Text("name"), "", stream.Text("newest_emitted")
			if last != "" && ranges < mostRanges {
				ranges++
				first = v.firstDay(ctx, name, id)
			}
			rows = append(rows, page.Row(
				link("records", "stream", name, "connection", id), name,
				page.Cell("number", grouped(stream.Text("records"))), page.Cell("time", cmp.Or(first, "–")), page.Cell("time", cmp.Or(last, "–")),
			))
		}
		caption := g.Group{g.Text(connection.Text("display_name", "connection_id")), small(connection.Text("connector_key"))}
		columns := []string{"Stream", "", "Records", "number", "From", "", "To", ""}
		sources = append(sources, h.Section(table("streams", "source-"+strconv.Itoa(i), caption, columns, rows)))
	}
	next, more := index.Object("next").Object("arguments").Number("offset")
	return g.Group{
		h.H1(g.Text(v.title)), v.said(), sources,
		g.If(len(sources) == 0 && v.failure == nil, page.P(g.Text("There is nothing here yet."))),
		g.If(more, pages(page.Link(link("streams", "offset", strconv.Itoa(next)), "More streams", page.Class("button")))),
	}
}

// firstDay returns the day of the oldest record of a stream; "" without a time.
func (v *view) firstDay(ctx context.Context, stream, connection string) string {
	times := v.describe(ctx, stream, connection).times()
	if len(times) == 0 {
		return ""
	}
	least := v.call(ctx, "aggregate", arguments(
		"stream", stream, "metric", "min", "connection_id", connection, "field", times[0],
	))
	day, _, _ := strings.Cut(least.Object("data").Text("value"), "T")
	return day
}

// streamNames returns the streams of a connection, or of all connections if it is empty.
func (v *view) streamNames(ctx context.Context, connection string) []string {
	var names []string
	for _, one := range objects(v.call(ctx, "schema", nil), "data", "connections") {
		for _, stream := range objects(one, "streams") {
			name := stream.Text("name")
			if (connection == "" || one.Text("connection_id") == connection) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// A described stream is the answer of schema about one stream.
type described struct {
	Fields    []streamField
	Relations []rs.Object // usable ones
	Cursor    string      // the field of the default sort order
}

type streamField struct {
	Name, Type, Role string
	Exact, Range     bool
	Months           bool // supports group_by_time
}

// Number reports whether the field is numeric.
func (f streamField) Number() bool {
	return strings.HasPrefix(f.Type, "integer") || strings.HasPrefix(f.Type, "number")
}

func (v *view) describe(ctx context.Context, stream, connection string) described {
	answer := v.call(ctx, "schema", arguments("stream", stream, "connection_id", connection))
	found := first(objects(first(objects(answer, "data", "connectors")), "streams"))
	d := described{Cursor: found.Text("cursor_field")}
	for _, capability := range found.Object("field_capabilities") {
		flags, _ := rs.AsText(capability.Value)
		d.Fields = append(d.Fields, newField(capability.Name, flags))
	}
	d.Relations = slices.DeleteFunc(objects(found, "expand_capabilities"), func(one rs.Object) bool { return !one.Flag("usable") })
	return d
}

// newField reads the flags of a field, such as "t=timestamp,role=event-time,eq,r=gte|lt,a=group_by_time|max".
func newField(name, flags string) streamField {
	values := map[string]string{}
	for flag := range strings.SplitSeq(flags, ",") {
		key, value, _ := strings.Cut(flag, "=")
		values[key] = value
	}
	_, exact := values["eq"]
	_, ranged := values["r"]
	months := slices.Contains(strings.Split(values["a"], "|"), "group_by_time")
	return streamField{Name: name, Type: values["t"], Role: values["role"], Exact: exact, Range: ranged, Months: months}
}

// value converts what a person typed to the field's type.
func (f streamField) value(typed string) any {
	switch {
	case f.Number() && json.Valid([]byte(typed)):
		return json.Number(typed)
	case strings.HasPrefix(f.Type, "boolean") && (typed == "true" || typed == "false"):
		return typed == "true"
	}
	return typed
}

// times returns the fields that support group_by_time, event times first.
func (d described) times() []string {
	var events, others []string
	for _, f := range d.Fields {
		switch {
		case f.Months && f.Role == "event-time":
			events = append(events, f.Name)
		case f.Months:
			others = append(others, f.Name)
		}
	}
	return append(events, others...)
}
