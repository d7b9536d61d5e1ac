package browse

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	mostColumns = 6  // of a table, beside the title
	longCell    = 40 // bytes from which a value is long
)

type recordsView struct {
	common
	Fields  []field  // that filter
	Form    []filter // as many as the form has
	Sorts   []string // fields by which records are sorted
	Named   string   // the field that names a record
	Columns []field
	Hidden  int // columns that are not shown
	Found   rs.Object
	Records []rs.Object
	Months  string // the link to the counts
}

type queryArguments struct {
	Stream     string         `json:"stream"`
	Connection string         `json:"connection_id,omitempty"`
	Filter     map[string]any `json:"filter,omitempty"`
	Sort       string         `json:"sort,omitempty"`
	Limit      int            `json:"limit"`
	Count      string         `json:"count"`
	Cursor     string         `json:"cursor,omitempty"`
}

// records is a table of one stream, as query_records answers it.
func (p *Pages) records(ctx context.Context, q query) any {
	stream, connection := q.Get("stream"), q.Get("connection")
	v := &recordsView{common: common{query: q, Title: stream}, Form: slices.Clone(q.Filters)}
	if len(v.Form) < maxFilters {
		v.Form = append(v.Form, filter{})
	}
	d := p.describe(ctx, &v.common, stream, connection)
	if len(d.times()) > 0 {
		v.Months = link("months", "stream", stream, "connection", connection)
	}
	v.setFields(d)
	if v.Failure != nil { // of the schema: the table would fail alike
		return v
	}
	sort := q.Get("sort")
	if sort != "" && q.Get("order") == "desc" {
		sort = "-" + sort
	}
	v.Found = p.ask(ctx, &v.common, true, "query_records", queryArguments{
		Stream: stream, Connection: connection, Filter: filterArgument(d.Fields, q.Filters), Sort: sort,
		Limit: 25, Count: "exact", Cursor: q.Get("cursor"),
	}).Object("data")
	v.Records = objects(v.Found, "data")
	v.turn(v.Found.Text("next_cursor"))
	return v
}

// setFields chooses what the form offers, and what the table shows: its time and who first, lists and ids last.
func (v *recordsView) setFields(d described) {
	var leading, last []field
	for _, f := range d.Fields {
		if f.Exact || f.Range {
			v.Fields = append(v.Fields, f)
		}
		if f.Range || f.Name == d.Cursor {
			v.Sorts = append(v.Sorts, f.Name)
		}
		switch {
		case f.Role == "primary-title" && v.Named == "":
			v.Named = f.Name
		case f.Role == "event-time":
			leading = slices.Insert(leading, 0, f)
		case f.Role == "actor":
			leading = append(leading, f)
		case f.Type == "array" || f.Name == "id":
			last = append(last, f)
		case f.Type != "blob":
			v.Columns = append(v.Columns, f)
		}
	}
	v.Columns = slices.Concat(leading, v.Columns, last)
	v.Hidden = max(0, len(v.Columns)-mostColumns)
	v.Columns = v.Columns[:len(v.Columns)-v.Hidden]
}

// Class is how a table shows a text of the field.
func (f field) Class(text string) string {
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

// recordLink leads to a record of a list.
func recordLink(record rs.Object) string {
	ref := rs.Ref{ConnectionID: rs.ConnectionID(record), Stream: record.Text("stream"), RecordID: record.Text("id")}
	return link("record", "id", ref.String())
}

// filterArgument is the filter of a call, with values of the fields' types.
func filterArgument(fields []field, filters []filter) map[string]any {
	all := map[string]any{}
	for _, f := range filters {
		value := any(f.Value)
		if at := slices.IndexFunc(fields, func(one field) bool { return one.Name == f.Field }); at >= 0 {
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
