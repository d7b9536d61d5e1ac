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
	return Result{Text: text, Structured: []byte(d.structured(max))}, nil
}

// A schemaDocument is a schema document with those of its streams that were asked for.
type schemaDocument struct {
	q          SchemaQuery
	raw        string   // as received
	head       object   // less connectors and streams
	headCut    bool     // head or a connector is not whole
	connectors []object // less their streams
	rows       []schemaRow
	groups     map[int][]connection // the connections of each connector
	units      []schemaUnit
	unknown    []string // fields that were asked for and are not there
}

// A schemaUnit is what is never cut: a stream of an index, or a field of a stream.
type schemaUnit struct {
	row   int
	field int  // -1: the row itself, of an index or without fields
	first bool // the row's first
}

func (d *schemaDocument) noun() string {
	if d.q.Stream == "" {
		return "stream"
	}
	return "field"
}

// A schemaRow is one stream of one connector.
type schemaRow struct {
	head        object // less the fields
	headCut     bool   // head is not whole
	stream      string
	connector   string
	group       int // rows of one connector share it
	connections []connection
	fields      []field
	expand      []string
	cursor      string // the field that records are sorted by
	nested      bool   // it stood in connectors[].streams
}

type connection struct{ id, label string }

func readSchema(o object, raw string, q SchemaQuery) *schemaDocument {
	d := &schemaDocument{q: q, raw: raw, head: o.Without("connectors", "streams"), groups: map[int][]connection{}}
	for i, raw := range o.Array("connectors") {
		c := rs.AsObject(raw)
		d.connectors = append(d.connectors, c.Without("streams"))
		granted, key := connections(c), connectorKey(c)
		for _, stream := range c.Array("streams") {
			row := readRow(rs.AsObject(stream), granted, key)
			row.group, row.nested = i, true
			d.rows = append(d.rows, row)
		}
	}
	if len(d.rows) == 0 {
		groups := map[string]int{}
		for _, raw := range o.Array("streams") {
			row := readRow(rs.AsObject(raw), nil, "")
			if _, ok := groups[row.connector]; !ok {
				groups[row.connector] = -1 - len(groups)
			}
			row.group = groups[row.connector]
			d.rows = append(d.rows, row)
		}
	} else if o.Has("streams") { // the same rows again (D5)
		d.raw = o.Without("streams").JSON()
	}
	d.rows = slices.DeleteFunc(d.rows, func(r schemaRow) bool { return !r.matches(q) })
	d.number()
	return d
}

// number lists what a page can be cut between, and what was asked for in vain.
func (d *schemaDocument) number() {
	found := map[string]bool{}
	seen := map[int]map[connection]bool{}
	for i := range d.rows {
		r := &d.rows[i]
		if seen[r.group] == nil {
			seen[r.group] = map[connection]bool{}
		}
		for _, c := range r.connections {
			if !seen[r.group][c] {
				seen[r.group][c] = true
				d.groups[r.group] = append(d.groups[r.group], c)
			}
		}
		first := true
		if d.q.Stream != "" {
			for k := range r.fields {
				if name := r.fields[k].name; len(d.q.Fields) == 0 || slices.Contains(d.q.Fields, name) {
					found[name] = true
					d.units = append(d.units, schemaUnit{i, k, first})
					first = false
				}
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

func readRow(o object, granted []connection, connector string) schemaRow {
	row := schemaRow{stream: o.Text("name", "stream"), connector: connector, connections: connections(o), cursor: o.Text("cursor_field")}
	if len(row.connections) == 0 {
		row.connections = granted
	}
	if row.connector == "" {
		row.connector = connectorKey(o)
	}
	row.head = o.Without("field_capabilities")
	schema := o.Object("schema")
	properties := schema.Object("properties")
	described := map[string]int{}
	for _, m := range o.Object("field_capabilities") {
		described[m.Name] = len(row.fields)
		row.fields = append(row.fields, readField(m.Name, m.Value))
	}
	for _, m := range properties { // the JSON Schema of a stream is cut where its fields are
		at, ok := described[m.Name]
		if !ok {
			at = len(row.fields)
			row.fields = append(row.fields, field{name: m.Name, kind: schemaType(rs.AsObject(m.Value)), granted: true})
		}
		row.fields[at].property = m.Value
	}
	if properties != nil {
		row.head = row.head.With("schema", schema.Without("properties").JSON())
	}
	for _, raw := range o.Array("expand_capabilities") {
		if relation := readRelation(rs.AsObject(raw)); relation != "" {
			row.expand = append(row.expand, relation)
		}
	}
	return row
}

// connections are a connector's or a row's own.
func connections(o object) []connection {
	var list []connection
	for _, raw := range o.Array("granted_connections") {
		c := rs.AsObject(raw)
		if id := connectionID(c); id != "" {
			list = append(list, connection{id, c.Text("display_name")})
		}
	}
	if id := connectionID(o); id != "" && len(list) == 0 {
		list = append(list, connection{id, o.Text("display_name")})
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
		notes = append(notes, preview(c, 20))
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
