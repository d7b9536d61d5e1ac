package embedded

import (
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// streams answers GET /v1/streams: a row for each stream and connection.
func (c *call) streams() any {
	rows := []object{}
	for _, s := range c.narrow(c.sources, connectionMismatch) {
		extent := c.extent(s)
		rows = append(rows, s.labeled(object{
			{"name", s.Stream.Name}, {"object", "stream"}, {"record_count", extent.Count}, {"connector_key", s.Connector.Key},
			{"freshness", c.freshness(extent.Newest)}, {"last_updated", nullable(model.FormatInstant(extent.Newest))},
		}))
	}
	return object{{"data", rows}, {"has_more", false}, {"object", "list"}, {"links", c.links("")}, {"meta", c.meta()}}
}

// stream answers GET /v1/streams/{stream}. If several connectors have a stream of that name, it describes the first one and warns.
func (c *call) stream() any {
	views := streamViews(c.open())
	if c.err != nil {
		return nil
	}
	full := c.fullStream(views[0])
	if len(views) > 1 {
		c.warnOf("connection_id", "partial_results", "Several connectors have a stream of this name; this is the one of '"+
			views[0].Connector.Key+"'. Send `connection_id` for another.")
	}
	return append(full, object{{"links", c.self()}, {"meta", c.meta()}}...)
}

// A streamView is what a grant shows of a stream on some connections.
type streamView struct {
	*store.Table
	sources []access
	fields  []model.Field // granted on at least one of them
}

func streamViews(sources []access) []streamView {
	var views []streamView
	for _, s := range sources {
		if len(views) == 0 || views[len(views)-1].Table != s.Table {
			views = append(views, streamView{Table: s.Table})
		}
		last := &views[len(views)-1]
		last.sources = append(last.sources, s)
	}
	for i := range views {
		for _, field := range views[i].Stream.Fields {
			if slices.ContainsFunc(views[i].sources, func(s access) bool { _, ok := s.Granted(field.Name); return ok }) {
				views[i].fields = append(views[i].fields, field)
			}
		}
	}
	return views
}

// shown returns those of names that are fields of the view.
func (v streamView) shown(names ...string) []string {
	shown := []string{}
	for _, name := range names {
		if slices.ContainsFunc(v.fields, func(f model.Field) bool { return f.Name == name }) {
			shown = append(shown, name)
		}
	}
	return shown
}

func (v streamView) views() []object {
	views := []object{}
	for _, view := range v.Stream.Views {
		if fields := v.shown(view.Fields...); len(fields) > 0 {
			views = append(views, object{{"id", view.ID}, {"label", view.Label}, {"fields", fields}})
		}
	}
	return views
}

// relations lists the stream's relations. One is usable if it can be followed on some connection.
func (c *call) relations(view streamView) []object {
	relations := []object{}
	for _, relation := range view.Stream.Relations {
		granted, usable := false, false
		for _, s := range view.sources {
			target, ok := c.target(s, relation)
			granted = granted || target.Table != nil
			usable = usable || ok
		}
		one := object{
			{"name", relation.Name}, {"stream", relation.Target}, {"target_stream", relation.Target}, {"cardinality", relation.Cardinality},
			{"granted", granted}, {"usable", usable}, {"foreign_key", relation.ForeignKey},
		}
		if relation.Cardinality != "has_one" {
			one = append(one, object{{"default_limit", relation.DefaultLimit}, {"max_limit", relation.MaxLimit}}...)
		}
		relations = append(relations, one)
	}
	return relations
}

// staleAfter is the age of its newest record above which a stream counts as stale.
const staleAfter = 24 * time.Hour

// freshness is that of the newest record. If the store was read from files, all streams are current as of that reading: changes are read
// before an answer, or the answer warns.
func (c *call) freshness(last *int64) object {
	if read := model.FormatInstant(c.catalog.ReadAt); read != "" {
		return object{{"status", "current"}, {"captured_at", read}, {"last_attempted_at", read}}
	}
	status := "unknown"
	if last != nil {
		status = "current"
		if c.options.Now().Sub(time.UnixMicro(*last)) > staleAfter {
			status = "stale"
		}
	}
	return object{{"status", status}}.with("captured_at", model.FormatInstant(last))
}

// described returns the members that the compact and the full description of a stream have in common.
func (v streamView) described(relations []object) object {
	described := object{{"name", v.Stream.Name}, {"primary_key", v.shown(v.Stream.PrimaryKey...)}, {"expand_capabilities", relations}}
	for _, name := range v.shown(v.Stream.CursorField) {
		described.set("cursor_field", name)
	}
	return described
}

// compactStream describes the queries that a stream supports, with one string for each field.
func (c *call) compactStream(view streamView) object {
	fields := object{}
	for _, field := range view.fields {
		fields = append(fields, member{field.Name, usesOf(field, c.options.Embeddings != nil).flags(field)})
	}
	stream := view.described(c.relations(view))
	stream.set("field_capabilities", fields)
	return stream
}

func (c *call) fullStream(view streamView) object {
	var newest *int64
	ids, fields, relationships := []string{}, object{}, []object{}
	for _, s := range view.sources {
		if last := c.extent(s).Newest; last != nil && (newest == nil || *last > *newest) {
			newest = last
		}
		ids = append(ids, s.Connection.ID)
	}
	meaning := c.options.Embeddings != nil
	for _, field := range view.fields {
		fields = append(fields, member{field.Name, usesOf(field, meaning).full(field)})
	}
	relations := c.relations(view)
	for i, one := range relations {
		relations[i].set("child_parent_key_field", one.get("foreign_key"))
		relationships = append(relationships, one.only("name", "stream", "foreign_key", "cardinality"))
	}
	full := append(view.described(relations), object{
		{"field_capabilities", fields}, {"freshness", c.freshness(newest)}, {"object", "stream_metadata"},
		{"query", queryOf(view.fields, relations, meaning)}, {"relationships", relationships}, {"schema", recordSchema(view.fields)},
		{"selection", object{{"fields", true}, {"resources", true}}}, {"semantics", "mutable_state"}, {"views", view.views()},
		{"instance_ids", ids},
	}...)
	for _, name := range view.shown(view.Stream.ConsentTimeField) {
		full.set("consent_time_field", name)
	}
	if bound := authority.TimeConstraintOf(*view.Stream, view.sources[0].Since, view.sources[0].Until); bound != nil {
		full.set("time_constraint", bound)
	}
	return full
}

// schema answers GET /v1/schema. It omits streams and connections that are not granted.
func (c *call) schema() any {
	sources := c.schemaSources()
	view, detail := c.params.single["view"], c.params.single["detail"]
	compact := view == "compact" && detail != "full" || detail == "compact"
	connectors, streams := []object{}, 0
	for i := range c.catalog.Connectors {
		connector := &c.catalog.Connectors[i]
		of := selectSources(sources, func(s access) bool { return s.Connector == connector })
		if len(of) == 0 {
			continue
		}
		described := []object{}
		for _, view := range streamViews(of) {
			stream := c.compactStream(view)
			if !compact {
				stream = c.fullStream(view)
				stream.set("granted_connections", connectionRefs(view.sources))
			}
			described = append(described, stream)
		}
		streams += len(described)
		connectors = append(connectors, object{
			{"object", "connector"}, {"source", object{{"id", c.connectorName(of[0])}, {"kind", "connector"}}},
			{"stream_count", len(described)}, {"streams", described}, {"connector_key", connector.Key}, {"connector_id", connector.Key},
			{"granted_connections", connectionRefs(of)},
		})
	}
	c.warnUnread(sources, schemaUnread)
	body := object{
		{"bearer", c.bearer()}, {"connectors", connectors}, {"object", "schema"}, {"connector_count", len(connectors)}, {"stream_count", streams},
		{"links", c.self()}, {"meta", c.meta()},
	}
	if compact {
		body.set("detail", "compact")
	}
	return body
}

func (c *call) schemaSources() []access {
	stream, connector, connection := c.params.single["stream"], c.params.single["connector_id"], c.connection()
	return selectSources(c.sources, func(s access) bool {
		return (stream == "" || s.Stream.Name == stream) && (connection == "" || s.Connection.ID == connection) &&
			(connector == "" || s.ofConnector(connector))
	})
}

// bearer describes the token, for clients that are refused introspection.
func (c *call) bearer() object {
	if c.isOwner() {
		return object{{"scope", "owner"}, {"token_kind", authority.KindOwner}}
	}
	return object{{"scope", "grant"}, {"token_kind", c.grant.Kind}}.with("grant_id", c.grant.ID).with("client_id", c.grant.ClientID)
}
