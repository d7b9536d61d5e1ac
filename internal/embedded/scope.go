package embedded

import (
	"net/http"
	"slices"
)

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
	kept := selectSources(sources, func(s access) bool { return s.connector.Key == id || s.connector.SourceID == id })
	if len(kept) == 0 {
		return nil, newError(http.StatusNotFound, "not_found", "Unknown source: %s", id)
	}
	return kept, nil
}

// open finds the sources that a read of a stream is about: at least one.
func (c *call) open(stream string) ([]access, *apiError) {
	sources := selectSources(c.sources, func(s access) bool { return s.stream.Name == stream })
	if len(sources) == 0 {
		return nil, streamNotAllowed()
	}
	sources, err := c.ofConnector(sources)
	if err != nil {
		return nil, err
	}
	connection, err := c.connection()
	if err != nil || connection == "" {
		return sources, err
	}
	sources = selectSources(sources, func(s access) bool { return s.connection.ID == connection })
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
		return sources[0].connection.ID
	}
	return ""
}

// warnLeftOut tells which connections a parameter makes no sense to.
func (c *call) warnLeftOut(all, kept []access, param string) {
	for _, s := range all {
		if !slices.ContainsFunc(kept, func(k access) bool { return k.table == s.table && k.connection.ID == s.connection.ID }) {
			c.warn(&warning{
				Code:    "connection_left_out",
				Message: "Connection '" + s.connection.ID + "' is left out: its stream does not support this " + param + ".",
				Param:   param,
			})
		}
	}
}
