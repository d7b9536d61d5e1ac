// Package schema renders what can be read: the index of a grant, the capabilities of the fields of one stream, and the list of streams.
package schema

import (
	"cmp"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Short names for what is read and written everywhere.
type (
	object = rs.Object
	member = rs.Member
)

// A Query is the call that a schema document answers. Without Stream it is the index of the whole grant.
type Query struct {
	Stream       string
	ConnectionID string
	Full         bool
	Fields       []string // only these fields of Stream; none means all
	Meant        []string // Fields with unknown ones replaced by the most similar; nil for none
	Offset       int      // how many streams of the index, or fields of Stream, earlier answers showed
	// For an index: the list of streams with their counts, nil if unknown, and the present time.
	Counts   *rs.Response
	Now      string
	Coverage answer.Coverage // of a stream
	NoFilter bool            // the resource server refused to filter what this token reads
}

func (q Query) at(offset int) *write.Object {
	a := new(write.Object).Text("stream", q.Stream).Text("connection_id", q.ConnectionID)
	a.Text("detail", write.When(q.Full, "full"))
	a.Put("fields", write.When(len(q.Fields) > 0, write.JSONText(write.JSON(q.Fields))))
	return a.Number("offset", offset)
}

// meant returns the arguments of the call with the fields in Meant, or with all fields if that is empty.
func (q Query) meant() *write.Object {
	q.Fields = q.Meant
	return q.at(0)
}

// Render renders a schema document: an index of streams, or what one stream can do (S0-R5). structured is {"data": document}, with each
// stream row once (D5), and a legend if the document has flags. Each channel shows as many streams of an index, or fields of a stream, as
// fit, and how to continue (D18). An offset past the end is "invalid_arguments".
func Render(response *rs.Response, q Query) (text, structured string, err error) {
	const what = "schema"
	schema := response.Schema()
	switch {
	case schema.Members == nil:
		return "", "", answer.NotAnObject(response.Body, what)
	case !schema.Members.Has("connectors") && !schema.Members.Has("streams"):
		return "", "", answer.Invalid(what, "has neither connectors nor streams")
	}
	d := readSchema(schema, q)
	if q.Stream == "" && len(d.rows) > 0 {
		x, err := newIndex(d)
		if err != nil {
			return "", "", err
		}
		text, structured = x.result()
		return text, structured, nil
	}
	total := 0
	for i := range d.rows {
		total += d.rows[i].size()
	}
	if d.page, err = paging.NewByOffset("field", total, q.Offset, what, q.at); err != nil {
		return "", "", err
	}
	return d.text(), d.structured(), nil
}

// A document is a schema document with only the requested streams.
type document struct {
	*rs.Schema
	q       Query
	raw     string // as received, each stream once
	nested  bool   // the rows are in connectors[].streams
	rows    []streamRow
	page    paging.ByOffset // of the fields of all rows
	unknown []string        // fields that were requested and do not exist
}

// A streamRow is one stream of one connector. Its fields are read only for a call that names the stream.
type streamRow struct {
	rs.SchemaStream // with only the requested connections
	all             []rs.SchemaField
	fields          []rs.SchemaField // the requested ones of all, on the current page
	described       bool             // the row has no fields, and counts as one
	continued       bool             // an earlier page shows the first of its fields
}

// readSchema reads the requested streams and their fields.
func readSchema(schema *rs.Schema, q Query) *document {
	d := &document{Schema: schema, q: q, raw: schema.Raw, rows: make([]streamRow, 0, len(schema.Streams))}
	d.nested = slices.ContainsFunc(schema.Streams, func(s rs.SchemaStream) bool { return s.Connector >= 0 })
	if d.nested && schema.Members.Has("streams") { // the same rows again (D5)
		d.raw = schema.Members.Without("streams").JSON()
	}
	found := map[string]bool{}
	for _, s := range schema.Streams {
		if d.nested != (s.Connector >= 0) || q.Stream != "" && s.Name != q.Stream {
			continue
		}
		if q.ConnectionID != "" && len(s.Connections) > 0 {
			s.Connections = slices.DeleteFunc(slices.Clone(s.Connections), func(c rs.Connection) bool { return c.ID != q.ConnectionID })
			if len(s.Connections) == 0 {
				continue
			}
		}
		row := streamRow{SchemaStream: s}
		if q.Stream != "" {
			row.all = s.Fields()
			row.described = len(row.all) == 0 && len(q.Fields) == 0
		}
		for _, f := range row.all {
			if len(q.Fields) == 0 || slices.Contains(q.Fields, f.Name) {
				found[f.Name] = true
				row.fields = append(row.fields, f)
			}
		}
		d.rows = append(d.rows, row)
	}
	for _, name := range q.Fields {
		if !found[name] && !slices.Contains(d.unknown, name) {
			d.unknown = append(d.unknown, name)
		}
	}
	return d
}

func (r *streamRow) size() int {
	if r.described {
		return 1
	}
	return len(r.fields)
}

// rowsTo returns the rows of the page that ends before field to, each with only its fields on the page.
func (d *document) rowsTo(to int) []streamRow {
	var rows []streamRow
	at := 0
	for _, r := range d.rows {
		first, last := d.page.Part(at, r.size(), to)
		at += r.size()
		if first >= last {
			continue
		}
		r.continued = first > 0
		if !r.described {
			r.fields = r.fields[first:last]
		}
		rows = append(rows, r)
	}
	return rows
}

// Limits of the parts of a truncated document, in bytes, so that a field always fits.
const (
	connectorHead   = 6 << 10
	rowHead         = 8 << 10
	connectionsHead = 2500     // the connections in one of these heads
	fieldBytes      = 20 << 10 // the capabilities of a field and its property together
	unknownBytes    = 1 << 10
)

var identity = []string{
	"object", "name", "stream", "connector_key", "connector_id", "source", "connection_id", "connector_instance_id", "display_name",
	"grant_id", "cursor_field", "granted_connections", "granted_connections_total", "schema",
}

// FlagLegend explains the flags of a compact document in structured output (S0-5d).
const FlagLegend = "Flags of a field: t type, role meaning, eq exact filter, r range filter operators, lex lexical search, sem semantic search, " +
	"a aggregations, g=false not granted, declared granted without stated capabilities. cursor_field (the default order) and fields with r can be sorted."

// structured returns the document as received if it fits (S3-7a), else the part that fits, with the arguments that continue.
func (d *document) structured() string {
	if d.q.Offset == 0 && len(d.q.Fields) == 0 {
		whole := d.legend(new(write.Object).Rest(d.q.Coverage.Members()).Put("data", d.raw), d.rows).JSON()
		if write.FitsStructured(whole) {
			return whole
		}
	}
	out, _ := d.page.Fullest(d.part, write.FitsStructured)
	return out
}

// legend adds the legend if a field has capabilities in the compact form.
func (d *document) legend(out *write.Object, rows []streamRow) *write.Object {
	for i := range rows {
		if !d.q.Full && slices.ContainsFunc(rows[i].fields, func(f rs.SchemaField) bool { return f.HasFlags() }) {
			return out.Plain("legend", FlagLegend)
		}
	}
	return out
}

// part returns the document with the fields of the page that ends before field to. The arguments that continue come first, because some
// hosts cut long results.
func (d *document) part(to int) string {
	rows := d.rowsTo(to)
	out := d.page.Begin(new(write.Object).Rest(d.q.Coverage.Members()), to)
	data, shortened := d.withRows(rows)
	out.Put("unknown_fields", write.When(len(d.unknown) > 0, write.Truncate(write.JSON(d.unknown), unknownBytes)))
	out.Put("did_you_mean", write.When(len(d.unknown) > 0, write.ToolCall("schema", d.q.meant().JSON())))
	out.Put("shortened", write.When(len(shortened) > 0, write.JSON(shortened)))
	return d.legend(out.Put("data", data.JSON()), rows).JSON()
}

// withRows returns the document with only some rows, each in its connector if it was in one. shortened lists the parts that were shortened.
func (d *document) withRows(rows []streamRow) (data object, shortened []string) {
	data, cut := cutHead(d.Members.Without("connectors", "streams"), write.DocumentHead)
	streams, connectors := []string{}, []string{}
	for i := range rows {
		row, short := rows[i].part()
		streams, shortened = append(streams, row.JSON()), append(shortened, short...)
		if d.nested && (i == len(rows)-1 || rows[i+1].Connector != rows[i].Connector) {
			connector, short := cutHead(d.Connectors[rows[i].Connector].Members.Without("streams"), connectorHead)
			connectors = append(connectors, connector.With("streams", rs.JoinArray(streams)).JSON())
			cut, streams = cut || short, nil
		}
	}
	if cut {
		shortened = append([]string{"document"}, shortened...)
	}
	if d.nested || len(rows) == 0 {
		return append(data, write.Pair("connectors", rs.JoinArray(connectors))), shortened
	}
	return append(data, write.Pair("streams", rs.JoinArray(streams))), shortened
}

// cutHead truncates what each page repeats of a document, a connector or a row to max bytes, and reports whether it changed.
func cutHead(o object, max int) (_ object, cut bool) {
	if raw := o.Get("granted_connections"); len(raw) > connectionsHead {
		o = o.With("granted_connections", write.Truncate(raw, connectionsHead)).
			With("granted_connections_total", write.JSON(len(o.Array("granted_connections"))))
		cut = true
	}
	whole := o.JSON()
	return rs.AsObject(write.Truncate(whole, max)), cut || len(whole) > max
}

// part returns the row with only the fields on the page. shortened lists the parts that were shortened.
func (r *streamRow) part() (row object, shortened []string) {
	schema := r.Members.Object("schema")
	row = r.Members.Without("field_capabilities")
	if schema.Has("properties") {
		row = row.With("schema", schema.Without("properties").JSON())
	}
	if r.continued { // a later page only identifies the row
		row = slices.DeleteFunc(slices.Clone(row), func(m member) bool { return !slices.Contains(identity, m.Name) })
	}
	row, cut := cutHead(row, rowHead)
	if cut {
		shortened = append(shortened, "stream "+clean.Clip(r.Name, write.LabelChars))
	}
	if r.described {
		return row, shortened
	}
	var capabilities, properties object
	for _, f := range r.fields {
		share := write.FairShare([]int{len(f.Capabilities), len(f.Property)}, fieldBytes)
		key := f.Name
		if len(key) > write.LongestName {
			key = clean.Clip(key, write.LabelChars)
		}
		if key != f.Name || len(f.Capabilities) > share || len(f.Property) > share {
			shortened = append(shortened, "field "+clean.Clip(key, write.LabelChars))
		}
		if f.Capabilities != "" {
			capabilities = append(capabilities, write.Pair(key, write.Truncate(f.Capabilities, share)))
		}
		if f.Property != "" {
			properties = append(properties, write.Pair(key, write.Truncate(f.Property, share)))
		}
	}
	row = row.With("field_capabilities", capabilities.JSON())
	if len(properties) > 0 {
		row = row.With("schema", rs.AsObject(row.Get("schema")).With("properties", properties.JSON()).JSON())
	}
	return row, shortened
}

func connectorName(key string) string {
	return cmp.Or(write.When(key != "", write.ShownName(key)), "(no connector key)")
}
