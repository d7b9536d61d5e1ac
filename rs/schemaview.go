package rs

import (
	"slices"
)

// narrowSchema drops the connectors, connections and streams that were not asked for, for resource servers that
// ignore the parameters. Where nothing is to drop it returns the document as it is.
func narrowSchema(document Object, stream, connectionID string) (Object, error) {
	if stream == "" && connectionID == "" {
		return document, nil
	}
	if raw := document.Get("connectors"); raw != "" {
		kept, dropped, err := narrowList(raw, func(connector Object) (Object, bool, error) {
			return narrowConnector(connector, stream, connectionID)
		})
		if err != nil {
			return nil, err
		}
		if dropped {
			document = document.With("connectors", kept).Without("connector_count").Without("stream_count")
		}
	}
	if raw := document.Get("streams"); raw != "" {
		kept, dropped, err := narrowRows(raw, stream, connectionID)
		if err != nil {
			return nil, err
		}
		if dropped {
			document = document.With("streams", kept).Without("stream_count")
		}
	}
	return document, nil
}

func narrowConnector(connector Object, stream, connectionID string) (Object, bool, error) {
	connector, kept, err := narrowConnections(connector, connectionID)
	if err != nil || kept == "[]" {
		return nil, false, err
	}
	raw := connector.Get("streams")
	if raw == "" {
		return connector, stream == "", nil
	}
	kept, dropped, err := narrowRows(raw, stream, connectionID)
	if err != nil {
		return nil, false, err
	}
	if dropped {
		connector = connector.With("streams", kept).Without("stream_count")
	}
	return connector, kept != "[]" || stream == "" && !dropped, nil
}

// narrowConnections keeps, of the connections of a connector or stream, the one that was asked for. kept is the list that is left,
// "" without one.
func narrowConnections(o Object, connectionID string) (narrowed Object, kept string, err error) {
	raw := o.Get("granted_connections")
	if raw == "" || connectionID == "" {
		return o, "", nil
	}
	kept, dropped, err := narrowList(raw, func(c Object) (Object, bool, error) { return c, ConnectionID(c) == connectionID, nil })
	if dropped {
		o = o.With("granted_connections", kept)
	}
	return o, kept, err
}

// narrowRows keeps the streams that were asked for, each with the one of its connections that was.
func narrowRows(raw, stream, connectionID string) (kept string, dropped bool, err error) {
	return narrowList(raw, func(row Object) (Object, bool, error) {
		if stream != "" && row.Text("name", "stream") != stream || !matchesConnection(row, connectionID) {
			return nil, false, nil
		}
		if narrowed, _, err := narrowConnections(row, connectionID); err == nil { // a list of another kind stays
			row = narrowed
		}
		return row, true, nil
	})
}

// narrowList keeps the objects of an array that keep returns true for, and reports whether anything changed. What is not
// changed keeps its bytes.
func narrowList(raw string, keep func(Object) (Object, bool, error)) (string, bool, error) {
	items, ok := AsArray(raw)
	if !ok && Kind(raw) != "null" {
		return "", false, invalidSchema()
	}
	kept, changed := []byte{'['}, false
	for _, item := range items {
		own := AsObject(item)
		if own == nil {
			return "", false, invalidSchema()
		}
		narrowed, ok, err := keep(own)
		if err != nil {
			return "", false, err
		}
		if !ok {
			changed = true
			continue
		}
		if len(kept) > len("[") {
			kept = append(kept, ',')
		}
		if slices.Equal(narrowed, own) {
			kept = append(kept, item...)
		} else {
			kept, changed = narrowed.AppendJSON(kept), true
		}
	}
	return string(append(kept, ']')), changed, nil
}

// matchesConnection reports whether a row may belong to a connection; a row that names none may.
func matchesConnection(row Object, connectionID string) bool {
	if connectionID == "" {
		return true
	}
	if own := ConnectionID(row); own != "" {
		return own == connectionID
	}
	var s shape
	connections := s.connections(row, "")
	return s.malformed || len(connections) == 0 || slices.ContainsFunc(connections, func(c Connection) bool { return c.ID == connectionID })
}

// isCompact reports whether a document already has the compact form: it says so, or its field capabilities are flags.
func isCompact(document Object) bool {
	if document.JSONString("detail") == "compact" {
		return true
	}
	seen := false
	for _, connector := range document.Array("connectors") {
		for _, stream := range AsObject(connector).Array("streams") {
			for _, field := range AsObject(stream).Object("field_capabilities") {
				if Kind(field.Value) != "string" {
					return false
				}
				seen = true
			}
		}
	}
	return seen
}

// projectCompact writes a full schema document in the compact form of GET /v1/schema?view=compact: capability
// flags instead of objects, connections once per connector, no JSON Schema (S3-7b).
func projectCompact(document Object) (Object, error) {
	var p projection
	compact := Object{}
	for _, m := range document {
		var err error
		switch m.Name {
		case "connectors":
			m.Value, _, err = narrowList(m.Value, func(c Object) (Object, bool, error) {
				projected, err := p.connector(c)
				return projected, true, err
			})
		case "streams":
			m.Value, err = p.streams(m.Value, true) // no connector stands above these to hold their connections
		case "detail":
			continue
		}
		if err != nil {
			return nil, err
		}
		compact = append(compact, m)
	}
	if p.malformed {
		return nil, invalidSchema()
	}
	return compact.With("detail", `"compact"`), nil
}

// A projection writes a document in the compact form.
type projection struct {
	shape
	connections []string // that the streams of the connector at hand repeat, each once
}

func (p *projection) connector(connector Object) (Object, error) {
	compact := Object{}
	p.connections = nil
	for _, m := range connector {
		if m.Name == "streams" {
			var err error
			if m.Value, err = p.streams(m.Value, false); err != nil {
				return nil, err
			}
		}
		compact = append(compact, m)
	}
	if len(p.connections) > 0 && !connector.Has("granted_connections") {
		compact = compact.With("granted_connections", JoinArray(p.connections))
	}
	return compact, nil
}

func (p *projection) streams(raw string, keepConnections bool) (string, error) {
	seen := map[string]bool{}
	list, _, err := narrowList(raw, func(stream Object) (Object, bool, error) {
		compact := Object{}
		for _, m := range stream {
			switch m.Name {
			case "granted_connections":
				if !keepConnections {
					p.gather(m.Value, seen)
					continue
				}
			case "field_capabilities":
				if m.Value == "null" {
					continue
				}
				m.Value = p.capabilities(m.Value)
			case "name", "primary_key", "cursor_field", "expand_capabilities", "connector_key", "connection_id", "display_name":
			default:
				continue
			}
			compact = append(compact, m)
		}
		return compact, true, nil
	})
	return list, err
}

// gather remembers the connections of a stream that no stream before it has.
func (p *projection) gather(raw string, seen map[string]bool) {
	list, _ := AsArray(raw)
	for _, connection := range list {
		if id := ConnectionID(AsObject(connection)); id != "" && !seen[id] {
			seen[id] = true
			p.connections = append(p.connections, connection)
		}
	}
}

func (p *projection) capabilities(raw string) string {
	compact := p.object(raw)
	for i, m := range compact {
		field := p.field(m.Name, m.Value)
		compact[i].Value = EncodeJSON(field.flags())
	}
	return compact.JSON()
}
