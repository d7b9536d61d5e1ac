package rs

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// A schemaView reduces a schema document to the part that was requested, and keeps the text of what it does not change. Its shape records
// whether a part of the document breaks the contract.
type schemaView struct {
	shape
	stream, connectionID string // the requested ones; "" is all
	wantsCompact         bool   // the compact form is requested
}

// apply returns the response with its schema document reduced, and in the compact form if that is requested.
func (v *schemaView) apply(response *Response) (*Response, error) {
	document, raw := v.document(response.Body)
	view := v.narrow(document)
	if v.wantsCompact && !isCompact(view) {
		view = v.compact(view)
	}
	if err := v.Check(); err != nil {
		return nil, err
	}
	switch {
	case !slices.Equal(view, document):
		response = response.WithBody(view.JSON())
	case raw != response.Body:
		response = response.WithBody(raw)
	}
	if err := response.Schema().checkSize(); err != nil {
		return nil, err
	}
	return response, nil
}

// narrow drops the connectors, connections and streams that were not requested, for resource servers that ignore the parameters.
func (v *schemaView) narrow(document Object) Object {
	if v.stream == "" && v.connectionID == "" {
		return document
	}
	if kept, changed := v.list(document.Get("connectors"), v.narrowConnector); changed {
		document = document.With("connectors", kept).Without("connector_count", "stream_count")
	}
	if kept, changed := v.list(document.Get("streams"), v.narrowStream); changed {
		document = document.With("streams", kept).Without("stream_count")
	}
	return document
}

func (v *schemaView) narrowConnector(connector Object) (_ Object, keep bool) {
	connector, none := v.narrowConnections(connector)
	if none {
		return nil, false
	}
	if !connector.Has("streams") {
		return connector, v.stream == ""
	}
	kept, dropped := v.list(connector.Get("streams"), v.narrowStream)
	if dropped {
		connector = connector.With("streams", kept).Without("stream_count")
	}
	return connector, kept != "[]" || v.stream == "" && !dropped
}

// narrowConnections keeps only the requested connection of a connector or stream. none is true if there is a list without it.
func (v *schemaView) narrowConnections(o Object) (narrowed Object, none bool) {
	raw := o.Get("granted_connections")
	if raw == "" || v.connectionID == "" {
		return o, false
	}
	kept, dropped := v.list(raw, func(c Object) (Object, bool) { return c, ConnectionID(c) == v.connectionID })
	if dropped {
		o = o.With("granted_connections", kept)
	}
	return o, kept == "[]"
}

func (v *schemaView) narrowStream(stream Object) (_ Object, keep bool) {
	if v.stream != "" && stream.Text("name", "stream") != v.stream || !matchesConnection(stream, v.connectionID) {
		return nil, false
	}
	own := schemaView{connectionID: v.connectionID}
	if narrowed, _ := own.narrowConnections(stream); !own.malformed { // keep what is not a list of objects
		stream = narrowed
	}
	return stream, true
}

// list returns the array raw with each object as write returns it, without those that write does not keep, and whether any changed.
func (v *schemaView) list(raw string, write func(Object) (_ Object, keep bool)) (written string, changed bool) {
	var list []string
	for _, item := range v.array(raw) {
		own := AsObject(item)
		v.malformed = v.malformed || own == nil
		o, keep := write(own)
		switch {
		case !keep:
			changed = true
		case slices.Equal(o, own):
			list = append(list, item)
		default:
			list, changed = append(list, o.JSON()), true
		}
	}
	return JoinArray(list), changed
}

// matchesConnection reports whether a row may belong to a connection; a row that names none may.
func matchesConnection(row Object, connectionID string) bool {
	if connectionID == "" {
		return true
	}
	if own := ConnectionID(row); own != "" {
		return own == connectionID
	}
	var s shape
	connections := s.connections(row, "")
	return s.malformed || len(connections) == 0 || slices.ContainsFunc(connections, func(c Connection) bool { return c.ID == connectionID })
}

// isCompact reports whether a document already has the compact form: its detail is "compact", or its field capabilities are flags.
func isCompact(document Object) bool {
	if document.JSONString("detail") == "compact" {
		return true
	}
	seen := false
	for _, connector := range document.Array("connectors") {
		for _, stream := range AsObject(connector).Array("streams") {
			for _, field := range AsObject(stream).Object("field_capabilities") {
				if Kind(field.Value) != "string" {
					return false
				}
				seen = true
			}
		}
	}
	return seen
}

// compact writes a full document in the compact form of GET /v1/schema?view=compact: capability flags instead of objects, connections
// once per connector, no JSON Schema (S3-7b).
func (v *schemaView) compact(document Object) Object {
	document = document.Without("detail")
	for i, m := range document {
		switch m.Name {
		case "connectors":
			document[i].Value, _ = v.list(m.Value, v.compactConnector)
		case "streams": // their connections are in no connector
			document[i].Value, _ = v.list(m.Value, v.compactStream)
		}
	}
	return document.With("detail", `"compact"`)
}

