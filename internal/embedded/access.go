package embedded

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// An access is one stream of one connection as far as a grant opens it: a source that a read may draw on. Every read
// is a loop over sources, and every query on one starts from its conditions: that is how the grant is kept.
type access struct {
	*table
	connection   model.Connection
	fields       []model.Field // granted, in the stream's order
	all          bool          // the grant is not limited to named fields
	since, until time.Time
}

// sourcesOf lists what a grant opens, in the order of the corpus. Where a grant names the same stream of a
// connection twice, the first counts.
func sourcesOf(c *catalog, grant authority.Grant) []access {
	var sources []access
	for _, t := range c.tables {
		for _, connection := range t.connector.Connections {
			if opened, ok := openSource(t, connection, grant); ok {
				sources = append(sources, opened)
			}
		}
	}
	return sources
}

func openSource(t *table, connection model.Connection, grant authority.Grant) (access, bool) {
	if grant.Kind == authority.KindOwner {
		return access{table: t, connection: connection, fields: t.stream.Fields, all: true}, true
	}
	granted, ok := grant.Opens(t.connector.Key, t.stream.Name, connection.ID)
	if !ok {
		return access{}, false
	}
	opened := access{table: t, connection: connection, all: granted.Fields == nil, since: granted.Since, until: granted.Until}
	for _, field := range t.stream.Fields {
		if opened.all || slices.Contains(granted.Fields, field.Name) {
			opened.fields = append(opened.fields, field)
		}
	}
	return opened, true
}

// granted finds a granted field.
func (s access) granted(name string) (model.Field, bool) {
	at := slices.IndexFunc(s.fields, func(f model.Field) bool { return f.Name == name })
	if at < 0 {
		return model.Field{}, false
	}
	return s.fields[at], true
}

// demand finds a granted field or says why there is none.
func (s access) demand(name string) (model.Field, *apiError) {
	if field, ok := s.granted(name); ok {
		return field, nil
	}
	if _, ok := s.stream.Field(name); ok {
		return model.Field{}, fieldNotGranted(name)
	}
	return model.Field{}, unknownField(name)
}

// conditions are what every query on the source must meet.
func (s access) conditions() where {
	var w where
	w.and("connection = ?", s.connectionNumber(s.connection.ID))
	if !s.since.IsZero() {
		w.and(s.consentColumn()+" >= ?", s.since.UnixMicro())
	}
	if !s.until.IsZero() {
		w.and(s.consentColumn()+" < ?", s.until.UnixMicro())
	}
	return w
}

func (s access) ref() connectionRef {
	return connectionRef{ConnectionID: s.connection.ID, DisplayName: s.connection.DisplayName}
}

// A where is a conjunction of SQL conditions with its arguments.
type where struct {
	clauses []string
	args    []any
}

func (w *where) and(clause string, args ...any) {
	w.clauses = append(w.clauses, clause)
	w.args = append(w.args, args...)
}

// with returns the conjunction of both, leaving both as they are.
func (w where) with(other where) where {
	return where{clauses: slices.Concat(w.clauses, other.clauses), args: slices.Concat(w.args, other.args)}
}

func (w where) String() string {
	return "(" + strings.Join(w.clauses, ") AND (") + ")"
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
