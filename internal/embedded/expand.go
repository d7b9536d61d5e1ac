package embedded

import (
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

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
	at := slices.IndexFunc(from.Stream.Relations, func(r model.Relation) bool { return r.Name == name })
	if at < 0 {
		return expansion{}, access{}, invalidExpand("Unknown expand relation '%s' on stream '%s'", name, from.Stream.Name)
	}
	relation := from.Stream.Relations[at]
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

// target is the granted source that a relation leads to. Without its foreign key it cannot be followed: the answer
// would tell the key.
func (c *call) target(from access, relation model.Relation) (access, bool) {
	for _, s := range c.sources {
		if s.Connector == from.Connector && s.Connection.ID == from.Connection.ID && s.Stream.Name == relation.Target {
			_, granted := s.Granted(relation.ForeignKey)
			_, comparable := s.Column(relation.ForeignKey)
			return s, granted && comparable
		}
	}
	return access{}, false
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
	found, err := c.server.store.Related(c.ctx, target.Source, relation.ForeignKey, parent.ID, relation.limit+1)
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
