package render

import (
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// What the parts of a cut document take at most, in bytes, so that a stream or a field always fits.
const (
	documentHead    = 4 << 10
	connectorHead   = 6 << 10
	rowHeadBytes    = 8 << 10
	connectionsHead = 4 << 10 // the connections in one of them
	identityBytes   = 600     // a name, id or label
	longestName     = 256     // in bytes; a longer one could not be sent back
	longestNext     = 1500    // arguments that read on; longer ones are not repeated
	nextBytes       = 2 << 10 // more than all that is said of what is left out
	mostTried       = 500     // of streams or fields; of more it is not tried whether all fit
	unknownBytes    = 1 << 10 // names of fields that are not there
)

// identity are the members that identify a row or connector: every page repeats them.
var identity = []string{
	"object", "name", "stream", "connector_key", "connector_id", "source", "connection_id", "connector_instance_id", "display_name",
	"grant_id", "cursor_field", "granted_connections", "granted_connections_total",
}

// structured is the document as received when it fits max bytes. What does not fit is cut, and says what is shown and with which
// arguments to read on.
func (d *schemaDocument) structured(max int) []byte {
	if d.q.Offset == 0 && len(d.q.Fields) == 0 {
		if out := d.whole(max); out != nil {
			return out
		}
	}
	c := d.cut()
	from := min(d.q.Offset, len(d.units))
	all := len(d.units) - from
	page := func(n int) int { return len(c.page(from, from+n)) }
	if all <= mostTried && page(all)+nextBytes <= max { // then any part fits as well
		return c.out
	}
	count := most(all, func(n int) bool { return page(n) <= max })
	if count == 0 && all > 0 {
		count = 1
		d.shorten(d.units[from], page(1)-max)
	}
	return c.page(from, from+count)
}

// whole is the document as received, or nil when that has more than max bytes.
func (d *schemaDocument) whole(max int) []byte {
	if len(d.raw) > max {
		return nil
	}
	const rest = `{"data":,"legend":""}`
	a := &arguments{append(make([]byte, 0, len(d.raw)+len(flagLegend)+len(rest)), '{')}
	a.put("data", d.raw)
	d.legend(a, d.units)
	if a.shut('}'); len(a.b) > max {
		return nil
	}
	return a.b
}

// legend adds the legend for units that have flags.
func (d *schemaDocument) legend(a *arguments, units []schemaUnit) {
	if !d.q.Full && slices.ContainsFunc(units, d.flags) {
		a.plain("legend", flagLegend)
	}
}

// flags reports whether a unit has capabilities of the compact form.
func (d *schemaDocument) flags(u schemaUnit) bool {
	if u.field >= 0 {
		return d.rows[u.row].fields[u.field].HasFlags()
	}
	return slices.ContainsFunc(d.rows[u.row].Members.Object("field_capabilities"), func(m member) bool { return rs.Kind(m.Value) == "string" })
}

// shown is "fields 1-40 of 800".
func (d *schemaDocument) shown(from, to int) string {
	return fmt.Sprintf("fields %d-%d of %d", from+1, to, len(d.units))
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

// A schemaCut is a document in parts of which pages are made. It is made for a document that has to be cut.
type schemaCut struct {
	*schemaDocument
	head           schemaHead
	connectorHeads []schemaHead
	rowHeads       []schemaHead
	document       []byte   // the part of it on the page
	shortened      []string // what is not whole in that
	out            []byte   // the page
}

// A schemaHead is what every page repeats of a document, a connector or a row, so that it must be short: nothing of what
// stands below it.
type schemaHead struct {
	object
	cut bool // it is not whole
}

func (d *schemaDocument) cut() *schemaCut {
	c := &schemaCut{schemaDocument: d, rowHeads: make([]schemaHead, len(d.rows))}
	c.head = c.bound(d.Members.Without("connectors", "streams"), documentHead)
	for i := range d.Connectors {
		head := c.bound(d.Connectors[i].Members.Without("streams"), connectorHead)
		c.connectorHeads, c.head.cut = append(c.connectorHeads, head), c.head.cut || head.cut
	}
	for i := range d.rows {
		c.rowHeads[i] = c.bound(rowHead(d.rows[i].Members), rowHeadBytes)
	}
	return c
}

// rowHead is a row without its fields.
func rowHead(row object) object {
	head, schema := row.Without("field_capabilities"), row.Object("schema")
	if schema.Object("properties") != nil {
		head = head.With("schema", schema.Without("properties").JSON())
	}
	return head
}

func keep(o object, wanted func(string) bool) object {
	kept := make(object, 0, 4)
	for _, m := range o {
		if wanted(m.Name) {
			kept = append(kept, m)
		}
	}
	return kept
}

// bound cuts the connections of a head between two of them, and other members where they are long.
func (c *schemaCut) bound(o object, max int) schemaHead {
	cut := false
	if raw := o.Get("granted_connections"); len(raw) > connectionsHead {
		if list, ok := rs.AsArray(raw); ok {
			kept, remaining := []string{}, connectionsHead
			for _, raw := range list {
				if len(raw)+1 <= remaining {
					kept, remaining = append(kept, raw), remaining-len(raw)-1
				}
			}
			o, cut = o.With("granted_connections", rs.JoinArray(kept)).With("granted_connections_total", encode(len(list))), true
		}
	}
	if c.document = o.AppendJSON(c.document[:0]); len(c.document) <= max {
		return schemaHead{o, cut}
	}
	own := keep(o, func(name string) bool { return slices.Contains(identity, name) })
	for i, m := range own {
		if m.Name != "granted_connections" {
			own[i].Value = fitted(m.Value, identityBytes)
		}
	}
	rest := rs.AsObject(fitted(o.Without(identity...).JSON(), max-len(own.JSON())))
	return schemaHead{append(own, rest...), true}
}

// page is the document with only some units, and what is said about it. Where to read on stands before it: some hosts cut
// what is long. It reuses the buffer of the page before.
func (c *schemaCut) page(from, to int) []byte {
	c.part(c.units[from:to])
	a := &arguments{append(c.out[:0], '{')}
	if from > 0 || to < len(c.units) {
		shown := c.shown(from, to)
		if to < len(c.units) {
			next, whole := c.next(to)
			if !whole {
				shown += "; for more make the same call with this offset"
			}
			a.put("next", next.json())
		}
		a.plain("shown", shown)
	}
	if len(c.unknown) > 0 {
		addTexts(a, "unknown_fields", within(c.unknown, unknownBytes))
	}
	if len(c.shortened) > 0 {
		addTexts(a, "shortened", c.shortened)
	}
	a.key("data")
	a.b = append(a.b, c.document...)
	c.legend(a, c.units[from:to])
	c.out = a.shut('}').b
	return c.out
}

// addTexts adds a list of texts.
func addTexts(a *arguments, key string, list []string) {
	a.open(key, '[')
	for _, text := range list {
		a.comma()
		a.value(text)
	}
	a.shut(']')
}

// part writes the document with only some units.
func (c *schemaCut) part(units []schemaUnit) {
	c.shortened = c.shortened[:0]
	if c.head.cut {
		c.shortened = append(c.shortened, "document")
	}
	a := (&arguments{c.head.AppendJSON(c.document[:0])}).reopen()
	switch {
	case c.nested:
		a.open("connectors", '[')
		c.streams(a, units)
		a.shut(']')
	case len(c.Connectors) > 0 || len(units) == 0:
		a.put("connectors", "[]")
	}
	if !c.nested && len(units) > 0 {
		a.open("streams", '[')
		c.streams(a, units)
		a.shut(']')
	}
	c.document = a.shut('}').b
}

// streams adds the rows of units, each in its connector where it stood in one.
func (c *schemaCut) streams(a *arguments, units []schemaUnit) {
	group := -1
	for len(units) > 0 {
		own := ofRow(units)
		units = units[len(own):]
		if next := c.rows[own[0].row].group; c.nested && next != group {
			if group >= 0 {
				a.shut(']').shut('}')
			}
			group = next
			a.comma()
			a.b = c.connectorHeads[group].AppendJSON(a.b)
			a.reopen().open("streams", '[')
		}
		a.comma()
		a.b = c.row(own).AppendJSON(a.b)
	}
	if group >= 0 {
		a.shut(']').shut('}')
	}
}

// row is a row with only some of its fields. Pages after its first repeat only who it is.
func (c *schemaCut) row(units []schemaUnit) object {
	r, head := &c.rows[units[0].row], c.rowHeads[units[0].row].object
	if !units[0].first {
		head = keep(head, func(name string) bool {
			return slices.Contains(identity, name) || name == "schema" && r.hasProperties(units)
		})
	} else if c.rowHeads[units[0].row].cut {
		c.shortened = append(c.shortened, "stream "+clip(r.Name, labelChars))
	}
	if units[0].field < 0 {
		return head
	}
	var capabilities, properties object
	for _, u := range units {
		f := &r.fields[u.field]
		key := f.Name
		if len(key) > longestName {
			key = clip(key, labelChars)
		}
		if f.shortened || key != f.Name {
			c.shortened = append(c.shortened, "field "+clip(key, labelChars))
		}
		if f.Capabilities != "" {
			capabilities = append(capabilities, pair(key, f.Capabilities))
		}
		if f.Property != "" {
			properties = append(properties, pair(key, f.Property))
		}
	}
	head = head.With("field_capabilities", capabilities.JSON())
	if len(properties) > 0 {
		head = head.With("schema", rs.AsObject(head.Get("schema")).With("properties", properties.JSON()).JSON())
	}
	return head
}

func (r *schemaRow) hasProperties(units []schemaUnit) bool {
	return slices.ContainsFunc(units, func(u schemaUnit) bool { return u.field >= 0 && r.fields[u.field].Property != "" })
}

// shorten makes a field that is too long for a page of its own shorter by some bytes.
func (d *schemaDocument) shorten(u schemaUnit, over int) {
	if u.field < 0 {
		return
	}
	f := &d.rows[u.row].fields[u.field]
	const note = 400 // it is named as shortened
	remaining := max(len(f.Capabilities)+len(f.Property)-over-note, 16)
	share := fairShare([]int{len(f.Capabilities), len(f.Property)}, remaining)
	f.shortened = true
	if f.Capabilities != "" {
		f.Capabilities = fitted(f.Capabilities, share)
	}
	if f.Property != "" {
		f.Property = fitted(f.Property, share)
	}
}
