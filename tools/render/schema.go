package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// Schema renders a schema document: an index of streams, or what one stream can do (S0-R5). Structured is {"data": document},
// each stream row once (D5), and a legend beside it where the document has flags. What does not fit is cut between two streams
// of an index or two fields of a stream, on each channel for itself; each says what it shows and how to read on (D18). An
// offset past the end is rs.InvalidArguments.
func Schema(response *rs.Response, q SchemaQuery) (Result, error) {
	const what = "schema"
	schema := response.Schema()
	switch {
	case schema.Members == nil:
		return Result{}, notAnObject(response.Body, what)
	case !schema.Members.Has("connectors") && !schema.Members.Has("streams"):
		return Result{}, invalidResponse(what, "has neither connectors nor streams")
	}
	d := readSchema(schema, q)
	if q.Stream == "" && len(d.rows) > 0 {
		x, err := newIndex(d)
		if err != nil {
			return Result{}, err
		}
		return x.result(), nil
	}
	var err error
	if d.page, err = newOffsetPage("field", len(d.units), q.Offset, what, q.at); err != nil {
		return Result{}, err
	}
	return Result{Text: d.text(), Structured: d.structured()}, nil
}

// A SchemaQuery is the call that a schema document answers. Without Stream it is the index of the whole grant.
type SchemaQuery struct {
	Stream       string
	ConnectionID string
	Full         bool
	Fields       []string // only these fields of Stream; none means all
	Offset       int      // how many streams of the index, or fields of Stream, an earlier answer showed
	// Of an index: the list of streams, with their counts, nil where it is not known; and the present time.
	Counts *rs.Response
	Now    string
	Said   rs.Object // of a stream: how fresh it is, and to which time the grant is limited in it
}

// at returns the arguments that read on at an offset.
func (q SchemaQuery) at(offset int) *arguments {
	a := new(arguments).text("stream", q.Stream).text("connection_id", q.ConnectionID)
	if q.Full {
		a.text("detail", "full")
	}
	if len(q.Fields) > 0 {
		a.put("fields", jsonText(encode(q.Fields)))
	}
	return a.number("offset", offset)
}

// A schemaDocument is a schema document with those of its streams that were asked for.
type schemaDocument struct {
	*rs.Schema
	q       SchemaQuery
	raw     string // as received, each stream once
	nested  bool   // the rows stood in connectors[].streams
	rows    []schemaRow
	units   []schemaUnit
	page    offsetPage
	unknown []string // fields that were asked for and are not there
}

// A schemaRow is one stream of one connector. What its fields can do is read only for those who asked for the stream.
type schemaRow struct {
	rs.SchemaStream
	group  int // the connector, of a row that stood in one
	fields []field
	expand []string
	cursor string // the field that records are sorted by
}

// A field is a field of a row.
type field struct {
	rs.SchemaField
	shortened bool // its capabilities or its JSON Schema are not complete
}

// A schemaUnit is what is never cut: a stream of an index, or a field of a stream.
type schemaUnit struct {
	row   int
	field int  // -1: the row itself, of an index or without fields
	first bool // the row's first
}

func readSchema(schema *rs.Schema, q SchemaQuery) *schemaDocument {
	d := &schemaDocument{Schema: schema, q: q, raw: schema.Raw}
	d.nested = slices.ContainsFunc(schema.Streams, func(s rs.SchemaStream) bool { return s.Connector >= 0 })
	if d.nested && schema.Members.Has("streams") { // the same rows again (D5)
		d.raw = schema.Members.Without("streams").JSON()
	}
	for _, s := range schema.Streams {
		row := schemaRow{SchemaStream: s, group: s.Connector}
		if d.nested != (s.Connector >= 0) {
			continue
		}
		if !row.matches(q) {
			continue
		}
		if q.Stream != "" {
			row.detail()
		}
		d.rows = append(d.rows, row)
	}
	d.number()
	return d
}

// How much of a list is in the text of a schema, in bytes unless said otherwise.
const (
	connectionListBytes = 6 << 10 // the connections of a stream
	expandListBytes     = 2 << 10
	exampleBytes        = 1 << 10
	fieldSchemaBytes    = 1500
	mostKinds           = 12 // of aggregation
)

// ofRow are the first of some units, all that are of one row.
func ofRow(units []schemaUnit) []schemaUnit {
	end := slices.IndexFunc(units, func(u schemaUnit) bool { return u.row != units[0].row })
	if end < 0 {
		end = len(units)
	}
	return units[:end]
}

// detail reads what the row can do.
func (r *schemaRow) detail() {
	r.cursor = r.Members.Text("cursor_field")
	for _, f := range r.Fields() {
		r.fields = append(r.fields, field{SchemaField: f})
	}
	for _, relation := range r.Relations() {
		r.expand = append(r.expand, relationText(relation))
	}
}

// number lists what a page can be cut between, and what was asked for in vain.
func (d *schemaDocument) number() {
	found := map[string]bool{}
	d.units = make([]schemaUnit, 0, len(d.rows))
	for i := range d.rows {
		r := &d.rows[i]
		first := true
		for k := range r.fields {
			if name := r.fields[k].Name; len(d.q.Fields) == 0 || slices.Contains(d.q.Fields, name) {
				found[name] = true
				d.units = append(d.units, schemaUnit{i, k, first})
				first = false
			}
		}
		if first && len(d.q.Fields) == 0 {
			d.units = append(d.units, schemaUnit{i, -1, true})
		}
	}
	for _, name := range d.q.Fields {
		if !found[name] && !slices.Contains(d.unknown, name) {
			d.unknown = append(d.unknown, name)
		}
	}
}

// relationText is "attachments (has_many, default 10, max 50)".
func relationText(r rs.Relation) string {
	var notes []string
	if r.Cardinality != "" {
		notes = append(notes, clean.Name(clean.Preview(r.Cardinality, 20)))
	}
	if r.Target != "" && r.Target != r.Name {
		notes = append(notes, "of "+clean.Name(r.Target))
	}
	if r.DefaultLimit != nil {
		notes = append(notes, fmt.Sprintf("default %d", *r.DefaultLimit))
	}
	if r.MaxLimit != nil {
		notes = append(notes, fmt.Sprintf("max %d", *r.MaxLimit))
	}
	if len(notes) == 0 {
		return clean.Name(r.Name)
	}
	return clean.Name(r.Name) + " (" + strings.Join(notes, ", ") + ")"
}

// matches reports whether a row is of the stream and connection that were asked for.
func (r *schemaRow) matches(q SchemaQuery) bool {
	if q.Stream != "" && r.Name != q.Stream {
		return false
	}
	return q.ConnectionID == "" || len(r.Connections) == 0 ||
		slices.ContainsFunc(r.Connections, func(c rs.Connection) bool { return c.ID == q.ConnectionID })
}

func connectorName(key string) string {
	if key == "" {
		return "(no connector key)"
	}
	return shownName(key)
}

// connectionList is `cin_a "Work mail"`, `cin_b "Personal mail"`, as many as fit.
func connectionList(list []rs.Connection) []string {
	var parts []string
	for _, c := range list {
		parts = append(parts, labelled(shownName(c.ID), c.DisplayName))
	}
	return within(parts, connectionListBytes)
}

// flagLegend explains the flags of a compact document to those who see only structured output (S0-5d).
const flagLegend = "Flags of a field: t type, role meaning, eq exact filter, r range filter operators, lex lexical search, sem semantic search, " +
	"a aggregations, g=false not granted, declared granted without stated capabilities. cursor_field (the default order) and fields with r can be sorted."
