package embedded

import (
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
)

// schema answers GET /v1/schema. A stream or connection that is not granted is simply not there.
func (c *call) schema() any {
	sources := c.schemaSources()
	view, detail := c.params.single["view"], c.params.single["detail"]
	compact := view == "compact" && detail != "full" || detail == "compact"
	connectors, streams := []object{}, 0
	for i := range c.catalog.Connectors {
		connector := &c.catalog.Connectors[i]
		of := selectSources(sources, func(s access) bool { return s.Connector == connector })
		if len(of) == 0 {
			continue
		}
		described := []object{}
		for _, view := range streamViews(of) {
			stream := c.compactStream(view)
			if !compact {
				stream = c.fullStream(view)
				stream["granted_connections"] = connectionRefs(view.sources)
			}
			described = append(described, stream)
		}
		streams += len(described)
		connectors = append(connectors, object{
			"object": "connector", "source": object{"id": c.connectorName(of[0]), "kind": "connector"},
			"stream_count": len(described), "streams": described, "connector_key": connector.Key, "connector_id": connector.Key,
			"granted_connections": connectionRefs(of),
		})
	}
	c.warnUnread(sources)
	body := object{
		"bearer": c.bearer(), "connectors": connectors, "object": "schema", "connector_count": len(connectors), "stream_count": streams,
		"links": c.self(), "meta": c.meta(),
	}
	if compact {
		body["detail"] = "compact"
	}
	return body
}

func (c *call) schemaSources() []access {
	stream, connector, connection := c.params.single["stream"], c.params.single["connector_id"], c.connection()
	return selectSources(c.sources, func(s access) bool {
		return (stream == "" || s.Stream.Name == stream) && (connection == "" || s.Connection.ID == connection) &&
			(connector == "" || s.ofConnector(connector))
	})
}

// bearer says whose token this is, where introspection is refused.
func (c *call) bearer() object {
	if c.isOwner() {
		return object{"scope": "owner", "token_kind": authority.KindOwner}
	}
	return object{"scope": "grant", "token_kind": c.grant.Kind}.with("grant_id", c.grant.ID).with("client_id", c.grant.ClientID)
}
