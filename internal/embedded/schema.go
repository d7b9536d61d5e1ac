package embedded

import (
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/capability"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

type schemaBody struct {
	Bearer         bearerBody      `json:"bearer"`
	Connectors     []connectorBody `json:"connectors"`
	Object         string          `json:"object"`
	Detail         string          `json:"detail,omitempty"`
	ConnectorCount *int            `json:"connector_count,omitempty"`
	StreamCount    *int            `json:"stream_count,omitempty"`
	Links          *selfLink       `json:"links"`
	Meta           *metaBody       `json:"meta"`
}

// A bearerBody says whose token this is, where introspection is refused.
type bearerBody struct {
	Scope     string `json:"scope"`
	TokenKind string `json:"token_kind"`
	GrantID   string `json:"grant_id,omitempty"`
	ClientID  string `json:"client_id,omitempty"`
}

type sourceBody struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
}

type connectorBody struct {
	Object             string          `json:"object"`
	Source             sourceBody      `json:"source"`
	StreamCount        int             `json:"stream_count"`
	Streams            []any           `json:"streams"` // compactStream or fullStream
	ConnectorKey       string          `json:"connector_key"`
	ConnectorID        string          `json:"connector_id"`
	GrantedConnections []connectionRef `json:"granted_connections,omitempty"`
}

type compactStream struct {
	Name               string                `json:"name"`
	PrimaryKey         []string              `json:"primary_key"`
	CursorField        string                `json:"cursor_field,omitempty"`
	FieldCapabilities  capability.Object     `json:"field_capabilities"`
	ExpandCapabilities []capability.Relation `json:"expand_capabilities"`
}

// schema answers GET /v1/schema. A stream or connection that is not granted is simply not there.
func (c *call) schema() (any, error) {
	sources, refusal := c.schemaSources()
	if refusal != nil {
		return nil, refusal
	}
	compact := c.params.single["view"] == "compact" && c.params.single["detail"] != "full" || c.params.single["detail"] == "compact"
	body := schemaBody{Bearer: c.bearer(), Connectors: []connectorBody{}, Object: "schema"}
	streams := 0
	for _, view := range streamViews(sources) {
		described, err := c.describe(view, compact)
		if err != nil {
			return nil, err
		}
		last := len(body.Connectors) - 1
		if last < 0 || body.Connectors[last].ConnectorKey != view.Connector.Key {
			body.Connectors = append(body.Connectors, c.newConnector(view.Connector))
			last++
		}
		connector := &body.Connectors[last]
		connector.Streams = append(connector.Streams, described)
		connector.StreamCount++
		streams++
	}
	for i := range body.Connectors {
		body.Connectors[i].GrantedConnections = connectorRefs(sources, body.Connectors[i].ConnectorKey)
	}
	connectors := len(body.Connectors)
	body.ConnectorCount, body.StreamCount = &connectors, &streams
	if compact {
		body.Detail = "compact"
	}
	c.warnUnread(sources)
	body.Links, body.Meta = c.self(), c.meta()
	return body, nil
}

func (c *call) schemaSources() ([]access, *apiError) {
	connection, refusal := c.connection()
	if refusal != nil {
		return nil, refusal
	}
	stream, connector := c.params.single["stream"], c.params.single["connector_id"]
	return selectSources(c.sources, func(s access) bool {
		return (stream == "" || s.Stream.Name == stream) && (connection == "" || s.Connection.ID == connection) &&
			(connector == "" || s.Connector.Key == connector || s.Connector.SourceID == connector)
	}), nil
}

func (c *call) bearer() bearerBody {
	if c.grant.Kind == authority.KindOwner {
		return bearerBody{Scope: "owner", TokenKind: authority.KindOwner}
	}
	return bearerBody{Scope: "grant", TokenKind: c.grant.Kind, GrantID: c.grant.ID, ClientID: c.grant.ClientID}
}

func (c *call) newConnector(connector *model.Connector) connectorBody {
	id := connector.SourceID
	if c.grant.Kind == authority.KindOwner {
		id = connector.Key
	}
	return connectorBody{
		Object: "connector", Source: sourceBody{ID: id, Kind: "connector"}, Streams: []any{},
		ConnectorKey: connector.Key, ConnectorID: connector.Key,
	}
}

func connectorRefs(sources []access, key string) []connectionRef {
	var refs []connectionRef
	for _, s := range sources {
		if s.Connector.Key == key && !slices.Contains(refs, s.ref()) {
			refs = append(refs, s.ref())
		}
	}
	return refs
}

func (c *call) describe(view streamView, compact bool) (any, error) {
	if !compact {
		full, err := c.fullStream(view)
		if err != nil {
			return nil, fmt.Errorf("describe stream %s: %w", view.Stream.Name, err)
		}
		full.GrantedConnections = view.refs()
		return full, nil
	}
	stream := compactStream{
		Name: view.Stream.Name, PrimaryKey: view.primaryKey(), CursorField: view.shown(view.Stream.CursorField),
		FieldCapabilities: capability.Object{}, ExpandCapabilities: c.expandCapabilities(view, false),
	}
	for _, field := range view.fields {
		stream.FieldCapabilities = append(stream.FieldCapabilities,
			capability.Member{Name: field.Name, Value: capability.Flags(field, c.options.Embeddings != nil)})
	}
	return stream, nil
}
