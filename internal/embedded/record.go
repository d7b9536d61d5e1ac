package embedded

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
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
		r, ok, err := c.store.Find(c.ctx, s.Source, id)
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
	ambiguous := newError(http.StatusConflict, "ambiguous_connection",
		"Record '%s' is present under more than one connection. Retry with `connection_id`.", id)
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

// expansions reads expand and expand_limit. Each relation must be usable in one source at least.
func (c *call) expansions(sources []access) ([]string, *apiError) {
	names := slices.Compact(slices.Sorted(slices.Values(c.params.lists["expand"])))
	for _, name := range names {
		if _, err := keepUsable(sources, func(s access) *apiError {
			_, _, err := c.relation(s, name)
			return err
		}); err != nil {
			return nil, err
		}
	}
	for name := range c.params.limits {
		if !slices.Contains(names, name) {
			return nil, invalidExpand("expand_limit[%s] is given but expand does not name %s", name, name)
		}
	}
	return names, nil
}

// relation finds a relation of a source with what it leads to, as far as that is granted, and reads its limit.
func (c *call) relation(from access, name string) (expansion, access, *apiError) {
	relation, ok := model.Find(from.Stream.Relations, func(r model.Relation) bool { return r.Name == name })
	if !ok {
		return expansion{}, access{}, invalidExpand("Unknown expand relation '%s' on stream '%s'", name, from.Stream.Name)
	}
	target, usable := c.target(from, relation)
	if !usable {
		return expansion{}, access{}, invalidExpand("Expand relation '%s' leads to stream '%s', which is not granted", name, relation.Target)
	}
	limit, err := expandLimit(relation, c.params.limits[name])
	return expansion{Relation: relation, limit: limit}, target, err
}

// An expansion is a relation with the limit that was asked for.
type expansion struct {
	model.Relation
	limit int
}

func expandLimit(relation model.Relation, text string) (int, *apiError) {
	if relation.Cardinality == "has_one" {
		if text != "" {
			return 0, invalidExpand("expand_limit[%s] does not apply to a has_one relation", relation.Name)
		}
		return 1, nil
	}
	usual, high := relation.Limits()
	if text == "" {
		return usual, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 {
		return 0, invalidExpand("expand_limit[%s] must be a whole number of at least 1", relation.Name)
	}
	if limit > high {
		return 0, invalidExpand("expand_limit[%s] exceeds max_limit %d", relation.Name, high)
	}
	return limit, nil
}

// expand reads the related records of a record. A relation that the record's own stream does not have is left out.
func (c *call) expand(from access, parent store.Record, names []string) (map[string]any, error) {
	if len(names) == 0 {
		return nil, nil
	}
	expanded := map[string]any{}
	for _, name := range names {
		relation, target, refusal := c.relation(from, name)
		if refusal != nil {
			continue
		}
		related, err := c.related(target, relation, parent)
		if err != nil {
			return nil, err
		}
		expanded[name] = related
	}
	return expanded, nil
}

func (c *call) related(target access, relation expansion, parent store.Record) (any, error) {
	found, err := c.store.Related(c.ctx, target.Source, relation.ForeignKey, parent.ID, relation.limit+1)
	if err != nil {
		return nil, err
	}
	list := listBody{Data: []recordBody{}, Object: "list", HasMore: len(found) > relation.limit}
	for _, r := range found[:min(len(found), relation.limit)] {
		body, err := target.body(r, nil)
		if err != nil {
			return nil, err
		}
		list.Data = append(list.Data, body)
	}
	if relation.Cardinality != "has_one" {
		return list, nil
	}
	if len(list.Data) == 0 {
		return nil, nil
	}
	return list.Data[0], nil
}
