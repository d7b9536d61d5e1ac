package embedded

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/capability"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// A listBody is a page of records.
type listBody struct {
	Data             []recordBody `json:"data"`
	HasMore          bool         `json:"has_more"`
	Object           string       `json:"object"`
	NextCursor       string       `json:"next_cursor,omitempty"`
	NextChangesSince string       `json:"next_changes_since,omitempty"`
	URL              string       `json:"url,omitempty"`
	Links            *pageLinks   `json:"links,omitempty"`
	Meta             *metaBody    `json:"meta,omitempty"`
}

// A recordBody is one record as it is sent. The detail route adds what a list does not have.
type recordBody struct {
	ConnectorKey        string          `json:"connector_key,omitempty"`
	Data                json.RawMessage `json:"data"`
	EmittedAt           string          `json:"emitted_at,omitempty"` // absent: not known
	ID                  string          `json:"id"`
	Object              string          `json:"object"`
	Stream              string          `json:"stream"`
	ConnectionID        string          `json:"connection_id"`
	ConnectorInstanceID string          `json:"connector_instance_id"`
	DisplayName         string          `json:"display_name"`
	RecordJSONBytes     int             `json:"record_json_bytes,omitempty"`
	Expanded            map[string]any  `json:"expanded,omitempty"`
	Links               *selfLink       `json:"links,omitempty"`
	Meta                *metaBody       `json:"meta,omitempty"`
}

type selfLink struct {
	Self string `json:"self"`
}

// pageLinks always tell whether there is a next page: null when not.
type pageLinks struct {
	Self string  `json:"self"`
	Next *string `json:"next"`
}

type metaBody struct {
	Count    countBody `json:"count"`
	Warnings []warning `json:"warnings"`
}

type countBody struct {
	Kind  string `json:"kind"`
	Value *int   `json:"value,omitempty"`
}

func (c *call) self() *selfLink { return &selfLink{Self: c.url.RequestURI()} }

// links leads to the next page, when there is one.
func (c *call) links(next string) *pageLinks {
	links := &pageLinks{Self: c.url.RequestURI()}
	if next != "" {
		query := c.url.Query()
		query.Del("cursor")
		uri := c.url.EscapedPath() + "?" + query.Encode()
		if len(query) > 0 {
			uri += "&"
		}
		uri += "cursor=" + url.QueryEscape(next)
		links.Next = &uri
	}
	return links
}

func (c *call) meta() *metaBody {
	return &metaBody{Count: countBody{Kind: "none"}, Warnings: c.warningList()}
}

// warningList is never null on the wire.
func (c *call) warningList() []warning {
	if c.warnings == nil {
		return []warning{}
	}
	return slices.Clone(c.warnings)
}

// body writes a stored record as the source shows it.
func (s access) body(r store.Record, wanted []string) (recordBody, error) {
	data, err := s.project(r.Data, wanted)
	if err != nil {
		return recordBody{}, err
	}
	return recordBody{
		Data: data, EmittedAt: model.FormatInstant(r.Emitted), ID: r.ID, Object: "record", Stream: s.Stream.Name,
		ConnectionID: s.Connection.ID, ConnectorInstanceID: s.Connection.ID, DisplayName: s.Connection.DisplayName,
	}, nil
}

// project cuts a record to what is granted and wanted.
func (s access) project(data []byte, wanted []string) (json.RawMessage, error) {
	if s.all && wanted == nil {
		return data, nil
	}
	var record map[string]json.RawMessage
	if err := json.Unmarshal(data, &record); err != nil {
		return nil, fmt.Errorf("stored record: %w", err)
	}
	var out capability.Object
	for _, field := range s.Fields {
		if value, ok := record[field.Name]; ok && (wanted == nil || slices.Contains(wanted, field.Name)) {
			out = append(out, capability.Member{Name: field.Name, Value: value})
		}
	}
	return out.MarshalJSON()
}
