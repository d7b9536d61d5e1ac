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
	Sources []sourceRows
	Next    string
}

type sourceRows struct {
	Name, Connector string
	Streams         []streamRow
}

type streamRow struct{ Name, Link, Records, From, To string }

// streams lists what there is, as schema {} says it; the first dates are one aggregate each.
func (p *Pages) streams(ctx context.Context, q query) any {
	v := &streamsView{common: common{Title: "Streams", View: "streams"}}
	arguments := schemaArguments{}
	arguments.Offset, _ = strconv.Atoi(q.get("offset"))
	index := p.ask(ctx, &v.common, true, "schema", arguments)
	ranges := 0
	for _, raw := range index.Object("data").Array("connections") {
		connection := rs.AsObject(raw)
		source := sourceRows{Name: connection.Text("display_name", "connection_id"), Connector: connection.Text("connector_key")}
		for _, raw := range connection.Array("streams") {
			stream := rs.AsObject(raw)
			name, id := stream.Text("name"), connection.Text("connection_id")
			row := streamRow{
				Name: name, Link: link("records", "stream", name, "connection", id),
				Records: grouped(stream.Text("records")), To: stream.Text("newest_emitted"),
			}
			if row.To != "" && ranges < mostRanges {
				ranges++
				row.From = p.firstDay(ctx, &v.common, name, id)
			}
			source.Streams = append(source.Streams, row)
		}
		v.Sources = append(v.Sources, source)
	}
	if next, ok := index.Object("next").Number("offset"); ok {
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
	Relations []relation
	Cursor    string // the field by which records are sorted unless another is asked for
}

// A relation leads to the records of a stream whose key is the id of this one.
type relation struct{ Name, Target, Key string }

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
	found := first(first(answer.Object("data").Array("connectors")).Array("streams"))
	d := described{Cursor: found.Text("cursor_field")}
	for _, capability := range found.Object("field_capabilities") {
		flags, _ := rs.AsText(capability.Value)
		d.Fields = append(d.Fields, newField(capability.Name, flags))
	}
	for _, raw := range found.Array("expand_capabilities") {
		if one := rs.AsObject(raw); one.Flag("usable") {
			d.Relations = append(d.Relations, relation{one.Text("name"), one.Text("target_stream"), one.Text("foreign_key")})
		}
	}
	return d
}

// first is the first object of a list, or nil.
func first(list []string) rs.Object {
	if len(list) == 0 {
		return nil
	}
	return rs.AsObject(list[0])
}

// newField reads the flags of a field, such as "t=timestamp,role=event-time,eq,r=gte|lt,a=group_by_time|max".
func newField(name, flags string) field {
	f := field{Name: name}
	for flag := range strings.SplitSeq(flags, ",") {
		key, value, _ := strings.Cut(flag, "=")
		switch key {
		case "t":
			f.Type = value
		case "role":
			f.Role = value
		case "eq":
			f.Exact = true
		case "r":
			f.Range = true
		case "a":
			f.Months = strings.Contains("|"+value+"|", "|group_by_time|")
		}
	}
	return f
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

// of returns a field by its name; without flags if there is none.
func (d described) of(name string) field {
	for _, f := range d.Fields {
		if f.Name == name {
			return f
		}
	}
	return field{Name: name}
}

// times are the fields of time that group, that of the event first.
func (d described) times() []field {
	var times []field
	for _, f := range d.Fields {
		switch {
		case !f.Months:
		case f.Role == "event-time":
			times = slices.Insert(times, 0, f)
		default:
			times = append(times, f)
		}
	}
	return times
}

// sortable are the fields by which records are sorted.
func (d described) sortable() []string {
	var names []string
	for _, f := range d.Fields {
		if f.Range || f.Name == d.Cursor {
			names = append(names, f.Name)
		}
	}
	return names
}

// grouped writes a whole number with commas between thousands.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
