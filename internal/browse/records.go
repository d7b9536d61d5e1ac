package browse

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	mostColumns = 6   // of a table, besides the title
	longCell    = 40  // bytes; a longer value is styled as long
	mostRunes   = 120 // of a cell
)

// records shows a table of one stream, from a call of query_records.
func (v *view) records(ctx context.Context) g.Node {
	stream, connection := v.Get("stream"), v.Get("connection")
	v.title = stream
	d := v.describe(ctx, stream, connection)
	var found rs.Object
	if v.failure == nil { // else this call would fail the same way
		sort := v.Get("sort")
		if sort != "" && v.Get("order") == "desc" {
			sort = "-" + sort
		}
		found = v.callForData(ctx, "query_records", arguments(
			"stream", stream, "connection_id", connection, "filter", filterArgument(d.Fields, v.Filters), "sort", sort,
			"limit", 25, "count", "exact", "cursor", v.Get("cursor"),
		)).Object("data")
	}
	records, none := objects(found, "data"), "No records."
	if len(v.Filters) > 0 {
		none = "No record passes the filter."
	}
	return g.Group{
		trail("", ""), h.H1(g.Text(stream), g.If(connection != "", small(first(records).Text("display_name")))),
		g.If(len(d.times()) > 0, page.P(page.Link(link("months", "stream", stream, "connection", connection), "Counts by month"))),
		v.said(), v.filterForm(d),
		g.If(v.failure == nil, g.Group{
			recordTable(d, records, found.Object("meta").Object("count").Text("value")),
			g.If(len(records) == 0, page.P(g.Text(none))),
		}),
		v.turns(found.Text("next_cursor")),
	}
}

// filterForm is the form to filter and sort a stream; nil if none of its fields can filter.
func (v *view) filterForm(d described) g.Node {
	fields, sorts := []string{""}, []string{""}
	for _, f := range d.Fields {
		if f.Exact || f.Range {
			fields = append(fields, f.Name)
		}
		if f.Range || f.Name == d.Cursor {
			sorts = append(sorts, f.Name)
		}
	}
	if len(fields) == 1 {
		return nil
	}
	filters := slices.Clone(v.Filters)
	if len(filters) < maxFilters {
		filters = append(filters, filter{})
	}
	rows, legend := g.Group{}, "Only records where"
	for i, f := range filters {
		number := "-" + strconv.Itoa(i)
		rows = append(rows, h.FieldSet(h.Legend(g.Text(legend)), h.Div(
			page.Class("row"),
			choose("filter"+number, "filter", "Field", f.Field, fields, map[string]string{"": "any"}),
			choose("operator"+number, "operator", "Comparison", f.Operator, operators, words),
			page.Field("value"+number, "Value", h.Input(
				h.ID("value"+number), h.Name("value"), h.Type("text"), h.Value(f.Value), g.Attr("spellcheck", "false"), h.AutoComplete("off"),
			)),
		)))
		legend = "And where"
	}
	return h.Details(
		page.Class("tools"), g.If(v.Get("sort") != "" || len(v.Filters) > 0 || v.failure != nil, g.Attr("open")),
		h.Summary(g.Text("Filter and sort")),
		asks(
			"records", []string{"stream", v.Get("stream"), "connection", v.Get("connection")}, rows,
			h.Div(
				page.Class("row"),
				g.If(len(sorts) > 1, g.Group{
					choose("sort", "sort", "Sort by", v.Get("sort"), sorts, map[string]string{"": "as they come"}),
					choose("order", "order", "Order", v.Get("order"), choices["order"], words),
				}),
				submit("Apply"),
			),
		),
	)
}

// recordTable shows the most telling fields of records, each with a link to the whole record.
func recordTable(d described, records []rs.Object, count string) g.Node {
	title, columns := columnsOf(d)
	caption := g.Group{g.Text(counted(count, "record"))}
	if hidden := len(columns) - mostColumns; hidden > 0 {
		columns = columns[:mostColumns]
		caption = append(caption, small(counted(strconv.Itoa(hidden), "more field")+" in each"))
	}
	head := []string{"Record", ""}
	for _, f := range columns {
		head = append(head, f.Name, f.class(""))
	}
	return table("records", "records-title", caption, head, g.Map(records, func(record rs.Object) g.Node {
		data := record.Object("data")
		var cells g.Group
		for _, f := range columns {
			text := shortened(data.Get(f.Name), mostRunes)
			cells = append(cells, page.Cell(f.class(text), text))
		}
		return page.Row(recordLink(record), cmp.Or(shortened(data.Get(title), mostRunes), shortened(record.Get("id"), mostRunes)), cells...)
	}))
}

// columnsOf returns the title field of a stream and the other columns of a table: event time and actor first, lists and ids last.
func columnsOf(d described) (title string, columns []streamField) {
	var leading, last []streamField
	for _, f := range d.Fields {
		switch {
		case f.Role == "primary-title" && title == "":
			title = f.Name
		case f.Role == "event-time":
			leading = slices.Insert(leading, 0, f)
		case f.Role == "actor":
			leading = append(leading, f)
		case f.Type == "array" || f.Name == "id":
			last = append(last, f)
		case f.Type != "blob":
			columns = append(columns, f)
		}
	}
	return title, slices.Concat(leading, columns, last)
}

// class returns the CSS class of a cell with a text of the field.
func (f streamField) class(text string) string {
	switch {
	case f.Number():
		return "number"
	case strings.HasPrefix(f.Type, "timestamp"), strings.HasPrefix(f.Type, "date"), strings.HasPrefix(f.Type, "local_time"):
		return "time"
	case len(text) > longCell:
		return "long"
	}
	return ""
}

func recordLink(record rs.Object) string {
	ref := rs.Ref{ConnectionID: rs.ConnectionID(record), Stream: record.Text("stream"), RecordID: record.Text("id")}
	return link("record", "id", ref.String())
}

// filterArgument returns the filter of a call, with values converted to the fields' types.
func filterArgument(fields []streamField, filters []filter) map[string]any {
	all := map[string]any{}
	for _, f := range filters {
		value := any(f.Value)
		if at := slices.IndexFunc(fields, func(one streamField) bool { return one.Name == f.Field }); at >= 0 {
			value = fields[at].value(f.Value)
		}
		if f.Operator == "" {
			all[f.Field] = value
			continue
		}
		compared, ok := all[f.Field].(map[string]any)
		if !ok {
			compared = map[string]any{}
			all[f.Field] = compared
		}
		compared[f.Operator] = value
	}
	return all
}
