package embedded

import (
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/capability"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// staleAfter is how old the newest record of a stream may be until it counts as stale.
const staleAfter = 24 * time.Hour

type streamListBody struct {
	Data    []streamRow `json:"data"`
	HasMore bool        `json:"has_more"`
	Object  string      `json:"object"`
	Links   *pageLinks  `json:"links"`
	Meta    *metaBody   `json:"meta"`
}

// A streamRow is a stream of one connection.
type streamRow struct {
	LastUpdated         *string       `json:"last_updated"`
	Name                string        `json:"name"`
	Object              string        `json:"object"`
	RecordCount         int           `json:"record_count"`
	ConnectionID        string        `json:"connection_id"`
	ConnectorInstanceID string        `json:"connector_instance_id"`
	ConnectorKey        string        `json:"connector_key"`
	DisplayName         string        `json:"display_name"`
	Freshness           freshnessBody `json:"freshness"`
}

type freshnessBody struct {
	Status     string `json:"status"`
	CapturedAt string `json:"captured_at,omitempty"`
}

// streams answers GET /v1/streams: a row for each stream and connection.
func (c *call) streams() (any, error) {
	connection, refusal := c.connection()
	if refusal != nil {
		return nil, refusal
	}
	sources, refusal := c.ofConnector(c.sources)
	if refusal != nil {
		return nil, refusal
	}
	if connection != "" {
		if sources = selectSources(sources, func(s access) bool { return s.Connection.ID == connection }); len(sources) == 0 {
			return nil, connectionMismatch()
		}
	}
	list := streamListBody{Data: []streamRow{}, Object: "list"}
	for _, s := range sources {
		row, err := c.streamRow(s)
		if err != nil {
			return nil, err
		}
		list.Data = append(list.Data, row)
	}
	list.Links, list.Meta = c.links(""), c.meta()
	return list, nil
}

func (c *call) streamRow(s access) (streamRow, error) {
	extent, err := c.server.store.Extent(c.ctx, s.Source)
	if err != nil {
		return streamRow{}, err
	}
	row := streamRow{
		Name: s.Stream.Name, Object: "stream", RecordCount: extent.Count, ConnectionID: s.Connection.ID, ConnectorInstanceID: s.Connection.ID,
		ConnectorKey: s.Connector.Key, DisplayName: s.Connection.DisplayName, Freshness: c.freshness(extent.Newest),
	}
	if extent.Newest != nil {
		updated := model.FormatInstant(extent.Newest)
		row.LastUpdated = &updated
	}
	return row, nil
}

func (c *call) freshness(last *int64) freshnessBody {
	if last == nil {
		return freshnessBody{Status: "unknown"}
	}
	f := freshnessBody{Status: "current", CapturedAt: model.FormatInstant(last)}
	if c.server.options.Now().Sub(time.UnixMicro(*last)) > staleAfter {
		f.Status = "stale"
	}
	return f
}

// A fullStream is all that is known of a stream.
type fullStream struct {
	ConsentTimeField   string                    `json:"consent_time_field,omitempty"`
	CursorField        string                    `json:"cursor_field,omitempty"`
	ExpandCapabilities []capability.Relation     `json:"expand_capabilities"`
	FieldCapabilities  capability.Object         `json:"field_capabilities"`
	Freshness          freshnessBody             `json:"freshness"`
	Name               string                    `json:"name"`
	Object             string                    `json:"object"`
	PrimaryKey         []string                  `json:"primary_key"`
	Query              capability.Query          `json:"query"`
	Relationships      []relationBody            `json:"relationships"`
	Schema             capability.Object         `json:"schema"`
	Selection          selectionBody             `json:"selection"`
	Semantics          string                    `json:"semantics"`
	Views              []viewBody                `json:"views"`
	InstanceIDs        []string                  `json:"instance_ids"`
	TimeConstraint     *authority.TimeConstraint `json:"time_constraint,omitempty"`
	GrantedConnections []connectionRef           `json:"granted_connections,omitempty"`
	Links              *selfLink                 `json:"links,omitempty"`
	Meta               *metaBody                 `json:"meta,omitempty"`
}

type relationBody struct {
	Name        string `json:"name"`
	Stream      string `json:"stream"`
	ForeignKey  string `json:"foreign_key"`
	Cardinality string `json:"cardinality"`
}

type selectionBody struct {
	Fields    bool `json:"fields"`
	Resources bool `json:"resources"`
}

type viewBody struct {
	ID     string   `json:"id"`
	Label  string   `json:"label"`
	Fields []string `json:"fields"`
}

// stream answers GET /v1/streams/{stream}. Where connectors share the name it tells of the first, and says so.
func (c *call) stream() (any, error) {
	sources, refusal := c.open(c.path[1])
	if refusal != nil {
		return nil, refusal
	}
	views := streamViews(sources)
	full, err := c.fullStream(views[0])
	if err != nil {
		return nil, err
	}
	if len(views) > 1 {
		c.warn(&warning{
			Code:    "partial_results",
			Message: "Several connectors have a stream of this name; this is the one of '" + views[0].Connector.Key + "'. Send `connection_id` for another.",
			Param:   "connection_id",
		})
	}
	full.Links, full.Meta = c.self(), c.meta()
	return full, nil
}

func (c *call) fullStream(view streamView) (fullStream, error) {
	var newest *int64
	ids := make([]string, len(view.sources))
	for i, s := range view.sources {
		extent, err := c.server.store.Extent(c.ctx, s.Source)
		if err != nil {
			return fullStream{}, err
		}
		if last := extent.Newest; last != nil && (newest == nil || *last > *newest) {
			newest = last
		}
		ids[i] = s.Connection.ID
	}
	full := fullStream{
		ConsentTimeField: view.shown(view.Stream.ConsentTimeField), CursorField: view.shown(view.Stream.CursorField),
		ExpandCapabilities: c.expandCapabilities(view, true), FieldCapabilities: capability.Object{}, Freshness: c.freshness(newest),
		Name: view.Stream.Name, Object: "stream_metadata", PrimaryKey: view.primaryKey(), Relationships: []relationBody{},
		Schema: capability.RecordSchema(view.fields), Selection: selectionBody{Fields: true, Resources: true}, Semantics: "mutable_state",
		Views: view.views(), InstanceIDs: ids, TimeConstraint: authority.TimeConstraintOf(*view.Stream, view.sources[0].Since, view.sources[0].Until),
	}
	for _, field := range view.fields {
		full.FieldCapabilities = append(full.FieldCapabilities, capability.Member{Name: field.Name, Value: capability.OfField(field, c.server.options.Embeddings != nil)})
	}
	full.Query = capability.OfStream(view.fields, full.ExpandCapabilities, c.server.options.Embeddings != nil)
	for _, e := range full.ExpandCapabilities {
		full.Relationships = append(full.Relationships, relationBody{Name: e.Name, Stream: e.Stream, ForeignKey: e.ForeignKey, Cardinality: e.Cardinality})
	}
	return full, nil
}

// views are the stream's views, without what is not granted.
func (v streamView) views() []viewBody {
	views := []viewBody{}
	for _, view := range v.Stream.Views {
		fields := slices.DeleteFunc(slices.Clone(view.Fields), func(name string) bool { return !v.shows(name) })
		if len(fields) > 0 {
			views = append(views, viewBody{ID: view.ID, Label: view.Label, Fields: fields})
		}
	}
	return views
}
