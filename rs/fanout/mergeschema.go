package fanout

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A schemaPart is the schema document of one grant, which has the shape of the contract.
type schemaPart struct {
	*rs.Schema
	grant []rs.Connection // that the grant covers, according to the directory
}

// mergeSchemas makes one document of the grants' documents (D5). Each connector keeps its own bytes but for grant_id in
// its connections; a connector of two grants stays two entries, because their streams and fields may differ.
func mergeSchemas(packageID string, parts []schemaPart, unavailable []rs.UnavailableConnection) rs.Object {
	var connectors, streams []string
	streamCount := 0
	for _, part := range parts {
		at := 0 // streams are in the order of their connectors
		for i := range part.Connectors {
			from := at
			for at < len(part.Streams) && part.Streams[at].Connector == i {
				at++
			}
			connectors = append(connectors, part.connector(i, part.Streams[from:at]))
		}
		for _, stream := range part.Streams {
			if stream.Connector < 0 {
				streams = append(streams, attribute(rs.Item{Raw: stream.Raw, Members: stream.Members}, part.source()).Raw)
			}
		}
		streamCount += len(part.Streams)
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
	return merged
}

// connector adds the grant to a connector's connections. Connections may be in the streams instead; where they are nowhere and the
// grant covers one, that one is added.
func (p schemaPart) connector(at int, own []rs.SchemaStream) string {
	const key = "granted_connections"
	c := p.Connectors[at]
	connector, named, changed := c.Members, c.Members.Has(key), false
	if named {
		connector = connector.With(key, p.connections(connector))
	}
	var streams []string
	for _, stream := range own {
		switch {
		case stream.Members.Has(key):
			named, changed = true, true
			streams = append(streams, stream.Members.With(key, p.connections(stream.Members)).JSON())
		default:
			named = named || stream.Members.JSONString("connection_id") != ""
			streams = append(streams, stream.Raw)
		}
	}
	if changed {
		connector = connector.With("streams", rs.JoinArray(streams))
	}
	if !named && len(p.grant) == 1 {
		only := p.grant[0]
		only.ConnectorKey = "" // the connector has it
		connector = connector.With(key, rs.JoinArray([]string{rs.EncodeJSON(only)}))
	}
	if slices.Equal(connector, c.Members) {
		return c.Raw
	}
	return connector.JSON()
}

// connections are the connections of a connector or stream, each with its grant.
func (p schemaPart) connections(o rs.Object) string {
	grantID, list := p.source().GrantID, o.Array("granted_connections")
	for i, raw := range list {
		if c := rs.AsObject(raw); grantID != "" && c.JSONString("grant_id") == "" {
			list[i] = c.With("grant_id", rs.EncodeJSON(grantID)).JSON()
		}
	}
	return rs.JoinArray(list)
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
		detail := p.Members.JSONString("detail")
		if i > 0 && detail != shared {
			return ""
		}
		shared = detail
	}
	return shared
}
