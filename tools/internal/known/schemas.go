// Package known caches what is known of grants: the schemas and lists of their streams, and what a resource server refuses them.
package known

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Schemas reads compact schemas and caches them for a minute per grant, and lists of streams for two seconds. It does not decide for the
// resource server: if the schema cannot be read, nothing is known.
type Schemas struct {
	schemas *cache[schemaKey, cachedSchema]
	lists   *cache[schemaKey, *rs.Response]

	// Unfiltered has the grants for which a resource server refused to filter, which no schema announces.
	Unfiltered *Refusals
}

type schemaKey struct{ grant, stream, connectionID string }

// A cachedSchema is a document with what it says of a stream, which is parsed on first use: few documents need it.
type cachedSchema struct {
	document *rs.Schema
	stream   func() Stream
}

// NewSchemas returns an empty cache. now is the clock.
func NewSchemas(now func() time.Time) *Schemas {
	return &Schemas{
		schemas: newCache[schemaKey, cachedSchema](now, time.Minute, 1000, schemasBytes),
		lists:   newCache[schemaKey, *rs.Response](now, listLife, 1000, listsBytes),

		Unfiltered: NewRefusals(now),
	}
}

// A Stream is what a schema says of a stream, or of all streams of one name if several connections have it.
type Stream struct {
	fields      map[string]rs.SchemaField
	unlike      map[string]bool // the fields whose type differs between streams
	Connections []rs.Connection
	Relations   []string // those that some connection can expand
	Sources     []Source
	Document    *rs.Schema
	Err         error // why nothing is known
}

// Document returns the schema document of a stream, of one connection unless connectionID is ""; nil if it cannot be read.
func (c *Schemas) Document(ctx context.Context, d rs.Doer, stream, connectionID string) *rs.Schema {
	return c.Of(ctx, d, rs.Scope{Stream: stream, ConnectionID: connectionID}).Document
}

// Of returns what is known of the scope's stream, or of all streams if it names none, and of its connection if it names one.
func (c *Schemas) Of(ctx context.Context, d rs.Doer, scope rs.Scope) Stream {
	if known, ok := c.schemas.Get(keyOf(ctx, scope)); ok {
		return known.stream()
	}
	response, err := rs.CompactSchema(ctx, d, scope.Stream, scope.ConnectionID)
	if err != nil {
		return Stream{Err: err}
	}
	return c.Keep(ctx, scope, response.Schema())()
}

// Keep caches a schema document as if it had been read for a scope. It returns a function that parses it for the scope, once.
func (c *Schemas) Keep(ctx context.Context, scope rs.Scope, document *rs.Schema) func() Stream {
	known := cachedSchema{document, sync.OnceValue(func() Stream { return ReadStream(document, scope) })}
	if key := keyOf(ctx, scope); key.grant != "" { // without a grant, anyone might read it from the cache
		rows := 0
		for i := range document.Streams {
			rows += len(document.Streams[i].Connections) // each is a source
		}
		c.schemas.PutOf(key.grant, weigh(document.Raw, rows), key, known)
	}
	return known.stream
}

func keyOf(ctx context.Context, scope rs.Scope) schemaKey {
	return schemaKey{auth.PrincipalFrom(ctx).GrantKey(), scope.Stream, scope.ConnectionID}
}

// How long a list of streams is cached, for calls that come together, and the most bytes of one: a larger one is read each time.
const (
	listLife  = 2 * time.Second
	listBytes = 64 << 10
)

// Streams reads the list of the streams of a connection, or of all, with their counts and freshness, and caches it for two seconds per
// grant. It returns nil if the read fails or takes longer than [read.OptionalDeadline].
func (c *Schemas) Streams(ctx context.Context, d rs.Doer, connectionID string) *rs.Response {
	if list := c.CachedStreams(ctx, connectionID); list != nil {
		return list
	}
	key := keyOf(ctx, rs.Scope{ConnectionID: connectionID})
	list := read.Optional(ctx, d, read.Request(connectionID, "streams"))
	if list != nil && key.grant != "" && list.Unavailable == 0 && len(list.Body) <= listBytes {
		list.ListedStreams() // parses them once, before calls share the list
		c.lists.PutOf(key.grant, weigh(list.Body, 0), key, list)
	}
	return list
}

// CachedStreams returns the cached list of streams, without a read; nil for none.
func (c *Schemas) CachedStreams(ctx context.Context, connectionID string) *rs.Response {
	list, _ := c.lists.Get(keyOf(ctx, rs.Scope{ConnectionID: connectionID}))
	return list
}

