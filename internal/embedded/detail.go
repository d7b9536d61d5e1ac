package embedded

import (
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
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
	whole, err := from.project(stored.data, nil)
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
		return from.connector.Key
	}
	return from.connector.SourceID
}

// locate finds the one record of an id. An id is unique under a connection only, so several is a question back.
func (c *call) locate(sources []access, id string) (access, storedRecord, error) {
	var from access
	var stored storedRecord
	var refs []connectionRef
	for _, s := range sources {
		r, ok, err := c.server.store.find(c.ctx, s, id)
		if err != nil {
			return access{}, storedRecord{}, err
		}
		if ok {
			from, stored = s, r
			refs = append(refs, s.ref())
		}
	}
	switch len(refs) {
	case 0:
		return access{}, storedRecord{}, recordNotFound()
	case 1:
		return from, stored, nil
	}
	ambiguous := newError(http.StatusConflict, "ambiguous_connection", "Record '%s' is present under more than one connection. Retry with `connection_id`.", id)
	ambiguous.Connections, ambiguous.RetryWith = refs, "connection_id"
	return access{}, storedRecord{}, ambiguous
}