func (v *schemaView) compactConnector(connector Object) (_ Object, keep bool) {
	var connections []string // of the streams, each once
	seen := map[string]bool{}
	if connector.Includes("streams") {
		streams, _ := v.list(connector.Get("streams"), func(stream Object) (_ Object, keep bool) {
			for _, connection := range stream.Array("granted_connections") {
				if id := ConnectionID(AsObject(connection)); id != "" && !seen[id] {
					seen[id] = true
					connections = append(connections, connection)
				}
			}
			return v.compactStream(stream.Without("granted_connections"))
		})
		connector = connector.With("streams", streams)
	}
	if len(connections) > 0 && !connector.Has("granted_connections") {
		connector = connector.With("granted_connections", JoinArray(connections))
	}
	return connector, true
}

func (v *schemaView) compactStream(stream Object) (_ Object, keep bool) {
	compact := Object{}
	for _, m := range stream {
		switch m.Name {
		case "field_capabilities":
			if m.Value == "null" {
				continue
			}
			fields := v.object(m.Value)
			for i, f := range fields {
				field := v.field(f.Name, f.Value)
				fields[i].Value = EncodeJSON(field.flags())
			}
			m.Value = fields.JSON()
		case "name", "primary_key", "cursor_field", "expand_capabilities", "connector_key", "connection_id", "display_name", "granted_connections":
		default:
			continue
		}
		compact = append(compact, m)
	}
	return compact, true
}

// FullSchema reads the exhaustive schema document of one stream, reduced to the rows that match (S0-5f).
func FullSchema(ctx context.Context, d Doer, stream, connectionID string) (*Response, error) {
	response, err := d.Do(ctx, schemaRequest(url.Values{"detail": {"full"}}, stream, connectionID))
	if err != nil {
		return nil, err
	}
	return (&schemaView{stream: stream, connectionID: connectionID}).apply(response)
}

// CompactSchema reads the compact schema document, limited to one stream and connection where they are given. If a resource server ignores
// or refuses the compact view, CompactSchema converts the full document to the same form (S3-7a, S3-7b).
func CompactSchema(ctx context.Context, d Doer, stream, connectionID string) (*Response, error) {
	response, err := d.Do(ctx, CompactSchemaRequest(stream, connectionID))
	if refusesView(err) {
		response, err = d.Do(ctx, schemaRequest(url.Values{}, stream, connectionID))
	}
	if err != nil {
		return nil, err
	}
	return (&schemaView{stream: stream, connectionID: connectionID, wantsCompact: true}).apply(response)
}

// AdvertisesExpansion reports whether the live schema of the stream, under the connection if one is given, advertises a relation to expand.
// It reads the compact schema and, if that does not mention relations, the full one (S4-5a). known is false if the schema cannot tell: then
// the resource server decides (S4-R5).
func (s Scope) AdvertisesExpansion(ctx context.Context, d Doer) (advertised, known bool) {
	for _, read := range []func(context.Context, Doer, string, string) (*Response, error){CompactSchema, FullSchema} {
		response, err := read(ctx, d, s.Stream, s.ConnectionID)
		if err != nil {
			return false, false
		}
		schema := response.Schema()
		if schema.malformed || len(schema.Streams) == 0 {
			return false, false
		}
		silent := false // a stream has no expand_capabilities, not even an empty list
		for i := range schema.Streams {
			if schema.Streams[i].Expands() {
				return true, true
			}
			silent = silent || !schema.Streams[i].Members.Includes("expand_capabilities")
		}
		if !silent {
			break
		}
	}
	return false, true
}

// CompactSchemaRequest is the read that CompactSchema makes first.
func CompactSchemaRequest(stream, connectionID string) Request {
	return schemaRequest(url.Values{"view": {"compact"}}, stream, connectionID)
}

func schemaRequest(query url.Values, stream, connectionID string) Request {
	if stream != "" {
		query.Set("stream", stream)
	}
	if connectionID != "" {
		query.Set("connection_id", connectionID)
	}
	return Request{Path: Path("schema"), Query: query}
}

// refusesView reports an answer that means "I do not know this view" rather than "you may not".
func refusesView(err error) bool {
	if err == nil {
		return false
	}
	switch AsError(err).Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return true
	}
	return false
}

// checkSize returns "response_too_large" if the connections have too many streams, each counted in each of its connections: a short
// document can name very many.
func (s *Schema) checkSize() error {
	places := 0
	for i := range s.Streams {
		places += max(1, len(s.Streams[i].Connections))
	}
	if places <= MaxItems {
		return nil
	}
	return &Error{
		Code: "response_too_large", Message: fmt.Sprintf("The connections of the schema document have more than %d streams in all.", MaxItems),
		Hint: "Name a stream and a connection; if that fails too, tell the operator of the resource server.",
	}
}
