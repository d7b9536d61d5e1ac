package browse

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// mostRanges bounds for how many streams of a page the first date is asked.
const mostRanges = 60

type streamsView struct {
	common
	Sources []source
}

// A source is a connection of the index of the schema, and a streamRow a stream of it.
type (
	source struct {
		rs.Object
		Streams []streamRow
	}
	streamRow struct {
		rs.Object
		Link, From string
	}
)

// streams lists what there is, as schema {} says it; the first dates are one aggregate each.
func (p *Pages) streams(ctx context.Context, q query) any {
	v := &streamsView{common: common{query: q, Title: "Streams"}}
	arguments := schemaArguments{}
	arguments.Offset, _ = strconv.Atoi(q.Get("offset"))
	index := p.ask(ctx, &v.common, true, "schema", arguments)
	ranges := 0
	for _, connection := range objects(index, "data", "connections") {
		id, of := connection.Text("connection_id"), source{Object: connection}
		for _, stream := range objects(connection, "streams") {
			name := stream.Text("name")
			row := streamRow{Object: stream, Link: link("records", "stream", name, "connection", id)}
			if stream.Text("newest_emitted") != "" && ranges < mostRanges {
				ranges++
				row.From = p.firstDay(ctx, &v.common, name, id)
			}
			of.Streams = append(of.Streams, row)
		}
		v.Sources = append(v.Sources, of)
	}
	if next, ok := index.Object("next").Object("arguments").Number("offset"); ok {
		v.Next = link("streams", "offset", strconv.Itoa(next))
	}
	return v
}

// firstDay returns the day of the oldest record of a stream; "" without a time.
func (p *Pages) firstDay(ctx context.Context, c *common, stream, connection string) string {
	times := p.describe(ctx, c, stream, connection).times()
	if len(times) == 0 {
		return ""
	}
	least := p.ask(ctx, c, false, "aggregate", aggregateArguments{Stream: stream, Metric: "min", Connection: connection, Field: times[0].Name})
	day, _, _ := strings.Cut(least.Object("data").Text("value"), "T")
	return day
}

// Arguments of tools, in the order in which they are shown.
type (
	schemaArguments struct {
		Stream     string `json:"stream,omitempty"`
		Connection string `json:"connection_id,omitempty"`
		Offset     int    `json:"offset,omitempty"`
	}
	aggregateArguments struct {
		Stream      string `json:"stream"`
		Metric      string `json:"metric"`
		Connection  string `json:"connection_id,omitempty"`
		Field       string `json:"field,omitempty"`
		Time        string `json:"group_by_time,omitempty"`
		Granularity string `json:"granularity,omitempty"`
	}
)

// A described stream is what schema says of it.
type described struct {
	Fields    []field
	Relations []rs.Object // that lead to the records of a stream whose key is the id of this one
	Cursor    string      // the field by which records are sorted unless another is asked for
}

// A field is what schema says of one.
type field struct {
	Name, Type, Role string
	Exact, Range     bool
	Months           bool // its values group by time
}

// Number reports a field of numbers.
func (f field) Number() bool {
	return strings.HasPrefix(f.Type, "integer") || strings.HasPrefix(f.Type, "number")
}

// describe asks for the schema of a stream.
func (p *Pages) describe(ctx context.Context, c *common, stream, connection string) described {
	answer := p.ask(ctx, c, false, "schema", schemaArguments{Stream: stream, Connection: connection})
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
func newField(name, flags string) field {
	values := map[string]string{}
	for flag := range strings.SplitSeq(flags, ",") {
		key, value, _ := strings.Cut(flag, "=")
		values[key] = value
	}
	_, exact := values["eq"]
	_, ranged := values["r"]
	months := slices.Contains(strings.Split(values["a"], "|"), "group_by_time")
	return field{Name: name, Type: values["t"], Role: values["role"], Exact: exact, Range: ranged, Months: months}
}

// value is what a person typed, as JSON of the field's type.
func (f field) value(typed string) any {
	switch {
	case f.Number() && json.Valid([]byte(typed)):
		return json.Number(typed)
	case strings.HasPrefix(f.Type, "boolean") && (typed == "true" || typed == "false"):
		return typed == "true"
	}
	return typed
}

// times are the fields of time that group, that of the event first.
func (d described) times() []field {
	times := slices.DeleteFunc(slices.Clone(d.Fields), func(f field) bool { return !f.Months })
	if at := slices.IndexFunc(times, func(f field) bool { return f.Role == "event-time" }); at > 0 {
		times = slices.Concat(times[at:at+1], times[:at], times[at+1:])
	}
	return times
}
