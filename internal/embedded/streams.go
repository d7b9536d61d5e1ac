package embedded

import (
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

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

// streams answers GET /v1/streams: a row for each stream and connection.
func (c *call) streams() (any, error) {
	sources, refusal := c.narrow(c.sources, connectionMismatch)
	if refusal != nil {
		return nil, refusal
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
	extent, err := c.store.Extent(c.ctx, s.Source)
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
			Code: "partial_results",
			Message: "Several connectors have a stream of this name; this is the one of '" + views[0].Connector.Key +
				"'. Send `connection_id` for another.",
			Param: "connection_id",
		})
	}
	full.Links, full.Meta = c.self(), c.meta()
	return full, nil
}
