package embedded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// record answers GET /v1/streams/{stream}/records/{id}.
func (c *call) record() (any, error) {
	sources, refusal := c.open(c.path[1])
	if refusal != nil {
		return nil, refusal
	}
	wanted, refusal := c.wanted(sources)
	if refusal != nil {
		return nil, refusal
	}
	expand, refusal := c.expansions(sources)
	if refusal != nil {
		return nil, refusal
	}
	from, stored, err := c.locate(sources, c.path[3])
	if err != nil {
		return nil, err
	}
	body, err := from.body(stored, wanted)
	if err != nil {
		return nil, err
	}
	if body.Expanded, err = c.expand(from, stored, expand); err != nil {
		return nil, err
	}
	body.ConnectorKey = c.connectorName(from)
	whole, err := from.project(stored.Data, nil)
	if err != nil {
		return nil, err
	}
	body.RecordJSONBytes = len(whole) // of what is granted: the rest's size is not the client's to know
	body.Links, body.Meta = c.self(), c.meta()
	return body, nil
}

// connectorName is how a record names its connector: a client sees the source id, an owner the short key.
func (c *call) connectorName(from access) string {
	if c.grant.Kind == authority.KindOwner {
		return from.Connector.Key
	}
	return from.Connector.SourceID
}

// locate finds the one record of an id. An id is unique under a connection only, so several is a question back.
func (c *call) locate(sources []access, id string) (access, store.Record, error) {
	var from access
	var stored store.Record
	var refs []connectionRef
	for _, s := range sources {
		r, ok, err := c.server.store.Find(c.ctx, s.Source, id)
		if err != nil {
			return access{}, store.Record{}, err
		}
		if ok {
			from, stored = s, r
			refs = append(refs, s.ref())
		}
	}
	switch len(refs) {
	case 0:
		return access{}, store.Record{}, newError(http.StatusNotFound, "not_found", "Record not found")
	case 1:
		return from, stored, nil
	}
	ambiguous := newError(http.StatusConflict, "ambiguous_connection", "Record '%s' is present under more than one connection. Retry with `connection_id`.", id)
	ambiguous.Connections, ambiguous.RetryWith = refs, "connection_id"
	return access{}, store.Record{}, ambiguous
}

// wanted reads fields, and for an owner view, as the names of fields to show. Nil is all that is granted. Each field
// must be granted in one source at least.
func (c *call) wanted(sources []access) ([]string, *apiError) {
	fields := c.params.lists["fields"]
	if c.params.has("view") {
		return c.viewFields(sources, fields)
	}
	for _, name := range fields {
		if _, err := keepUsable(sources, func(s access) *apiError {
			_, err := s.demand(name)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func (c *call) viewFields(sources []access, fields []string) ([]string, *apiError) {
	if c.grant.Kind != authority.KindOwner {
		return nil, invalidRequest("Client record reads must use explicit fields; views are resolved when the grant is issued")
	}
	if len(fields) > 0 {
		return nil, invalidRequest("Send fields or view, not both").withParam("view")
	}
	for _, s := range sources {
		for _, view := range s.Stream.Views {
			if view.ID == c.params.single["view"] {
				return view.Fields, nil
			}
		}
	}
	return nil, invalidRequest("Unknown view: %s", c.params.single["view"]).withParam("view")
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
	out := bytes.NewBufferString("{")
	for _, field := range s.Fields {
		value, ok := record[field.Name]
		if !ok || wanted != nil && !slices.Contains(wanted, field.Name) {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(field.Name)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
