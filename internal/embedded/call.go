package embedded

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// Options configure a [Server]. The zero value works, but refuses introspection.
type Options struct {
	// Origin is the server's own origin, such as "http://127.0.0.1:7710": the issuer and audience of its tokens.
	// It is asked on each request, for a server that learns its port by listening. Nil: the request's host.
	Origin func() string
	// ClientID and ClientSecret are the HTTP Basic credentials of introspection and of the package directory.
	ClientID, ClientSecret string
	// OwnerSecret is what the owner types on the consent page to approve a request. Empty: no request can be approved.
	OwnerSecret string
	// TokenLife is the life of an access token that can be refreshed. Zero: 10 minutes.
	TokenLife time.Duration
	// RequestLife is how long a request for access waits for the owner. Zero: 5 minutes.
	RequestLife time.Duration
	// Now tells the time. Nil: time.Now.
	Now func() time.Time
	// Random is where request ids come from; it is read concurrently. Nil: crypto/rand.
	Random io.Reader
	// Observe is called for each request before it is answered, concurrently. It must not read the body. It may be nil.
	Observe func(*http.Request)
	// Fault is called for an error that the client sees as 500 internal_error alone, concurrently. It may be nil.
	Fault func(*http.Request, error)
	// BookmarkLife is how long a changes_since bookmark is kept. Zero: 30 days.
	BookmarkLife time.Duration
	// AllWords makes a search demand every word of its query, as other resource servers do: for tests of a client's own repair.
	AllWords bool
	// Pending says what each answer warns of while files have changed that the store does not hold yet. Empty: nothing. Nil: never anything.
	Pending func() string
	// Embeddings are what semantic and hybrid search find by. Nil: both are refused.
	Embeddings *semantic.Index
}

// A call is one admitted read on its way to an answer.
type call struct {
	ctx      context.Context
	store    *store.Store
	options  *Options
	url      *url.URL
	path     []string // after v1, unescaped
	params   params
	grant    authority.Grant
	catalog  *store.Catalog
	sources  []access // everything the grant opens
	warnings []warning
}

func (c *call) warn(w *warning) {
	if w != nil {
		c.warnings = append(c.warnings, *w)
	}
}

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
	opened := access{Source: store.Source{Table: t, Connection: connection, Since: granted.Since, Until: granted.Until},
		all: granted.Fields == nil}
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
		return "", invalidRequest("connection_id and connector_instance_id refer to the same connection. Send only `connection_id` " +
			"(canonical) or supply matching values.").withParam("connection_id")
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
	return c.narrow(sources, connectionMismatch)
}

// narrow keeps the sources of the connector and the connection that are asked for. Where there are none of the connection it returns the
// mismatch.
func (c *call) narrow(sources []access, mismatch func(connection string) *apiError) ([]access, *apiError) {
	sources, err := c.ofConnector(sources)
	if err != nil {
		return nil, err
	}
	connection, err := c.connection()
	if err != nil || connection == "" {
		return sources, err
	}
	if sources = selectSources(sources, func(s access) bool { return s.Connection.ID == connection }); len(sources) == 0 {
		return nil, mismatch(connection)
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

// opensAll reports whether the grant opens every stream of a connection.
func (c *call) opensAll(connection string) bool {
	opened, all := 0, -1
	for _, s := range c.sources {
		if s.Connection.ID == connection {
			opened, all = opened+1, len(s.Connector.Streams)
		}
	}
	return opened == all
}

// filtered narrows the sources to those that the filters make sense to, and to the records that they ask for.
func (c *call) filtered(sources []access) ([]access, *apiError) {
	kept, err := keepUsable(sources, func(s access) *apiError {
		_, err := s.filter(c.params.filters)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.warnLeftOut(sources, kept, "filter")
	for i, s := range kept {
		if kept[i], err = s.filter(c.params.filters); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// filter narrows a source. A field that is not granted cannot be filtered by: the answer would tell its value.
func (s access) filter(filters []filterParam) (access, *apiError) {
	for _, f := range filters {
		field, err := s.demand(f.field)
		if err != nil {
			return access{}, err
		}
		condition, err := s.condition(field, f)
		if err != nil {
			return access{}, err
		}
		s.Source = s.Narrow(condition)
	}
	return s, nil
}

func (s access) condition(field model.Field, f filterParam) (store.Where, *apiError) {
	target, comparable := s.Column(field.Name)
	switch {
	case f.operator == "" && (!field.Exact || !comparable):
		return store.Where{}, invalidRequest("Exact filters are not supported on '%s'", field.Name)
	case f.operator != "" && (!field.Range || !comparable):
		return store.Where{}, invalidRequest("Range filters are not supported on '%s'", field.Name)
	case f.operator != "" && !slices.Contains(store.Operators(), f.operator):
		return store.Where{}, invalidRequest("Unsupported range operator '%s' on '%s'", f.operator, field.Name)
	}
	w, ok := target.Filter(f.operator, f.value)
	if !ok {
		return store.Where{}, invalidRequest("Filter value %q on '%s' is not a %s", f.value, field.Name,
			target.Kind.Noun()).withParam("filter[" + field.Name + "]")
	}
	return w, nil
}
