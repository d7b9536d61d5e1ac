package embedded

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// record answers GET /v1/streams/{stream}/records/{id}.
func (c *call) record() any {
	sources := c.open()
	wanted, expand := c.wanted(sources), c.expansions(sources)
	from, stored := c.locate(sources, c.path[3])
	if c.err != nil {
		return nil
	}
	body := c.expandedBody(from, stored, wanted, expand)
	body.set("record_json_bytes", len(c.project(from, stored, nil))) // granted fields only: the size of the others must not be disclosed
	body = append(body, object{{"connector_key", c.connectorName(from)}, {"links", c.self()}, {"meta", c.meta()}}...)
	if when := c.about(from, fieldsOf(stored)); len(wanted) == 0 || slices.Contains(wanted, when.by) { // as in hits
		body = body.with("authored_at", when.at).with("authored_field", when.by)
	}
	return body
}

// connectorName returns the name of a source's connector: the source id for a client, the short key for the owner.
func (c *call) connectorName(from access) string {
	if c.isOwner() {
		return from.Connector.Key
	}
	return from.Connector.SourceID
}

// locate finds the record with an id. Ids are unique within a connection only: if several have it, the error is ambiguous_connection.
func (c *call) locate(sources []access, id string) (from access, stored store.Record) {
	var having []access
	for _, s := range sources {
		if r, ok := c.find(s, id); ok {
			from, stored, having = s, r, append(having, s)
		}
	}
	switch len(having) {
	case 0:
		c.refuse(newError(http.StatusNotFound, "not_found", "Record not found"))
	case 1:
	default:
		ambiguous := newError(http.StatusConflict, "ambiguous_connection",
			"Record '%s' is present under more than one connection. Retry with `connection_id`.", id)
		ambiguous.Connections, ambiguous.RetryWith = connectionRefs(having), "connection_id"
		c.refuse(ambiguous)
	}
	return from, stored
}

// wanted reads fields, the names of the fields to return. Nil means all that are granted. Each must be granted in at least one source. View
// is refused: views are resolved when a grant is issued.
func (c *call) wanted(sources []access) []string {
	if c.params.has("view") {
		c.refuse(invalidRequest("Record reads must use explicit fields; views are resolved when the grant is issued"))
	}
	fields := c.params.lists["fields"]
	for _, name := range fields {
		c.usable(sources, "", func(s access) (access, *apiError) {
			_, refusal := s.demand(name)
			return s, refusal
		})
	}
	return fields
}

// expansions reads expand and expand_limit. Each relation must be usable in at least one source.
func (c *call) expansions(sources []access) []string {
	names := slices.Compact(slices.Sorted(slices.Values(c.params.lists["expand"])))
	for _, name := range names {
		c.usable(sources, "", func(s access) (access, *apiError) {
			_, refusal := c.expansion(s, name)
			return s, refusal
		})
	}
	for name := range c.params.limits {
		if !slices.Contains(names, name) {
			c.refuse(invalidExpand("expand_limit[%s] is given but expand does not name %s", name, name))
		}
	}
	return names
}

type expansion struct {
	model.Relation
	target access
	limit  int
}

// expansion finds a relation of a source and reads its limit. It refuses a relation whose target is not granted.
func (c *call) expansion(from access, name string) (expansion, *apiError) {
	relation, ok := model.Find(from.Stream.Relations, func(r model.Relation) bool { return r.Name == name })
	if !ok {
		return expansion{}, invalidExpand("Unknown expand relation '%s' on stream '%s'", name, from.Stream.Name)
	}
	target, usable := c.target(from, relation)
	if !usable {
		return expansion{}, invalidExpand("Expand relation '%s' leads to stream '%s', which is not granted", name, relation.Target)
	}
	limit, refusal := expandLimit(relation, c.params.limits[name])
	return expansion{relation, target, limit}, refusal
}

func expandLimit(relation model.Relation, text string) (int, *apiError) {
	isOne := relation.Cardinality == "has_one"
	limit, err := strconv.Atoi(text)
	switch {
	case isOne && text != "":
		return 0, invalidExpand("expand_limit[%s] does not apply to a has_one relation", relation.Name)
	case isOne:
		return 1, nil
	case text == "":
		return relation.DefaultLimit, nil
	case err != nil || limit < 1:
		return 0, invalidExpand("expand_limit[%s] must be a whole number of at least 1", relation.Name)
	case limit > relation.MaxLimit:
		return 0, invalidExpand("expand_limit[%s] exceeds max_limit %d", relation.Name, relation.MaxLimit)
	}
	return limit, nil
}

// expandedBody returns a record with the requested related records. It omits relations that the stream of the record lacks.
func (c *call) expandedBody(from access, r store.Record, wanted, expand []string) object {
	body, expanded := c.body(from, r, wanted), object{}
	for _, name := range expand {
		if relation, refusal := c.expansion(from, name); refusal == nil {
			expanded.set(name, c.related(relation, r))
		}
	}
	if len(expanded) > 0 {
		body.set("expanded", expanded)
	}
	return body
}

func (c *call) related(relation expansion, parent store.Record) any {
	found, err := c.store.Related(c.ctx, relation.target.Source, relation.ForeignKey, parent.ID, relation.limit+1)
	c.fail(err)
	data := []object{}
	for _, r := range found[:min(len(found), relation.limit)] {
		data = append(data, c.body(relation.target, r, nil))
	}
	switch {
	case relation.Cardinality != "has_one":
		return object{{"data", data}, {"object", "list"}, {"has_more", len(found) > relation.limit}}
	case len(data) == 0:
		return nil
	}
	return data[0]
}
