package embedded

import (
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// An access is one stream of one connection as far as a grant opens it: a source that a read may draw on. Every read
// is a loop over sources, and every query on one starts from its conditions: that is how the grant is kept.
type access struct {
	store.Source
	all bool // the grant is not limited to named fields
}

// sourcesOf lists what a grant opens, in the order of the corpus. Where a grant names the same stream of a
// connection twice, the first counts.
func sourcesOf(c *store.Catalog, grant authority.Grant) []access {
	var sources []access
	for _, t := range c.Tables {
		for _, connection := range t.Connector.Connections {
			if opened, ok := openSource(t, connection, grant); ok {
				sources = append(sources, opened)
			}
		}
	}
	return sources
}

func openSource(t *store.Table, connection model.Connection, grant authority.Grant) (access, bool) {
	if grant.Kind == authority.KindOwner {
		return access{Source: store.Source{Table: t, Connection: connection, Fields: t.Stream.Fields}, all: true}, true
	}
	granted, ok := grant.Opens(t.Connector.Key, t.Stream.Name, connection.ID)
	if !ok {
		return access{}, false
	}
	opened := access{Source: store.Source{Table: t, Connection: connection, Since: granted.Since, Until: granted.Until}, all: granted.Fields == nil}
	for _, field := range t.Stream.Fields {
		if opened.all || slices.Contains(granted.Fields, field.Name) {
			opened.Fields = append(opened.Fields, field)
		}
	}
	return opened, true
}

// demand finds a granted field or says why there is none.
func (s access) demand(name string) (model.Field, *apiError) {
	if field, ok := s.Granted(name); ok {
		return field, nil
	}
	if _, ok := s.Stream.Field(name); ok {
		return model.Field{}, newError(http.StatusForbidden, "field_not_granted", "Fields not in grant: %s", name)
	}
	return model.Field{}, newError(http.StatusBadRequest, "unknown_field", "Unknown field: %s", name)
}

// ref names the connection in a response.
func (s access) ref() connectionRef {
	return connectionRef{ConnectionID: s.Connection.ID, DisplayName: s.Connection.DisplayName}
}

// keepUsable keeps the sources that pass a check. Where streams of several connectors share a name, a parameter
// needs to make sense to one of them: the others have nothing to answer. If none passes, the error is that of the
// source which came furthest.
func keepUsable(sources []access, check func(access) *apiError) (kept []access, err *apiError) {
	for _, s := range sources {
		refusal := check(s)
		if refusal == nil {
			kept = append(kept, s)
		} else if err == nil || telling(refusal) > telling(err) {
			err = refusal
		}
	}
	if len(kept) > 0 {
		return kept, nil
	}
	return nil, err
}

func telling(err *apiError) int {
	switch err.Code {
	case "unknown_field":
		return 0
	case "field_not_granted":
		return 1
	}
	return 2
}

// storeSources are the sources as the store knows them.
func storeSources(sources []access) []store.Source {
	all := make([]store.Source, len(sources))
	for i, s := range sources {
		all[i] = s.Source
	}
	return all
}

// connection reads connection_id or its deprecated alias.
func (c *call) connection() (string, *apiError) {
	canonical, alias := c.params.single["connection_id"], c.params.single["connector_instance_id"]
	if alias == "" {
		return canonical, nil
	}
	if canonical != "" && canonical != alias {
		return "", invalidRequest("connection_id and connector_instance_id refer to the same connection. Send only `connection_id` (canonical) or supply matching values.").withParam("connection_id")
	}
	c.warn(&warning{
		Code:    "deprecated_alias_used",
		Message: "`connector_instance_id` is deprecated; send `connection_id` instead.",
		Param:   "connector_instance_id",
	})
	return alias, nil
}

// ofConnector narrows sources by connector_id, a connector's key or source id.
func (c *call) ofConnector(sources []access) ([]access, *apiError) {
	id := c.params.single["connector_id"]
	if id == "" {
		return sources, nil
	}
	kept := selectSources(sources, func(s access) bool { return s.Connector.Key == id || s.Connector.SourceID == id })
	if len(kept) == 0 {
		return nil, newError(http.StatusNotFound, "not_found", "Unknown source: %s", id)
	}
	return kept, nil
}

// open finds the sources that a read of a stream is about: at least one.
func (c *call) open(stream string) ([]access, *apiError) {
	sources := selectSources(c.sources, func(s access) bool { return s.Stream.Name == stream })
	if len(sources) == 0 {
		return nil, failedClosed("context.stream_not_allowed")
	}
	sources, err := c.ofConnector(sources)
	if err != nil {
		return nil, err
	}
	connection, err := c.connection()
	if err != nil || connection == "" {
		return sources, err
	}
	sources = selectSources(sources, func(s access) bool { return s.Connection.ID == connection })
	if len(sources) == 0 {
		return nil, connectionMismatch()
	}
	return sources, nil
}

func selectSources(sources []access, keep func(access) bool) []access {
	var kept []access
	for _, s := range sources {
		if keep(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// boundConnection is the connection that a cursor of these sources is bound to: empty for several.
func boundConnection(sources []access) string {
	if len(sources) == 1 {
		return sources[0].Connection.ID
	}
	return ""
}

// warnLeftOut tells which connections a parameter makes no sense to.
func (c *call) warnLeftOut(all, kept []access, param string) {
	for _, s := range all {
		if !slices.ContainsFunc(kept, func(k access) bool { return k.Table == s.Table && k.Connection.ID == s.Connection.ID }) {
			c.warn(&warning{
				Code:    "connection_left_out",
				Message: "Connection '" + s.Connection.ID + "' is left out: its stream does not support this " + param + ".",
				Param:   param,
			})
		}
	}
}
