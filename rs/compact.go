package rs

// isCompact reports whether a document already has the compact form: it says so, or its field capabilities are flags.
func isCompact(document Object) bool {
	if StringMember(document, "detail") == "compact" {
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
