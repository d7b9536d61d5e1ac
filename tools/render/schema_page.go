package render

import (
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// What the parts of a cut document take at most, in bytes, so that there is always room for a stream or a field.
const (
	documentHead    = 4 << 10
	connectorHead   = 6 << 10
	rowHead         = 8 << 10
	connectionsHead = 4 << 10 // the connections in one of them
	identityBytes   = 600     // a name, id or label
	longestName     = 256     // in bytes; a longer one could not be sent back
	longestNext     = 1500    // arguments that read on; longer ones are not repeated
	unknownBytes    = 1 << 10 // names of fields that are not there
)

// identity are the members by which a row or connector is told apart: every page repeats them.
var identity = []string{
	"object", "name", "stream", "connector_key", "connector_id", "source", "connection_id", "connector_instance_id", "display_name",
	"grant_id", "cursor_field", "granted_connections", "granted_connections_total",
}

// structured is the document as received when it fits max bytes. An index that does not fit is thinned to names; what still
// does not fit is cut, and says what is shown and with which arguments to read on.
func (d *schemaDocument) structured(max int) string {
	if d.q.Offset == 0 && len(d.q.Fields) == 0 {
		out := d.envelope(d.raw, 0, len(d.units), nil)
		if len(out) <= max && (d.q.Stream != "" || len(out) <= StructuredTarget) {
			return out
		}
	}
	d.bound()
	from := min(d.q.Offset, len(d.units))
	page := func(n int) string {
		document, shortened := d.part(d.units[from : from+n])
		return d.envelope(document, from, from+n, shortened)
	}
	count := most(len(d.units)-from, func(n int) bool { return len(page(n)) <= max })
	if count == 0 && from < len(d.units) {
		count = 1
		d.shorten(d.units[from], len(page(1))-max)
	}
	return page(count)
}

// envelope is the document with what is said about it. Where to read on stands before it: some hosts cut what is long.
func (d *schemaDocument) envelope(document string, from, to int, shortened []string) string {
	var out object
	if from > 0 || to < len(d.units) {
		shown := d.shown(from, to)
		if to < len(d.units) {
			next, whole := d.next(to)
			if !whole {
				shown += "; for more make the same call with this offset"
			}
			out = append(out, pair("next", next.json()))
		}
		out = append(out, pair("shown", encode(shown)))
	}
	if len(d.unknown) > 0 {
		out = append(out, pair("unknown_fields", encode(within(d.unknown, unknownBytes))))
	}
	thin := d.q.Stream == "" && document != d.raw
	if thin {
		out = append(out, pair("omitted", encode([]string{"field_capabilities", "expand_capabilities"})))
	}
	if len(shortened) > 0 {
		out = append(out, pair("shortened", encode(shortened)))
	}
	out = append(out, pair("data", document))
	if !thin && slices.ContainsFunc(d.units[from:to], d.flags) {
		out = append(out, pair("legend", encode(flagLegend)))
	}
	return out.JSON()
}

// shown is "fields 1-40 of 800".
func (d *schemaDocument) shown(from, to int) string {
	return fmt.Sprintf("%ss %d-%d of %d", d.noun(), from+1, to, len(d.units))
}

// next are the arguments that read on; whole is false when only the offset is said, because the others are too long.
func (d *schemaDocument) next(offset int) (a *arguments, whole bool) {
	if a := d.q.at(offset); len(a.b) < longestNext {
		return a, true
	}
	return new(arguments).number("offset", offset), false
}

// within returns the first names that have at most max bytes together.
func within(names []string, max int) []string {
	for i, name := range names {
		if max -= len(encode(name)); max < 0 {
			return names[:i]
		}
	}
	return names
}

// flags reports whether a unit has flags that need the legend.
func (d *schemaDocument) flags(u schemaUnit) bool {
	fields := d.rows[u.row].fields
	if u.field >= 0 {
		fields = fields[u.field : u.field+1]
	}
	return !d.q.Full && slices.ContainsFunc(fields, func(f field) bool { return f.flags() })
}

// bound makes the heads short enough for every page to repeat them.
func (d *schemaDocument) bound() {
	d.head, d.headCut = boundHead(d.head, documentHead)
	for i := range d.connectors {
		c, cut := boundHead(d.connectors[i], connectorHead)
		d.connectors[i], d.headCut = c, d.headCut || cut
	}
	for i := range d.rows {
		r := &d.rows[i]
		if d.q.Stream == "" {
			r.head = keep(r.head, func(name string) bool {
				return name == "name" || name == "stream" || !r.nested && (name == "connector_key" || name == "connection_id")
			})
		}
		r.head, r.headCut = boundHead(r.head, rowHead)
	}
}

func keep(o object, wanted func(string) bool) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return !wanted(m.Name) })
}

