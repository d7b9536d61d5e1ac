package render

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// What the parts of a document that does not fit take at most, in bytes, so that a field always fits beside them.
const (
	documentHead    = 4 << 10
	connectorHead   = 6 << 10
	rowHead         = 8 << 10
	connectionsHead = 2500 // the connections in one of them
	identityBytes   = 600  // a name, id or label
	unknownBytes    = 1 << 10
)

// identity are the members that identify a row: every page repeats them.
var identity = []string{
	"object", "name", "stream", "connector_key", "connector_id", "source", "connection_id", "connector_instance_id", "display_name",
	"grant_id", "cursor_field", "granted_connections", "granted_connections_total", "schema",
}

// structured is the document as received when it fits (S3-7a). What does not fit is cut between two fields, and says what is shown
// and with which arguments to read on.
func (d *schemaDocument) structured() []byte {
	if d.q.Offset == 0 && len(d.q.Fields) == 0 {
		if whole := d.legend(new(arguments).rest(d.q.Said).put("data", d.raw), d.units).json(); fitsStructured(whole) {
			return []byte(whole)
		}
	}
	out, to := d.page.fullest(d.part, fitsStructured)
	if over := len(out) - StructuredHard; over > 0 {
		d.shorten(d.units[d.page.from], over)
		out = d.part(to)
	}
	return []byte(out)
}

// legend adds the legend where a unit has capabilities of the compact form.
func (d *schemaDocument) legend(out *arguments, units []schemaUnit) *arguments {
	flags := func(u schemaUnit) bool {
		if u.field >= 0 {
			return d.rows[u.row].fields[u.field].HasFlags()
		}
		return slices.ContainsFunc(d.rows[u.row].Members.Object("field_capabilities"), func(m member) bool { return rs.Kind(m.Value) == "string" })
	}
	if d.q.Full || !slices.ContainsFunc(units, flags) {
		return out
	}
	return out.plain("legend", flagLegend)
}

// part is the document with only some units, and what is said about it. Where to read on stands before it: some hosts cut what is long.
func (d *schemaDocument) part(to int) string {
	units := d.units[d.page.from:to]
	out := d.page.begin(new(arguments).rest(d.q.Said), to)
	if len(d.unknown) > 0 {
		out.put("unknown_fields", truncateJSON(encode(d.unknown), unknownBytes))
	}
	data, shortened := d.rowsOf(units)
	if len(shortened) > 0 {
		out.put("shortened", encode(shortened))
	}
	return d.legend(out.put("data", data.JSON()), units).json()
}

// rowsOf is the document with only some units: their rows, each in its connector where it stood in one. shortened names what is not whole.
func (d *schemaDocument) rowsOf(units []schemaUnit) (data object, shortened []string) {
	data, cut := head(d.Members.Without("connectors", "streams"), documentHead)
	list, rows, connectors := "streams", []string{}, []string{}
	if d.nested || len(units) == 0 {
		list = "connectors"
	}
	for len(units) > 0 {
		own := ofRow(units)
		units = units[len(own):]
		r := &d.rows[own[0].row]
		row, short := r.part(own)
		rows, shortened = append(rows, row.JSON()), append(shortened, short...)
		if d.nested && (len(units) == 0 || d.rows[units[0].row].group != r.group) {
			connector, short := head(d.Connectors[r.group].Members.Without("streams"), connectorHead)
			connectors = append(connectors, connector.With("streams", rs.JoinArray(rows)).JSON())
			cut, rows = cut || short, nil
		}
	}
	if cut {
		shortened = append([]string{"document"}, shortened...)
	}
	if list == "connectors" {
		rows = connectors
	}
	return append(data, pair(list, rs.JoinArray(rows))), shortened
}

// head is what each page repeats of a document, a connector or a row, in at most max bytes.
func head(o object, max int) (_ object, cut bool) {
	if raw := o.Get("granted_connections"); len(raw) > connectionsHead {
		o = o.With("granted_connections", truncateJSON(raw, connectionsHead)).With("granted_connections_total", encode(len(o.Array("granted_connections"))))
		cut = true
	}
	whole := o.JSON()
	return rs.AsObject(truncateJSON(whole, max)), cut || len(whole) > max
}

// part is a row with only some of its fields.
func (r *schemaRow) part(units []schemaUnit) (row object, shortened []string) {
	schema := r.Members.Object("schema")
	row = r.Members.Without("field_capabilities")
	if schema.Has("properties") {
		row = row.With("schema", schema.Without("properties").JSON())
	}
	if !units[0].first { // a later page says only whose fields these are
		row = slices.DeleteFunc(slices.Clone(row), func(m member) bool { return !slices.Contains(identity, m.Name) })
	}
	row, cut := head(row, rowHead)
	if cut {
		shortened = append(shortened, "stream "+clean.Clip(r.Name, labelChars))
	}
	if units[0].field < 0 {
		return row, shortened
	}
	var capabilities, properties object
	for _, u := range units {
		f := &r.fields[u.field]
		key := f.Name
		if len(key) > longestName {
			key = clean.Clip(key, labelChars)
		}
		if f.shortened || key != f.Name {
			shortened = append(shortened, "field "+clean.Clip(key, labelChars))
		}
		if f.Capabilities != "" {
			capabilities = append(capabilities, pair(key, f.Capabilities))
		}
		if f.Property != "" {
			properties = append(properties, pair(key, f.Property))
		}
	}
	row = row.With("field_capabilities", capabilities.JSON())
	if len(properties) > 0 {
		row = row.With("schema", rs.AsObject(row.Get("schema")).With("properties", properties.JSON()).JSON())
	}
	return row, shortened
}

// shorten makes a field that is too long for a page shorter by some bytes.
func (d *schemaDocument) shorten(u schemaUnit, over int) {
	if u.field < 0 {
		return
	}
	f := &d.rows[u.row].fields[u.field]
	const note = 400 // it is named as shortened
	share := fairShare([]int{len(f.Capabilities), len(f.Property)}, max(len(f.Capabilities)+len(f.Property)-over-note, 16))
	f.shortened = true
	if f.Capabilities != "" {
		f.Capabilities = truncateJSON(f.Capabilities, share)
	}
	if f.Property != "" {
		f.Property = truncateJSON(f.Property, share)
	}
}
