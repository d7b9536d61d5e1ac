package tools

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// How long what a schema says of a stream is held, and of how many streams that is.
const (
	schemaTTL        = time.Minute
	maxCachedSchemas = 1000
)

// A schemaCache reads the compact schema of a stream for what a call needs to know of its fields, and holds it for a minute per grant.
// It decides nothing that the resource server decides: where the schema cannot be read, nothing is known.
type schemaCache struct {
	now func() time.Time

	mu   sync.Mutex
	held map[schemaKey]streamFields
}

type schemaKey struct{ grant, stream, connectionID string }

// streamFields is what a schema says of a stream; of the streams of one name, where several connections have it.
type streamFields struct {
	fields      map[string]rs.SchemaField
	unlike      map[string]bool // the fields whose type is not the same everywhere
	connections []rs.Connection
	relations   []string // that can be expanded somewhere
	sources     []source
	until       time.Time
	err         error // why nothing is known
}

func newSchemaCache(now func() time.Time) *schemaCache {
	return &schemaCache{now: now, held: map[schemaKey]streamFields{}}
}

// fieldsOf returns what is known of a stream, under one connection where the scope names one; of all streams where it names none.
func (c *schemaCache) fieldsOf(ctx context.Context, d rs.Doer, scope rs.Scope) streamFields {
	key := schemaKey{auth.PrincipalFrom(ctx).GrantID, scope.Stream, scope.ConnectionID}
	c.mu.Lock()
	known, ok := c.held[key]
	c.mu.Unlock()
	if ok && c.now().Before(known.until) {
		return known
	}
	response, err := rs.CompactSchema(ctx, d, scope.Stream, scope.ConnectionID)
	if err != nil {
		return streamFields{err: err}
	}
	known = readStreamFields(response.Schema(), scope)
	known.until = c.now().Add(schemaTTL)
	if key.grant != "" { // else it is not known who else may see it
		c.hold(key, known)
	}
	return known
}

func (c *schemaCache) hold(key schemaKey, known streamFields) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held) >= maxCachedSchemas {
		clear(c.held)
	}
	c.held[key] = known
}

func readStreamFields(schema *rs.Schema, scope rs.Scope) streamFields {
	known := streamFields{fields: map[string]rs.SchemaField{}, unlike: map[string]bool{}, sources: readSources(schema)}
	seen := map[string]bool{}
	for i := range schema.Streams {
		stream := &schema.Streams[i]
		if scope.Stream != "" && stream.Name != scope.Stream {
			continue
		}
		for _, field := range stream.Fields() {
			if before, ok := known.fields[field.Name]; ok && kindOfDates(before) != kindOfDates(field) {
				known.unlike[field.Name] = true
			}
			known.fields[field.Name] = field
		}
		for _, relation := range stream.Relations() {
			if !slices.Contains(known.relations, relation.Name) {
				known.relations = append(known.relations, relation.Name)
			}
		}
		for _, connection := range stream.Connections {
			if !seen[connection.ID] && (scope.ConnectionID == "" || connection.ID == scope.ConnectionID) {
				seen[connection.ID] = true
				known.connections = append(known.connections, connection)
			}
		}
	}
	return known
}

// dateKind is what the values of a field are to a filter that has a bare date.
func (s streamFields) dateKind(field string) dateKind {
	f, ok := s.fields[field]
	if !ok || s.unlike[field] {
		return mayBeDates
	}
	return kindOfDates(f)
}

func kindOfDates(f rs.SchemaField) dateKind {
	format := rs.StringMember(rs.AsObject(f.JSONSchema()), "format")
	for kind := range strings.SplitSeq(f.Type+"|"+format, "|") {
		switch kind {
		case "timestamp", "datetime", "date-time":
			return instants
		case "date":
			return dates
		case "number", "integer", "boolean", "object", "array", "blob":
			return notDates
		}
	}
	return mayBeDates
}

// unitOf is the field that says what unit a number is in, such as its currency; "" where there is none, and where the field is a number of
// things.
func (s streamFields) unitOf(field string) string {
	f, ok := s.fields[field]
	if kind := kindOfDates(f); !ok || kind == instants || kind == dates || field == "count" || strings.HasSuffix(field, "_count") {
		return ""
	}
	for _, name := range []string{field + "_currency", field + "_unit", "currency", "unit"} {
		if unit, ok := s.fields[name]; ok && unit.Granted && name != field {
			return name
		}
	}
	return ""
}
