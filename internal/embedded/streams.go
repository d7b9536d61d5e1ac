package embedded

import (
	"database/sql"
	"fmt"
	"slices"
	"time"
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
		if sources = selectSources(sources, func(s access) bool { return s.connection.ID == connection }); len(sources) == 0 {
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
	count, last, err := c.extent(s)
	if err != nil {
		return streamRow{}, err
	}
	row := streamRow{
		Name: s.stream.Name, Object: "stream", RecordCount: count, ConnectionID: s.connection.ID, ConnectorInstanceID: s.connection.ID,
		ConnectorKey: s.connector.Key, DisplayName: s.connection.DisplayName, Freshness: c.freshness(last),
	}
	if last.Valid {
		updated := formatInstant(last.Int64)
		row.LastUpdated = &updated
	}
	return row, nil
}

// extent counts a source's records and finds when the newest was emitted.
func (c *call) extent(s access) (count int, last sql.NullInt64, err error) {
	w := s.conditions()
	err = c.server.store.db.QueryRowContext(c.ctx, fmt.Sprintf("SELECT count(*), max(emitted) FROM %s WHERE %s", s.name, w), w.args...).Scan(&count, &last)
	return count, last, err
}

func (c *call) freshness(last sql.NullInt64) freshnessBody {
	if !last.Valid {
		return freshnessBody{Status: "unknown"}
	}
	f := freshnessBody{Status: "fresh", CapturedAt: formatInstant(last.Int64)}
	if c.server.options.Now().Sub(time.UnixMicro(last.Int64)) > staleAfter {
		f.Status = "stale"
	}
	return f
}

// A fullStream is all that is known of a stream.
type fullStream struct {
	ConsentTimeField   string             `json:"consent_time_field,omitempty"`
	CursorField        string             `json:"cursor_field,omitempty"`
	ExpandCapabilities []expandCapability `json:"expand_capabilities"`
	FieldCapabilities  orderedObject      `json:"field_capabilities"`
	Freshness          freshnessBody      `json:"freshness"`
	Name               string             `json:"name"`
	Object             string             `json:"object"`
	PrimaryKey         []string           `json:"primary_key"`
	Query              queryBody          `json:"query"`
	Relationships      []relationBody     `json:"relationships"`
	Schema             orderedObject      `json:"schema"`
	Selection          selectionBody      `json:"selection"`
	Semantics          string             `json:"semantics"`
	Views              []viewBody         `json:"views"`
	InstanceIDs        []string           `json:"instance_ids"`
	GrantedConnections []connectionRef    `json:"granted_connections,omitempty"`
	Links              *selfLink          `json:"links,omitempty"`
	Meta               *metaBody          `json:"meta,omitempty"`
}

type queryBody struct {
	Search       *searchFields  `json:"search,omitempty"`
	RangeFilters orderedObject  `json:"range_filters"`
	Aggregations orderedObject  `json:"aggregations"`
	Expand       []expandLimits `json:"expand"`
}

type searchFields struct {
	LexicalFields  []string `json:"lexical_fields"`
	SemanticFields []string `json:"semantic_fields,omitempty"`
}

type expandLimits struct {
	Name         string `json:"name"`
	DefaultLimit int    `json:"default_limit,omitempty"`
	MaxLimit     int    `json:"max_limit,omitempty"`
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
			Message: "Several connectors have a stream of this name; this is the one of '" + views[0].connector.Key + "'. Send `connection_id` for another.",
			Param:   "connection_id",
		})
	}
	full.Links, full.Meta = c.self(), c.meta()
	return full, nil
}

func (c *call) fullStream(view streamView) (fullStream, error) {
	var newest sql.NullInt64
	ids := make([]string, len(view.sources))
	for i, s := range view.sources {
		_, last, err := c.extent(s)
		if err != nil {
			return fullStream{}, err
		}
		if last.Valid && (!newest.Valid || last.Int64 > newest.Int64) {
			newest = last
		}
		ids[i] = s.connection.ID
	}
	full := fullStream{
		ConsentTimeField: view.shown(view.stream.ConsentTimeField), CursorField: view.shown(view.stream.CursorField),
		ExpandCapabilities: c.expandCapabilities(view, true), FieldCapabilities: orderedObject{}, Freshness: c.freshness(newest),
		Name: view.stream.Name, Object: "stream_metadata", PrimaryKey: view.primaryKey(), Relationships: []relationBody{},
		Schema: view.jsonSchema(), Selection: selectionBody{Fields: true, Resources: true}, Semantics: "mutable_state",
		Views: view.views(), InstanceIDs: ids,
	}
	for _, field := range view.fields {
		full.FieldCapabilities = append(full.FieldCapabilities, orderedMember{field.Name, newFieldCapability(field, c.server.options.Embeddings != nil)})
	}
	full.Query = view.query(c.server.options.Embeddings != nil)
	for _, e := range full.ExpandCapabilities {
		full.Relationships = append(full.Relationships, relationBody{Name: e.Name, Stream: e.Stream, ForeignKey: e.ForeignKey, Cardinality: e.Cardinality})
		if e.Usable {
			full.Query.Expand = append(full.Query.Expand, expandLimits{Name: e.Name, DefaultLimit: e.DefaultLimit, MaxLimit: e.MaxLimit})
		}
	}
	return full, nil
}

// query tells by parameter what the field capabilities tell by field.
func (v streamView) query(embeddings bool) queryBody {
	q := queryBody{RangeFilters: orderedObject{}, Aggregations: orderedObject{{"count", true}}, Expand: []expandLimits{}}
	var lexical, semantic []string
	for _, field := range v.fields {
		if field.Lexical {
			lexical = append(lexical, field.Name)
		}
		if embeddings && isEmbedded(field) {
			semantic = append(semantic, field.Name)
		}
		if canRange(field) {
			q.RangeFilters = append(q.RangeFilters, orderedMember{field.Name, operatorNames()})
		}
	}
	if lexical != nil {
		q.Search = &searchFields{LexicalFields: lexical, SemanticFields: semantic}
	}
	for _, kind := range aggregationKinds {
		var names []string
		for _, field := range v.fields {
			if canAggregate(field, kind) {
				names = append(names, field.Name)
			}
		}
		if names != nil {
			q.Aggregations = append(q.Aggregations, orderedMember{kind, names})
		}
	}
	return q
}

// jsonSchema is the JSON Schema of a record as it is shown.
func (v streamView) jsonSchema() orderedObject {
	properties, required := orderedObject{}, []string{}
	for _, field := range v.fields {
		properties = append(properties, orderedMember{field.Name, fieldSchema(field)})
		if !field.Nullable {
			required = append(required, field.Name)
		}
	}
	return orderedObject{{"type", "object"}, {"properties", properties}, {"required", required}}
}

// views are the stream's views, without what is not granted.
func (v streamView) views() []viewBody {
	views := []viewBody{}
	for _, view := range v.stream.Views {
		fields := slices.DeleteFunc(slices.Clone(view.Fields), func(name string) bool { return !v.shows(name) })
		if len(fields) > 0 {
			views = append(views, viewBody{ID: view.ID, Label: view.Label, Fields: fields})
		}
	}
	return views
}
