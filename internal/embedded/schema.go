package embedded

import (
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/capability"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
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

// A bearerBody tells whose token this is, where nobody may introspect.
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

// A streamView is a stream as a grant shows it over some connections.
type streamView struct {
	*store.Table
	sources []access
	fields  []model.Field // granted in one of them
}

// streamViews gathers sources by stream.
func streamViews(sources []access) []streamView {
	var views []streamView
	for _, s := range sources {
		if len(views) == 0 || views[len(views)-1].Table != s.Table {
			views = append(views, streamView{Table: s.Table})
		}
		last := &views[len(views)-1]
		last.sources = append(last.sources, s)
	}
	for i := range views {
		for _, field := range views[i].Stream.Fields {
			if slices.ContainsFunc(views[i].sources, func(s access) bool { _, ok := s.Granted(field.Name); return ok }) {
				views[i].fields = append(views[i].fields, field)
			}
		}
	}
	return views
}

func (v streamView) refs() []connectionRef {
	refs := make([]connectionRef, len(v.sources))
	for i, s := range v.sources {
		refs[i] = s.ref()
	}
	return refs
}

// shows reports whether the view has a field.
func (v streamView) shows(name string) bool {
	return slices.ContainsFunc(v.fields, func(f model.Field) bool { return f.Name == name })
}

// shown is the name of a field, or nothing when it is not granted.
func (v streamView) shown(name string) string {
	if v.shows(name) {
		return name
	}
	return ""
}

func connectorRefs(sources []access, key string) []connectionRef {
	var refs []connectionRef
	for _, s := range sources {
		if s.Connector.Key == key {
			refs = mergeRefs(refs, []connectionRef{s.ref()})
		}
	}
	return refs
}

func mergeRefs(refs, more []connectionRef) []connectionRef {
	for _, ref := range more {
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
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
		stream.FieldCapabilities = append(stream.FieldCapabilities, capability.Member{Name: field.Name, Value: capability.Flags(field, c.server.options.Embeddings != nil)})
	}
	return stream, nil
}

func (v streamView) primaryKey() []string {
	key := []string{}
	for _, name := range v.Stream.PrimaryKey {
		if v.shows(name) {
			key = append(key, name)
		}
	}
	return key
}

// expandCapabilities lists the stream's relations. One is usable if it can be followed on some connection.
func (c *call) expandCapabilities(view streamView, full bool) []capability.Relation {
	capabilities := []capability.Relation{}
	for _, relation := range view.Stream.Relations {
		granted, usable := false, false
		for _, s := range view.sources {
			target, ok := c.target(s, relation)
			granted = granted || target.Table != nil
			usable = usable || ok
		}
		e := capability.OfRelation(relation, granted, usable)
		if full {
			e.ChildParentKeyField = relation.ForeignKey
		}
		capabilities = append(capabilities, e)
	}
	return capabilities
}