// Cached returns the cached document of a stream, or else of all streams, without a read; nil for none.
func (c *Schemas) Cached(ctx context.Context, stream, connectionID string) *rs.Schema {
	grant := auth.PrincipalFrom(ctx).GrantKey()
	for _, key := range []schemaKey{{grant, stream, connectionID}, {grant, stream, ""}, {grant, "", connectionID}, {grant, "", ""}} {
		if known, ok := c.schemas.Get(key); ok {
			return known.document
		}
	}
	return nil
}

// ReadStream reads what a schema says of the streams of a scope.
func ReadStream(schema *rs.Schema, scope rs.Scope) Stream {
	known := Stream{Document: schema, fields: map[string]rs.SchemaField{}, unlike: map[string]bool{}, Sources: readSources(schema)}
	seen, relations := map[string]bool{}, map[string]bool{} // maps, as there may be thousands
	for i := range schema.Streams {
		stream := &schema.Streams[i]
		if scope.Stream != "" && stream.Name != scope.Stream || len(stream.Connections) > 0 && !HasConnection(stream, scope.ConnectionID) {
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
				known.Relations = append(known.Relations, relation.Name)
			}
		}
		for _, connection := range stream.Connections {
			if !seen[connection.ID] && (scope.ConnectionID == "" || connection.ID == scope.ConnectionID) {
				seen[connection.ID] = true
				known.Connections = append(known.Connections, connection)
			}
		}
	}
	return known
}

// DateKind returns how a filter with a bare date treats the values of a field.
func (s Stream) DateKind(field string) filter.DateKind {
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
		case "local_time":
			return filter.LocalTimes
		case "number", "integer", "boolean", "object", "array", "blob":
			return filter.NotDates
		}
	}
	return filter.MayBeDates
}

// UnitOf returns the field with the unit of a number, such as its currency; "" if there is none, or if the field counts things.
func (s Stream) UnitOf(field string) string {
	f, ok := s.fields[field]
	if kind := kindOfDates(f); !ok || kind != filter.NotDates && kind != filter.MayBeDates {
		return ""
	}
	var texts []string
	for name, f := range s.fields {
		if f.Granted && kindOfDates(f) == filter.MayBeDates {
			texts = append(texts, name)
		}
	}
	return written.UnitField(field, texts)
}

// startsAndEnds pairs parts of the names of fields for a start with those for the end.
var startsAndEnds = [][2]string{
	{"start", "end"}, {"Start", "End"}, {"beginn", "ende"}, {"begin", "end"}, {"from", "to"}, {"from", "until"}, {"von", "bis"},
	{"check_in", "check_out"}, {"checkin", "checkout"}, {"depart", "arriv"}, {"departure", "arrival"}, {"inicio", "fin"},
}

// MayStart reports whether a field is named like the start of something that also ends.
func MayStart(field string) bool {
	return slices.ContainsFunc(startsAndEnds, func(names [2]string) bool { return strings.Contains(field, names[0]) })
}

// EndOf returns the field with the end of what starts at a field, if it can be filtered by a range; "" for none.
func (s Stream) EndOf(field string) string {
	start, ok := s.fields[field]
	if kind := kindOfDates(start); !ok || kind == filter.NotDates || kind == filter.MayBeDates { // from and to are people
		return ""
	}
	for _, names := range startsAndEnds {
		end := strings.Replace(field, names[0], names[1], 1)
		f, found := s.fields[end]
		if found && end != field && f.Granted && f.HasBounds() && kindOfDates(f) == kindOfDates(start) && !s.unlike[end] {
			return end
		}
	}
	return ""
}

// Status returns the field that says whether a record counts, as an order may be cancelled, if records can be grouped by it; "" for none.
func (s Stream) Status() string {
	var names []string
	for name, f := range s.fields {
		says := strings.HasSuffix("_"+written.Snake(name), "_status") || written.Snake(name) == "state"
		if says && f.Granted && slices.Contains(f.Aggregates, "group_by") {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(b, a)) })
	return append(names, "")[0]
}

// HasBlob reports whether a field of the records is a reference to a blob.
func (s Stream) HasBlob() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(s.fields)), func(f rs.SchemaField) bool { return f.Granted && f.Type == "blob" })
}

// FieldsOf returns the fields of the scope's stream, under each connection of the scope that has it.
func FieldsOf(schema *rs.Schema, scope rs.Scope) (all []rs.SchemaField) {
	for i := 0; schema != nil && i < len(schema.Streams); i++ {
		if stream := &schema.Streams[i]; stream.Name == scope.Stream && HasConnection(stream, scope.ConnectionID) {
			all = append(all, stream.Fields()...)
		}
	}
	return all
}
