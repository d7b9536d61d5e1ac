package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

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

// flagLegend explains the flags of a compact document to those who see only structured output (S0-5d).
const flagLegend = "Flags of a field: t type, role meaning, eq exact filter, r range filter operators, lex lexical search, sem semantic search, " +
	"a aggregations, g=false not granted, declared granted without stated capabilities. cursor_field (the default order) and fields with r can be sorted."

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
		return newIndex(d).result()
	}
	if err := pastEnd(q.Offset, len(d.units), "field"); err != nil {
		return Result{}, err
	}
	return Result{Text: d.text(), Structured: d.structured()}, nil
}

// pastEnd is the error of an offset behind the last of some things; nil for any other, and where there are none.
func pastEnd(offset, total int, noun string) error {
	if total == 0 || offset < total {
		return nil
	}
	return rs.Invalid("offset", fmt.Sprintf("offset %d is past the end of the %s.", offset, plural(total, noun)),
		fmt.Sprintf("Send an offset from 0 to %d, or leave it out.", total-1))
}

// A schemaDocument is a schema document with those of its streams that were asked for.
type schemaDocument struct {
	*rs.Schema
	q       SchemaQuery
	raw     string // as received, each stream once
	nested  bool   // the rows stood in connectors[].streams
	rows    []schemaRow
	units   []schemaUnit
	unknown []string // fields that were asked for and are not there
}

// A schemaUnit is what is never cut: a stream of an index, or a field of a stream.
type schemaUnit struct {
	row   int
	field int  // -1: the row itself, of an index or without fields
	first bool // the row's first
}

// ofRow are the first of some units, all that are of one row.
func ofRow(units []schemaUnit) []schemaUnit {
	end := slices.IndexFunc(units, func(u schemaUnit) bool { return u.row != units[0].row })
	if end < 0 {
		end = len(units)
	}
	return units[:end]
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
		notes = append(notes, name(preview(r.Cardinality, 20)))
	}
	if r.Target != "" && r.Target != r.Name {
		notes = append(notes, "of "+name(r.Target))
	}
	if r.DefaultLimit != nil {
		notes = append(notes, fmt.Sprintf("default %d", *r.DefaultLimit))
	}
	if r.MaxLimit != nil {
		notes = append(notes, fmt.Sprintf("max %d", *r.MaxLimit))
	}
	if len(notes) == 0 {
		return name(r.Name)
	}
	return name(r.Name) + " (" + strings.Join(notes, ", ") + ")"
}

// matches reports whether a row is of the stream and connection that were asked for.
func (r *schemaRow) matches(q SchemaQuery) bool {
	if q.Stream != "" && r.Name != q.Stream {
		return false
	}
	return q.ConnectionID == "" || len(r.Connections) == 0 ||
		slices.ContainsFunc(r.Connections, func(c rs.Connection) bool { return c.ID == q.ConnectionID })
}

// How much of a list stands in the text of a schema, in bytes unless said otherwise.
const (
	connectionListBytes = 6 << 10 // the connections of a stream
	expandListBytes     = 2 << 10
	exampleBytes        = 1 << 10
	fieldSchemaBytes    = 1500
	unavailableBytes    = 3 << 10
	mostKinds           = 12 // of aggregation
)

// text describes as many fields of the stream as fit, from the offset on.
func (d *schemaDocument) text() string {
	if len(d.rows) == 0 {
		return clip(d.nothing(), lineChars) + d.unavailable()
	}
	from, tail := min(d.q.Offset, len(d.units)), d.unavailable()
	text, _ := fullest(len(d.units)-from, func(n int) string { return strings.Join(d.lines(from, from+n), "\n") + tail }, fitsText)
	return text
}

// noStream says what an empty grant needs.
const noStream = "This grant covers no stream. The user has to approve access to a source first."

// unavailable is what the document could not include, in lines that each begin a line.
func (d *schemaDocument) unavailable() string {
	text := withUnavailable("", d.Members)
	if len(text) <= unavailableBytes {
		return text
	}
	cut := strings.LastIndexByte(text[:unavailableBytes], '\n')
	return text[:max(cut, 0)] + "\nMore connections could not be read; see structured output."
}

// nothing says why there are no rows, and what to do.
func (d *schemaDocument) nothing() string {
	switch q := d.q; {
	case q.Stream != "" && q.ConnectionID != "":
		return "No granted stream is named " + name(q.Stream) + " in connection " + name(q.ConnectionID) + ". Call schema without arguments for the streams and connections of this grant."
	case q.Stream != "":
		return "No granted stream is named " + name(q.Stream) + ". Call schema without arguments for the streams and connections of this grant."
	case q.ConnectionID != "":
		return "Connection " + name(q.ConnectionID) + " has no granted stream. Call schema without arguments for the connections that have."
	}
	return noStream
}

// lines describe some units. Where to read on stands first and again last: some hosts cut the middle.
func (d *schemaDocument) lines(from, to int) []string {
	var lines []string
	next := ""
	if to < len(d.units) {
		next = `Next: the same call with "offset":` + strconv.Itoa(to)
		if a, whole := d.next(to); whole && !longerThan(a.call("schema"), lineChars-10) {
			next = "Next: " + a.call("schema")
		}
	}
	if from > 0 || next != "" {
		lines = append(lines, strings.TrimSpace("Shown: "+d.shown(from, to)+". "+next))
	}
	if len(d.unknown) > 0 {
		lines = append(lines, folded("Not in this stream: ", "  ", within(shownNames(d.unknown), unknownBytes))...)
	}
	lines = append(append(lines, d.detail(d.units[from:to])...), freshness(d.q.Said)...)
	if next != "" {
		lines = append(lines, next)
	}
	return lines
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
		part := shownName(c.ID)
		if c.DisplayName != "" {
			part += " " + quote(preview(c.DisplayName, labelChars))
		}
		parts = append(parts, part)
	}
	return within(parts, connectionListBytes)
}
