package embedded

import (
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/capability"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// A streamView is a stream as a grant shows it over some connections.
type streamView struct {
	*store.Table
	sources []access
	fields  []model.Field // granted in one of them
}

// streamViews gathers sources by stream.
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

func (v streamView) refs() []connectionRef {
	refs := make([]connectionRef, len(v.sources))
	for i, s := range v.sources {
		refs[i] = s.ref()
	}
	return refs
}

// shows reports whether the view has a field.
func (v streamView) shows(name string) bool {
	return slices.ContainsFunc(v.fields, func(f model.Field) bool { return f.Name == name })
}

// shown is the name of a field, or nothing when it is not granted.
func (v streamView) shown(name string) string {
	if v.shows(name) {
		return name
	}
	return ""
}

// views are the stream's views, without what is not granted.
func (v streamView) views() []viewBody {
	views := []viewBody{}
	for _, view := range v.Stream.Views {
		fields := slices.DeleteFunc(slices.Clone(view.Fields), func(name string) bool { return !v.shows(name) })
		if len(fields) > 0 {
			views = append(views, viewBody{ID: view.ID, Label: view.Label, Fields: fields})
		}
	}
	return views
}

func (v streamView) primaryKey() []string {
	key := []string{}
	for _, name := range v.Stream.PrimaryKey {
		if v.shows(name) {
			key = append(key, name)
		}
	}
	return key
}

// expandCapabilities lists the stream's relations. One is usable if it can be followed on some connection.
func (c *call) expandCapabilities(view streamView, full bool) []capability.Relation {
	capabilities := []capability.Relation{}
	for _, relation := range view.Stream.Relations {
		granted, usable := false, false
		for _, s := range view.sources {
			target, ok := c.target(s, relation)
			granted = granted || target.Table != nil
			usable = usable || ok
		}
		e := capability.OfRelation(relation, granted, usable)
		if full {
			e.ChildParentKeyField = relation.ForeignKey
		}
		capabilities = append(capabilities, e)
	}
	return capabilities
}

func (c *call) freshness(last *int64) freshnessBody {
	if last == nil {
		return freshnessBody{Status: "unknown"}
	}
	f := freshnessBody{Status: "current", CapturedAt: model.FormatInstant(last)}
	if c.options.Now().Sub(time.UnixMicro(*last)) > staleAfter {
		f.Status = "stale"
	}
	return f
}

type freshnessBody struct {
	Status     string `json:"status"`
	CapturedAt string `json:"captured_at,omitempty"`
}

// staleAfter is how old the newest record of a stream may be until it counts as stale.
const staleAfter = 24 * time.Hour

// A fullStream is all that is known of a stream.
type fullStream struct {
	ConsentTimeField   string                    `json:"consent_time_field,omitempty"`
	CursorField        string                    `json:"cursor_field,omitempty"`
	ExpandCapabilities []capability.Relation     `json:"expand_capabilities"`
	FieldCapabilities  capability.Object         `json:"field_capabilities"`
	Freshness          freshnessBody             `json:"freshness"`
	Name               string                    `json:"name"`
	Object             string                    `json:"object"`
	PrimaryKey         []string                  `json:"primary_key"`
	Query              capability.Query          `json:"query"`
	Relationships      []relationBody            `json:"relationships"`
	Schema             capability.Object         `json:"schema"`
	Selection          selectionBody             `json:"selection"`
	Semantics          string                    `json:"semantics"`
	Views              []viewBody                `json:"views"`
	InstanceIDs        []string                  `json:"instance_ids"`
	TimeConstraint     *authority.TimeConstraint `json:"time_constraint,omitempty"`
	GrantedConnections []connectionRef           `json:"granted_connections,omitempty"`
	Links              *selfLink                 `json:"links,omitempty"`
	Meta               *metaBody                 `json:"meta,omitempty"`
}

type relationBody struct {
	Name        string `json:"name"`
	Stream      string `json:"stream"`
	ForeignKey  string `json:"foreign_key"`
	Cardinality string `json:"cardinality"`
}

type selectionBody struct {
	Fields    bool `json:"fields"`
	Resources bool `json:"resources"`
}

type viewBody struct {
	ID     string   `json:"id"`
	Label  string   `json:"label"`
	Fields []string `json:"fields"`
}

func (c *call) fullStream(view streamView) (fullStream, error) {
	var newest *int64
	ids := make([]string, len(view.sources))
	for i, s := range view.sources {
		extent, err := c.store.Extent(c.ctx, s.Source)
		if err != nil {
			return fullStream{}, err
		}
		if last := extent.Newest; last != nil && (newest == nil || *last > *newest) {
			newest = last
		}
		ids[i] = s.Connection.ID
	}
	full := fullStream{
		ConsentTimeField: view.shown(view.Stream.ConsentTimeField), CursorField: view.shown(view.Stream.CursorField),
		ExpandCapabilities: c.expandCapabilities(view, true), FieldCapabilities: capability.Object{}, Freshness: c.freshness(newest),
		Name: view.Stream.Name, Object: "stream_metadata", PrimaryKey: view.primaryKey(), Relationships: []relationBody{},
		Schema: capability.RecordSchema(view.fields), Selection: selectionBody{Fields: true, Resources: true}, Semantics: "mutable_state",
		Views: view.views(), InstanceIDs: ids,
		TimeConstraint: authority.TimeConstraintOf(*view.Stream, view.sources[0].Since, view.sources[0].Until),
	}
	for _, field := range view.fields {
		full.FieldCapabilities = append(full.FieldCapabilities,
			capability.Member{Name: field.Name, Value: capability.OfField(field, c.options.Embeddings != nil)})
	}
	full.Query = capability.OfStream(view.fields, full.ExpandCapabilities, c.options.Embeddings != nil)
	for _, e := range full.ExpandCapabilities {
		full.Relationships = append(full.Relationships,
			relationBody{Name: e.Name, Stream: e.Stream, ForeignKey: e.ForeignKey, Cardinality: e.Cardinality})
	}
	return full, nil
}
