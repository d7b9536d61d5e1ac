package tools

import (
	"context"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
)

// A schemaCache reads the compact schema for what a call needs to know of a stream, and holds it for a minute per grant. It decides nothing
// that the resource server decides: where the schema cannot be read, nothing is known.
type schemaCache struct{ held held[schemaKey, streamFields] }

type schemaKey struct{ grant, stream, connectionID string }

func newSchemaCache(now func() time.Time) *schemaCache {
	return &schemaCache{held[schemaKey, streamFields]{now: now, ttl: time.Minute, most: 1000}}
}

// streamFields is what a schema says of a stream; of the streams of one name, where several connections have it.
type streamFields struct {
	fields      map[string]rs.SchemaField
	unlike      map[string]bool // the fields whose type is not the same everywhere
	connections []rs.Connection
	relations   []string // that can be expanded somewhere
	sources     []source
	document    *rs.Schema
	err         error // why nothing is known
}

// document is what Tool.Schema reads.
func (c *schemaCache) document(ctx context.Context, d rs.Doer, stream, connectionID string) *rs.Schema {
	return c.fieldsOf(ctx, d, rs.Scope{Stream: stream, ConnectionID: connectionID}).document
}

// fieldsOf returns what is known of a stream, under one connection where the scope names one; of all streams where it names none.
func (c *schemaCache) fieldsOf(ctx context.Context, d rs.Doer, scope rs.Scope) streamFields {
	key := schemaKey{auth.PrincipalFrom(ctx).GrantID, scope.Stream, scope.ConnectionID}
	if known, ok := c.held.get(key); ok {
		return known
	}
	response, err := rs.CompactSchema(ctx, d, scope.Stream, scope.ConnectionID)
	if err != nil {
		return streamFields{err: err}
	}
	known := readStreamFields(response.Schema(), scope)
	if key.grant != "" { // else it is not known who else may see it
		c.held.put(key, known)
	}
	return known
}

func readStreamFields(schema *rs.Schema, scope rs.Scope) streamFields {
	known := streamFields{document: schema, fields: map[string]rs.SchemaField{}, unlike: map[string]bool{}, sources: readSources(schema)}
	seen, relations := map[string]bool{}, map[string]bool{}
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
			if !relations[relation.Name] {
				relations[relation.Name] = true
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
func (s streamFields) dateKind(field string) filter.DateKind {
	f, ok := s.fields[field]
	if !ok || s.unlike[field] {
		return filter.MayBeDates
	}
	return kindOfDates(f)
}

func kindOfDates(f rs.SchemaField) filter.DateKind {
	format := rs.AsObject(f.JSONSchema()).JSONString("format")
	for kind := range strings.SplitSeq(f.Type+"|"+format, "|") {
		switch kind {
		case "timestamp", "datetime", "date-time":
			return filter.Instants
		case "date":
			return filter.Dates
		case "number", "integer", "boolean", "object", "array", "blob":
			return filter.NotDates
		}
	}
	return filter.MayBeDates
}

// unitOf is the field that says what unit a number is in, such as its currency; "" where there is none, and where the field is a number of
// things.
func (s streamFields) unitOf(field string) string {
	f, ok := s.fields[field]
	if kind := kindOfDates(f); !ok || kind == filter.Instants || kind == filter.Dates || field == "count" || strings.HasSuffix(field, "_count") {
		return ""
	}
	for _, name := range []string{field + "_currency", field + "_unit", "currency", "unit"} {
		if unit, ok := s.fields[name]; ok && unit.Granted && name != field {
			return name
		}
	}
	return ""
}

// datedArgs are arguments whose filter may have dates.
type datedArgs interface {
	Args
	dates() (stream string, f filter.Filter, zone *time.Location) // stream is "" where it is not one
	withFilter(filter.Filter) Args
}

// readDates returns a tool whose core is given a filter in which each date is the whole day; the answer says what it was read as. What the
// fields are is read from the schema, held for a minute, and only where a filter has a date; where it cannot be read, it is not known.
func (c *schemaCache) readDates(tool *Tool) *Tool {
	core := tool.Forward
	if core == nil {
		core = forwardOnce
	}
	tool.Forward = func(ctx context.Context, call Call) (Reply, error) {
		stream, f, zone := call.Args.(datedArgs).dates()
		if !f.HasDate() {
			return core(ctx, call)
		}
		var known streamFields
		if scope := (rs.Scope{Stream: stream, ConnectionID: call.Scope.ConnectionID}); stream != "" {
			if err := mayRead(ctx, call.Scope); err != nil {
				return Reply{Call: call}, err
			}
			known = c.fieldsOf(ctx, call.RS, scope)
		}
		f, readAs := f.WholeDays(known.dateKind, zone)
		call.Args = call.Args.(datedArgs).withFilter(f)
		reply, err := core(ctx, call)
		if err == nil && len(readAs) > 0 {
			body := rs.AsObject(reply.Response.Distinct())
			says := body.Array("read_as")
			for _, one := range readAs {
				says = append(says, rs.EncodeJSON(one))
			}
			reply.Response = reply.Response.WithBody(body.With("read_as", rs.JoinArray(says)).JSON())
		}
		return reply, err
	}
	return tool
}

// mayRead refuses, before the schema of any member of a package is read, what the package refuses without a read (S0-8a).
func mayRead(ctx context.Context, scope rs.Scope) error {
	if p := auth.PrincipalFrom(ctx).Package; p != nil && scope.Stream != "" {
		return p.Choose(scope)
	}
	return nil
}

// A source is a stream of one connection, with the fields by which its schema says when a record is, what it is called, whose it is and
// what it says.
type source struct {
	stream                    string
	connection                rs.Connection
	time, title, author, text string
	kind                      filter.DateKind // of time
	parts                     []rs.Relation   // to the one record, such as a body, that each record has
}

// readSources lists the sources of a schema.
func readSources(schema *rs.Schema) []source {
	var all []source
	for i := range schema.Streams {
		stream := &schema.Streams[i]
		s := source{stream: stream.Name}
		for _, field := range stream.Fields() {
			if !field.Granted {
				continue
			}
			switch field.Role {
			case "event-time":
				s.time, s.kind = field.Name, kindOfDates(field)
			case "primary-title":
				s.title = field.Name
			case "actor":
				s.author = field.Name
			case "secondary":
				s.text = field.Name
			}
		}
		for _, relation := range stream.Relations() {
			if relation.Cardinality == "has_one" {
				s.parts = append(s.parts, relation)
			}
		}
		for _, s.connection = range stream.Connections {
			all = append(all, s)
		}
	}
	return all
}
