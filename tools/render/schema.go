package render

import (
	"fmt"
	"slices"
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
func Schema(body string, q SchemaQuery) (Result, error) {
	const what = "schema"
	body = unique(body)
	o, err := decode(body, what)
	if err != nil {
		return Result{}, err
	}
	if inner := o.Object("data"); inner != nil && !o.Has("connectors") && !o.Has("streams") {
		o, body = inner, o.Get("data")
	}
	if !o.Has("connectors") && !o.Has("streams") {
		return Result{}, invalidResponse(what, "has neither connectors nor streams")
	}
	d := readSchema(o, body, q)
	if total := len(d.units); total > 0 && q.Offset >= total {
		return Result{}, rs.Invalid("offset", fmt.Sprintf("offset %d is past the end of the %s.", q.Offset, plural(total, d.noun())),
			fmt.Sprintf("Send an offset from 0 to %d, or leave it out.", total-1))
	}
	text := d.text()
	max := StructuredHard
	if q.Stream == "" {
		max -= len(text)
	}
	return Result{Text: text, Structured: d.structured(max)}, nil
}

// A schemaDocument is a schema document with those of its streams that were asked for.
type schemaDocument struct {
	q          SchemaQuery
	own        object   // its members
	raw        string   // as received
	connectors []string // as received
	nested     bool     // the rows stood in connectors[].streams
	rows       []schemaRow
	groups     [][]connection // the connections of each connector
	units      []schemaUnit
	unknown    []string // fields that were asked for and are not there
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

func (d *schemaDocument) noun() string {
	if d.q.Stream == "" {
		return "stream"
	}
	return "field"
}

// A schemaRow is one stream of one connector. What its fields can do is read only for those who asked for the stream.
type schemaRow struct {
	raw          string // as received
	stream       string
	connector    string
	group        int // rows of one connector share it
	connections  []connection
	capabilities string // of its fields, as received
	fields       []field
	expand       []string
	cursor       string // the field that records are sorted by
}

type connection struct{ id, label string }

// A rowReader reads the rows of a document one after the other in the same room.
type rowReader struct {
	own, part         object   // the row or connector at hand, and a part of it
	capability, inner object   // of a field, and a part of that
	list              []string // what a part lists
	words             []string // of all fields: operators, kinds of aggregation, types
}

func readSchema(o object, raw string, q SchemaQuery) *schemaDocument {
	d := &schemaDocument{q: q, own: o, raw: raw, connectors: o.Array("connectors")}
	var r rowReader
	for i, raw := range d.connectors {
		r.own = rs.AsObject(raw)
		granted, key, streams := r.connections(), connectorKey(r.own), r.own.Array("streams")
		d.nested = d.nested || len(streams) > 0
		if q.Stream == "" {
			d.rows = slices.Grow(d.rows, len(streams))
		}
		for _, raw := range streams {
			row := r.row(raw, granted, key)
			row.group = i
			d.add(row, &r)
		}
	}
	if !d.nested {
		groups := map[string]int{}
		for _, raw := range o.Array("streams") {
			row := r.row(raw, nil, "")
			group, ok := groups[row.connector]
			if !ok {
				group = len(groups)
				groups[row.connector] = group
			}
			row.group = group
			d.add(row, &r)
		}
	} else if o.Has("streams") { // the same rows again (D5)
		d.raw = o.Without("streams").JSON()
	}
	d.number()
	return d
}

// add takes up a row if it was asked for. The reader has it at hand.
func (d *schemaDocument) add(row schemaRow, r *rowReader) {
	if !row.matches(d.q) {
		return
	}
	if d.q.Stream != "" {
		r.detail(&row)
	}
	d.rows = append(d.rows, row)
}

// number lists what a page can be cut between, and what was asked for in vain.
func (d *schemaDocument) number() {
	type granted struct {
		group int
		connection
	}
	seen, found := map[granted]bool{}, map[string]bool{}
	d.units = make([]schemaUnit, 0, len(d.rows))
	for i := range d.rows {
		r := &d.rows[i]
		for r.group >= len(d.groups) {
			d.groups = append(d.groups, nil)
		}
		for _, c := range r.connections {
			if key := (granted{r.group, c}); !seen[key] {
				seen[key] = true
				d.groups[r.group] = append(d.groups[r.group], c)
			}
		}
		first := true
		for k := range r.fields {
			if name := r.fields[k].name; len(d.q.Fields) == 0 || slices.Contains(d.q.Fields, name) {
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

// row reads whose stream a row is. It has the connections and the key of its connector unless it says its own.
func (r *rowReader) row(raw string, granted []connection, connector string) schemaRow {
	r.own = rs.AsObject(raw)
	row := schemaRow{raw: raw, stream: r.own.Text("name", "stream"), connector: connector, connections: r.connections(), capabilities: r.own.Get("field_capabilities")}
	if len(row.connections) == 0 {
		row.connections = granted
	}
	if row.connector == "" {
		row.connector = connectorKey(r.own)
	}
	return row
}

// detail reads what the row at hand can do.
func (r *rowReader) detail(row *schemaRow) {
	row.cursor = r.own.Text("cursor_field")
	capabilities := rs.AsObject(row.capabilities)
	row.fields = make([]field, 0, len(capabilities))
	for _, m := range capabilities {
		row.fields = append(row.fields, r.field(m.Name, m.Value))
	}
	if properties := r.own.Object("schema").Object("properties"); len(properties) > 0 {
		r.properties(row, properties)
	}
	for _, raw := range r.own.Array("expand_capabilities") {
		if relation := readRelation(rs.AsObject(raw)); relation != "" {
			row.expand = append(row.expand, relation)
		}
	}
}

// properties adds the JSON Schema of a stream, which is cut where its fields are.
func (r *rowReader) properties(row *schemaRow, properties object) {
	described := make(map[string]int, len(row.fields))
	for i := range row.fields {
		described[row.fields[i].name] = i
	}
	for _, m := range properties {
		at, ok := described[m.Name]
		if !ok {
			at = len(row.fields)
			row.fields = append(row.fields, field{name: m.Name, kind: r.schemaType(m.Value), granted: true})
		}
		row.fields[at].property = m.Value
	}
}

// connections are those that the row or connector at hand names.
func (r *rowReader) connections() []connection {
	var list []connection
	r.list, _ = rs.AsArray(r.own.Get("granted_connections"))
	for _, raw := range r.list {
		r.part = rs.AsObject(raw)
		if id := connectionID(r.part); id != "" {
			list = append(list, connection{id, r.part.Text("display_name")})
		}
	}
	if id := connectionID(r.own); id != "" && len(list) == 0 {
		list = append(list, connection{id, r.own.Text("display_name")})
	}
	return list
}

// readRelation is "attachments (has_many, default 10, max 50)", or "" for one that can not be expanded.
func readRelation(o object) string {
	relation := o.Text("name")
	if relation == "" || o.Denied("granted") || o.Denied("usable") {
		return ""
	}
	var notes []string
	if c := o.Text("cardinality"); c != "" {
		notes = append(notes, name(preview(c, 20)))
	}
	if target := o.Text("target_stream", "stream"); target != "" && target != relation {
		notes = append(notes, "of "+name(target))
	}
	if n, ok := o.Number("default_limit"); ok {
		notes = append(notes, fmt.Sprintf("default %d", n))
	}
	if n, ok := o.Number("max_limit"); ok {
		notes = append(notes, fmt.Sprintf("max %d", n))
	}
	if len(notes) == 0 {
		return name(relation)
	}
	return name(relation) + " (" + strings.Join(notes, ", ") + ")"
}

// matches reports whether a row is of the stream and connection that were asked for.
func (r *schemaRow) matches(q SchemaQuery) bool {
	if q.Stream != "" && r.stream != q.Stream {
		return false
	}
	return q.ConnectionID == "" || len(r.connections) == 0 ||
		slices.ContainsFunc(r.connections, func(c connection) bool { return c.id == q.ConnectionID })
}
