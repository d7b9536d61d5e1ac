package browse

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	mostColumns = 6   // of a table, beside the title
	cellRunes   = 120 // of a value in a table
	longCell    = 40  // bytes from which a value is long
)

type recordsView struct {
	common
	Stream, Connection, Source string
	Count                      string
	Fields                     []field // that filter
	Operators                  any
	Filters                    []filter // as many as the form has
	Sorts                      []string
	Sort, Order                string
	Columns                    []field
	Rows                       []recordRow
	Hidden                     int // columns that are not shown
	First, Next, Months        string
}

type recordRow struct {
	Title, Link string
	Cells       []cell
}

type cell struct{ Text, Class string }

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
	v := &recordsView{
		common: common{Title: q.get("stream"), View: "records"}, Stream: q.get("stream"), Connection: q.get("connection"),
		Operators: operators, Sort: q.get("sort"), Order: q.get("order"),
	}
	d := p.describe(ctx, &v.common, v.Stream, v.Connection)
	v.Sorts = d.sortable()
	for _, f := range d.Fields {
		if f.Exact || f.Range {
			v.Fields = append(v.Fields, f)
		}
	}
	v.Filters = append(slices.Clone(q.filters), filter{})[:min(len(q.filters)+1, maxFilters)]
	if len(d.times()) > 0 {
		v.Months = link("months", "stream", v.Stream, "connection", v.Connection)
	}
	if v.Failure != nil { // of the schema: the table would fail alike
		return v
	}
	sort := v.Sort
	if sort != "" && v.Order == "desc" {
		sort = "-" + sort
	}
	answer := p.ask(ctx, &v.common, true, "query_records", queryArguments{
		Stream: v.Stream, Connection: v.Connection, Filter: filterArgument(d, q.filters), Sort: sort,
		Limit: 25, Count: "exact", Cursor: q.get("cursor"),
	}).Object("data")
	v.Count = grouped(answer.Object("meta").Object("count").Text("value"))
	title := v.setColumns(d)
	for _, raw := range answer.Array("data") {
		record := rs.AsObject(raw)
		v.Source = record.Text("display_name")
		v.Rows = append(v.Rows, newRecordRow(record, title, v.Columns))
	}
	if cursor := answer.Text("next_cursor"); cursor != "" {
		v.Next = q.with("cursor", cursor).link()
	}
	if q.get("cursor") != "" {
		v.First = q.with("cursor", "").link()
	}
	return v
}

// setColumns chooses what the table shows, and returns the field that names a record: its time and who first, lists and ids last.
func (v *recordsView) setColumns(d described) (title string) {
	var leading, last []field
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
			v.Columns = append(v.Columns, f)
		}
	}
	v.Columns = slices.Concat(leading, v.Columns, last)
	v.Hidden = max(0, len(v.Columns)-mostColumns)
	v.Columns = v.Columns[:len(v.Columns)-v.Hidden]
	return title
}

func newRecordRow(record rs.Object, title string, columns []field) recordRow {
	ref := rs.Ref{ConnectionID: rs.ConnectionID(record), Stream: record.Text("stream"), RecordID: record.Text("id")}
	data := record.Object("data")
	row := recordRow{Title: shown(data.Get(title), cellRunes), Link: link("record", "id", ref.String())}
	if row.Title == "" {
		row.Title = shortened(ref.RecordID, cellRunes)
	}
	for _, f := range columns {
		c := cell{Text: shown(data.Get(f.Name), cellRunes)}
		switch {
		case f.Number():
			c.Class = "number"
		case strings.HasPrefix(f.Type, "timestamp") || strings.HasPrefix(f.Type, "date"):
			c.Class = "time"
		case len(c.Text) > longCell:
			c.Class = "long"
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}

// shown is the text of a JSON value on one line, of at most so many runes: "" for none.
func shown(raw string, most int) string {
	text, ok := rs.AsText(raw)
	if !ok {
		text = raw
	}
	if items, list := rs.AsArray(raw); list {
		var texts []string
		for _, item := range items {
			texts = append(texts, shown(item, most))
		}
		text = strings.Join(texts, ", ")
	}
	return shortened(strings.Join(strings.Fields(text), " "), most)
}

// shortened is the start of a text.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// filterArgument is the filter of a call, with values of the fields' types.
func filterArgument(d described, filters []filter) map[string]any {
	if len(filters) == 0 {
		return nil
	}
	all := map[string]any{}
	for _, f := range filters {
		value := d.of(f.Field).value(f.Value)
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
