package fanout

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A schemaPart is the schema document of one grant.
type schemaPart struct {
	document rs.Object
	grant    []rs.Connection // what the directory says that the grant covers
}

// mergeSchemas makes one document of the grants' documents (D5). Each connector keeps its own bytes but for grant_id in
// its connections; a connector of two grants stays two entries, because their streams and fields may differ.
func mergeSchemas(packageID string, parts []schemaPart, unavailable []rs.UnavailableConnection) (rs.Object, error) {
	var connectors, streams []string
	streamCount := 0
	for _, part := range parts {
		if raw := part.document.Get("connectors"); raw != "" {
			own, _, err := rs.NarrowList(raw, func(connector rs.Object) (rs.Object, bool, error) {
				connector, count, err := part.connector(connector)
				streamCount += count
				return connector, true, err
			})
			if err != nil {
				return nil, err
			}
			items, _ := rs.AsArray(own)
			connectors = append(connectors, rows(items)...)
		}
		streamRows := rows(part.document.Array("streams"))
		for _, row := range streamRows {
			streams = append(streams, attribute(row, part.source()))
		}
		streamCount += len(streamRows)
	}
	bearer := rs.Object{{Name: "token_kind", Value: rs.EncodeJSON(auth.KindPackage)}}
	if packageID != "" {
		bearer = append(bearer, rs.Member{Name: "package_id", Value: rs.EncodeJSON(packageID)})
	}
	merged := rs.Object{{Name: "object", Value: rs.EncodeJSON("schema")}}
	if detail := sharedDetail(parts); detail != "" {
		merged = append(merged, rs.Member{Name: "detail", Value: rs.EncodeJSON(detail)})
	}
	merged = append(merged,
		rs.Member{Name: "bearer", Value: bearer.JSON()},
		rs.Member{Name: "connector_count", Value: rs.EncodeJSON(len(connectors))}, rs.Member{Name: "stream_count", Value: rs.EncodeJSON(streamCount)},
		rs.Member{Name: "connectors", Value: rs.JoinArray(connectors)},
	)
	if len(streams) > 0 {
		merged = append(merged, rs.Member{Name: "streams", Value: rs.JoinArray(streams)})
	}
	if len(unavailable) > 0 {
		merged = append(merged, rs.Member{Name: "unavailable_connections", Value: rs.EncodeJSON(unavailable)})
	}
	return merged, nil
}

// connector adds the grant to a connector's connections and counts its streams. Connections may stand in the streams
// instead; where they stand nowhere and the grant covers one, that one is added.
func (p schemaPart) connector(connector rs.Object) (rs.Object, int, error) {
	streams := slices.Clone(rows(connector.Array("streams")))
	named := connector.Get("granted_connections") != ""
	if named {
		own, err := p.connections(connector.Get("granted_connections"))
		if err != nil {
			return nil, 0, err
		}
		connector = connector.With("granted_connections", own)
	}
	changed := false
	for i, raw := range streams {
		row, err := rs.ReadObject(raw)
		if err != nil {
			return nil, 0, rs.InvalidSchema()
		}
		own := row.Get("granted_connections")
		if own == "" {
			named = named || rs.StringMember(row, "connection_id") != ""
			continue
		}
		named, changed = true, true
		if own, err = p.connections(own); err != nil {
			return nil, 0, err
		}
		streams[i] = row.With("granted_connections", own).JSON()
	}
	if changed {
		connector = connector.With("streams", rs.JoinArray(streams))
	}
	if !named && len(p.grant) == 1 {
		only := p.grant[0]
		only.ConnectorKey = "" // the connector says it
		connector = connector.With("granted_connections", rs.JoinArray([]string{rs.EncodeJSON(only)}))
	}
	return connector, len(streams), nil
}

func (p schemaPart) connections(raw string) (string, error) {
	grantID := p.source().GrantID
	list, _, err := rs.NarrowList(raw, func(c rs.Object) (rs.Object, bool, error) {
		if grantID != "" && rs.StringMember(c, "grant_id") == "" {
			c = c.With("grant_id", rs.EncodeJSON(grantID))
		}
		return c, true, nil
	})
	return list, err
}

// source is what holds for every row of the grant's answers: the grant, and the connection where there is only one.
func (p schemaPart) source() rs.Connection { return commonSource(p.grant) }

func commonSource(grant []rs.Connection) rs.Connection {
	common := grant[0]
	for _, c := range grant[1:] {
		common.ID, common.DisplayName = "", ""
		if c.ConnectorKey != common.ConnectorKey {
			common.ConnectorKey = ""
		}
	}
	return common
}

// sharedDetail is the detail that all documents have, or "".
func sharedDetail(parts []schemaPart) string {
	shared := ""
	for i, p := range parts {
		detail := rs.StringMember(p.document, "detail")
		if i > 0 && detail != shared {
			return ""
		}
		shared = detail
	}
	return shared
}