// boundHead cuts the connections of a head between two of them, and other members where they are long.
func boundHead(o object, max int) (bounded object, cut bool) {
	if list, ok := rs.AsArray(o.Get("granted_connections")); ok && len(o.Get("granted_connections")) > connectionsHead {
		kept, room := []string{}, connectionsHead
		for _, raw := range list {
			if len(raw)+1 <= room {
				kept, room = append(kept, raw), room-len(raw)-1
			}
		}
		o, cut = o.With("granted_connections", rs.JoinArray(kept)).With("granted_connections_total", encode(len(list))), true
	}
	if len(o.JSON()) <= max {
		return o, cut
	}
	own := keep(o, func(name string) bool { return slices.Contains(identity, name) })
	for i, m := range own {
		if m.Name != "granted_connections" {
			own[i].Value = fitted(m.Value, identityBytes)
		}
	}
	rest := rs.AsObject(fitted(o.Without(identity...).JSON(), max-len(own.JSON())))
	return append(own, rest...), true
}

// part is the document with only some units. Its second result names what is not whole.
func (d *schemaDocument) part(units []schemaUnit) (document string, shortened []string) {
	var connectors, streams, top []string
	if d.headCut {
		shortened = append(shortened, "document")
	}
	for start := 0; start < len(units); {
		end := start + 1
		for end < len(units) && units[end].row == units[start].row {
			end++
		}
		row := &d.rows[units[start].row]
		raw, cuts := row.part(units[start:end])
		shortened = append(shortened, cuts...)
		if start = end; !row.nested {
			top = append(top, raw)
			continue
		}
		streams = append(streams, raw)
		if end == len(units) || d.rows[units[end].row].group != row.group {
			connectors = append(connectors, d.connectors[row.group].With("streams", rs.JoinArray(streams)).JSON())
			streams = nil
		}
	}
	out := slices.Clone(d.head)
	if len(d.connectors) > 0 || len(top) == 0 {
		out = append(out, pair("connectors", rs.JoinArray(connectors)))
	}
	if len(top) > 0 {
		out = append(out, pair("streams", rs.JoinArray(top)))
	}
	return out.JSON(), shortened
}

// part is the row with only some of its fields. Pages after its first repeat only who it is.
func (r *schemaRow) part(units []schemaUnit) (raw string, shortened []string) {
	head := r.head
	if !units[0].first {
		head = keep(head, func(name string) bool {
			return slices.Contains(identity, name) || name == "schema" && r.hasProperties(units)
		})
	} else if r.headCut {
		shortened = append(shortened, "stream "+clip(r.stream, labelChars))
	}
	if units[0].field < 0 {
		return head.JSON(), shortened
	}
	var capabilities, properties object
	for _, u := range units {
		f := &r.fields[u.field]
		key := f.name
		if len(key) > longestName {
			key = clip(key, labelChars)
		}
		if f.shortened || key != f.name {
			shortened = append(shortened, "field "+clip(key, labelChars))
		}
		if f.raw != "" {
			capabilities = append(capabilities, pair(key, f.raw))
		}
		if f.property != "" {
			properties = append(properties, pair(key, f.property))
		}
	}
	head = head.With("field_capabilities", capabilities.JSON())
	if len(properties) > 0 {
		head = head.With("schema", rs.AsObject(head.Get("schema")).With("properties", properties.JSON()).JSON())
	}
	return head.JSON(), shortened
}

func (r *schemaRow) hasProperties(units []schemaUnit) bool {
	return slices.ContainsFunc(units, func(u schemaUnit) bool { return u.field >= 0 && r.fields[u.field].property != "" })
}

// shorten makes a field that is too long for a page of its own shorter by some bytes.
func (d *schemaDocument) shorten(u schemaUnit, over int) {
	if u.field < 0 {
		return
	}
	f := &d.rows[u.row].fields[u.field]
	const note = 400 // it is named as shortened
	room := max(len(f.raw)+len(f.property)-over-note, 16)
	share := fairShare([]int{len(f.raw), len(f.property)}, room)
	f.shortened = true
	if f.raw != "" {
		f.raw = fitted(f.raw, share)
	}
	if f.property != "" {
		f.property = fitted(f.property, share)
	}
}
