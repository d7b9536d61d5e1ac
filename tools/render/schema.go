package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A SchemaQuery is the call that a schema document answers. Without Stream it is the index of the whole grant.
type SchemaQuery struct {
	Stream       string
	ConnectionID string
	Full         bool
}

// flagLegend explains the flags of a compact document to those who see only structured output (S0-5d).
const flagLegend = "Flags of a field: t type, role meaning, eq exact filter, r range filter operators, lex lexical search, sem semantic search, " +
	"a aggregations, g=false not granted, declared granted without stated capabilities."

// Schema renders a schema document: an index of streams, or what one stream can do (S0-R5). Structured is {"data": document},
// each stream row once (D5), and a legend beside it where the document has flags.
func Schema(body []byte, q SchemaQuery) (Result, error) {
	const what = "schema"
	o, raw, err := decode(body, what)
	if err != nil {
		return Result{}, err
	}
	if inner := o.object("data"); inner != nil && !o.has("connectors") && !o.has("streams") {
		o, raw = inner, o.raw("data")
	}
	if !o.has("connectors") && !o.has("streams") {
		return Result{}, invalidResponse(what, "has neither connectors nor streams", nil)
	}
	rows := schemaRows(o)
	if o.has("streams") && slices.ContainsFunc(rows, func(r schemaRow) bool { return r.nested }) {
		raw = o.without("streams").json()
		rows = slices.DeleteFunc(rows, func(r schemaRow) bool { return !r.nested })
	}
	var text string
	if q.Stream == "" {
		text = schemaIndex(rows, q)
	} else {
		text = schemaDetail(rows, q)
	}
	text = withUnavailable(text, o)
	return Result{Text: text, Structured: schemaStructured(raw, rows, q, StructuredHard-len(text))}, nil
}

// schemaStructured bounds the document: an index keeps every stream's name and drops what a scoped call says again
// (S0-5a); a scoped document drops what it repeats. What was dropped is said.
func schemaStructured(raw json.RawMessage, rows []schemaRow, q SchemaQuery, hard int) json.RawMessage {
	wrap := func(data json.RawMessage, omitted ...string) json.RawMessage {
		out := object{{"data", data}}
		if !q.Full && slices.ContainsFunc(rows, func(r schemaRow) bool { return r.flags }) && !slices.Contains(omitted, "field_capabilities") {
			out = append(out, member{"legend", encode(flagLegend)})
		}
		if len(omitted) > 0 {
			out = append(out, member{"omitted", encode(omitted)})
		}
		return out.json()
	}
	out := wrap(raw)
	if q.Stream == "" {
		if len(out) > StructuredTarget {
			out = wrap(thinRows(raw, []string{"name"}, nil), "field_capabilities", "expand_capabilities")
		}
		return out
	}
	var drop []string
	for _, key := range []string{"query", "views", "relationships", "selection", "freshness", "schema"} {
		if len(out) <= hard {
			break
		}
		drop = append(drop, key)
		out = wrap(thinRows(raw, nil, drop), drop...)
	}
	return out
}

// thinRows rewrites every stream row of a document, keeping only some members or dropping some.
func thinRows(raw json.RawMessage, keep, drop []string) json.RawMessage {
	thin := func(list []json.RawMessage) json.RawMessage {
		rows := make([]json.RawMessage, len(list))
		for i, raw := range list {
			rows[i] = raw
			if row := asObject(raw); row != nil {
				rows[i] = slices.DeleteFunc(row.without(drop...), func(m member) bool {
					return keep != nil && !slices.Contains(keep, m.key)
				}).json()
			}
		}
		return joinArray(rows)
	}
	document := asObject(raw)
	connectors := document.array("connectors")
	for i, raw := range connectors {
		if c := asObject(raw); c.has("streams") {
			connectors[i] = c.with("streams", thin(c.array("streams"))).json()
		}
	}
	if document.has("connectors") {
		document = document.with("connectors", joinArray(connectors))
	}
	if document.has("streams") {
		document = document.with("streams", thin(document.array("streams")))
	}
	return document.json()
}

// A schemaRow is one stream of one connector.
type schemaRow struct {
	stream      string
	connector   string
	group       int // rows of one connector share it
	connections []connection
	fields      []field
	expand      []string
	cursor      string // the field that records are sorted by
	flags       bool   // its fields are compact flags
	nested      bool   // it stood in connectors[].streams
}

type connection struct{ id, label string }

func schemaRows(document object) []schemaRow {
	var rows []schemaRow
	for i, raw := range document.array("connectors") {
		c := asObject(raw)
		for _, stream := range c.array("streams") {
			row := readRow(asObject(stream), connections(c), connectorKey(c))
			row.group, row.nested = i, true
			rows = append(rows, row)
		}
	}
	groups := map[string]int{}
	for _, raw := range document.array("streams") {
		row := readRow(asObject(raw), nil, "")
		if _, ok := groups[row.connector]; !ok {
			groups[row.connector] = -1 - len(groups)
		}
		row.group = groups[row.connector]
		rows = append(rows, row)
	}
	return rows
}

func readRow(o object, granted []connection, connector string) schemaRow {
	row := schemaRow{stream: o.text("name", "stream"), connector: connector, connections: connections(o), cursor: o.text("cursor_field")}
	if len(row.connections) == 0 {
		row.connections = granted
	}
	if row.connector == "" {
		row.connector = connectorKey(o)
	}
	for _, m := range o.object("field_capabilities") {
		row.flags = row.flags || kind(m.raw) == "string"
		if f, ok := readField(m.key, m.raw); ok {
			row.fields = append(row.fields, f)
		}
	}
	for _, raw := range o.array("expand_capabilities") {
		if relation := readRelation(asObject(raw)); relation != "" {
			row.expand = append(row.expand, relation)
		}
	}
	return row
}

// connections are a connector's or a row's own.
func connections(o object) []connection {
	var list []connection
	for _, raw := range o.array("granted_connections") {
		c := asObject(raw)
		if id := connectionID(c); id != "" {
			list = append(list, connection{id, c.text("display_name")})
		}
	}
	if id := connectionID(o); id != "" && len(list) == 0 {
		list = append(list, connection{id, o.text("display_name")})
	}
	return list
}

// readRelation is "attachments (has_many, default 10, max 50)", or "" for one that can not be expanded.
func readRelation(o object) string {
	relation := o.text("name")
	if relation == "" || o.denied("granted") || o.denied("usable") {
		return ""
	}
	var notes []string
	if c := o.text("cardinality"); c != "" {
		notes = append(notes, preview(c, 20))
	}
	if target := o.text("target_stream", "stream"); target != "" && target != relation {
		notes = append(notes, "of "+name(target))
	}
	if n, ok := o.number("default_limit"); ok {
		notes = append(notes, fmt.Sprintf("default %d", n))
	}
	if n, ok := o.number("max_limit"); ok {
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
