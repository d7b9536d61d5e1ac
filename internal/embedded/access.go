package embedded

import (
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// An access is one stream of one connection, limited to what a grant gives access to. Every read loops over accesses, and every query on
// one includes its conditions: this is how grants are enforced.
type access struct {
	store.Source
	all bool // the grant includes all fields
}

// sourcesOf lists the sources that a grant gives access to, in the order of the corpus. If a grant names a stream of a connection twice,
// the first entry applies.
func sourcesOf(c *store.Catalog, grant authority.Grant) []access {
	var sources []access
	for _, t := range c.Tables {
		for _, connection := range t.Connector.Connections {
			granted, ok := grant.Opens(t.Connector.Key, t.Stream.Name, connection.ID)
			if !ok && grant.Kind != authority.KindOwner { // an owner's grant has no bounds
				continue
			}
			opened := access{
				Source: store.Source{Table: t, Connection: connection, Since: granted.Since, Until: granted.Until}, all: granted.Fields == nil,
			}
			for _, field := range t.Stream.Fields {
				if opened.all || slices.Contains(granted.Fields, field.Name) {
					opened.Fields = append(opened.Fields, field)
				}
			}
			sources = append(sources, opened)
		}
	}
	return sources
}

func selectSources(sources []access, keep func(access) bool) []access {
	return slices.DeleteFunc(slices.Clone(sources), func(s access) bool { return !keep(s) })
}

func storeSources(sources []access) []store.Source {
	all := make([]store.Source, len(sources))
	for i, s := range sources {
		all[i] = s.Source
	}
	return all
}

// boundConnection returns the connection that a cursor over sources is bound to: "" if there are several.
func boundConnection(sources []access) string {
	if len(sources) == 1 {
		return sources[0].Connection.ID
	}
	return ""
}

func connectionRefs(sources []access) []connectionRef {
	var refs []connectionRef
	for _, s := range sources {
		if ref := (connectionRef{s.Connection.ID, s.Connection.DisplayName}); !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

func (s access) ofConnector(id string) bool {
	return s.Connector.Key == id || s.Connector.SourceID == id
}

// labeled adds to the body of a record or stream the members that identify its connection.
func (s access) labeled(body object) object {
	one := s.Connection
	return append(body, object{{"connection_id", one.ID}, {"connector_instance_id", one.ID}, {"display_name", one.DisplayName}}...)
}

// demand returns a granted field, or an error: field_not_granted or unknown_field.
func (s access) demand(name string) (model.Field, *apiError) {
	if field, ok := s.Granted(name); ok {
		return field, nil
	}
	if _, ok := s.Stream.Field(name); ok {
		return model.Field{}, newError(http.StatusForbidden, "field_not_granted", "Fields not in grant: %s", name)
	}
	return model.Field{}, newError(http.StatusBadRequest, "unknown_field", "Unknown field: %s", name)
}
