package render

import (
	"encoding/json"
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
}

// flagLegend explains the flags of a compact document to those who see only structured output (S0-5d).
const flagLegend = "Flags of a field: t type, role meaning, eq exact filter, r range filter operators, lex lexical search, sem semantic search, " +
	"a aggregations, g=false not granted, declared granted without stated capabilities. cursor_field (the default order) and fields with r can be sorted."

// Schema renders a schema document: an index of streams, or what one stream can do (S0-R5). Structured is {"data": document},
// each stream row once (D5), and a legend beside it where the document has flags.
func Schema(body []byte, q SchemaQuery) (Result, error) {
	const what = "schema"
	o, raw, err := decode(body, what)
	if err != nil {
		return Result{}, err
	}
	if inner := o.Object("data"); inner != nil && !o.Has("connectors") && !o.Has("streams") {
		o, raw = inner, o.Get("data")
	}
	if !o.Has("connectors") && !o.Has("streams") {
		return Result{}, invalidResponse(what, "has neither connectors nor streams", nil)
	}
	rows := schemaRows(o)
	if o.Has("streams") && slices.ContainsFunc(rows, func(r schemaRow) bool { return r.nested }) {
		raw = o.Without("streams").JSON()
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
		out := object{pair("data", data)}
		if !q.Full && slices.ContainsFunc(rows, func(r schemaRow) bool { return r.flags }) && !slices.Contains(omitted, "field_capabilities") {
			out = append(out, pair("legend", encode(flagLegend)))
		}
		if len(omitted) > 0 {
			out = append(out, pair("omitted", encode(omitted)))
		}
		return out.JSON()
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
			if row := rs.AsObject(raw); row != nil {
				rows[i] = slices.DeleteFunc(row.Without(drop...), func(m member) bool {
					return keep != nil && !slices.Contains(keep, m.Name)
				}).JSON()
			}
		}
		return rs.JoinArray(rows)
	}
	document := rs.AsObject(raw)
	connectors := document.Array("connectors")
	for i, raw := range connectors {
		if c := rs.AsObject(raw); c.Has("streams") {
			connectors[i] = c.With("streams", thin(c.Array("streams"))).JSON()
		}
	}
	if document.Has("connectors") {
		document = document.With("connectors", rs.JoinArray(connectors))
	}
	if document.Has("streams") {
		document = document.With("streams", thin(document.Array("streams")))
	}
	return document.JSON()
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
	for i, raw := range document.Array("connectors") {
		c := rs.AsObject(raw)
		for _, stream := range c.Array("streams") {
			row := readRow(rs.AsObject(stream), connections(c), connectorKey(c))
			row.group, row.nested = i, true
			rows = append(rows, row)
		}
	}
	groups := map[string]int{}
	for _, raw := range document.Array("streams") {
		row := readRow(rs.AsObject(raw), nil, "")
		if _, ok := groups[row.connector]; !ok {
			groups[row.connector] = -1 - len(groups)
		}
		row.group = groups[row.connector]
		rows = append(rows, row)
	}
	return rows
}

func readRow(o object, granted []connection, connector string) schemaRow {
	row := schemaRow{stream: o.Text("name", "stream"), connector: connector, connections: connections(o), cursor: o.Text("cursor_field")}
	if len(row.connections) == 0 {
		row.connections = granted
	}
	if row.connector == "" {
		row.connector = connectorKey(o)
	}
	for _, m := range o.Object("field_capabilities") {
		row.flags = row.flags || rs.Kind(m.Value) == "string"
		if f, ok := readField(m.Name, m.Value); ok {
			row.fields = append(row.fields, f)
		}
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
