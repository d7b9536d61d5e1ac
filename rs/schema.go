package rs

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A SchemaRow is one stream of one connector in a schema document.
type SchemaRow struct {
	ConnectorKey string
	Stream       string
	Connections  []Connection
	// Expands is set when the row advertises at least one relation to expand.
	Expands bool
}

// FullSchema reads the exhaustive schema document of one stream, with only the rows that match (S0-5f).
func FullSchema(ctx context.Context, d Doer, stream, connectionID string) (*Response, error) {
	response, err := d.Do(ctx, schemaRequest(url.Values{"detail": {"full"}}, stream, connectionID))
	if err != nil {
		return nil, err
	}
	return withDocument(response, func(document Object) (Object, error) {
		return narrowSchema(document, stream, connectionID)
	})
}

// CompactSchema reads the compact schema document, of one stream and connection where they are named. A resource
// server that ignores or refuses the compact view is read in full and projected here to the same form (S3-7a, S3-7b).
func CompactSchema(ctx context.Context, d Doer, stream, connectionID string) (*Response, error) {
	response, err := d.Do(ctx, CompactSchemaRequest(stream, connectionID))
	if refusesView(err) {
		response, err = d.Do(ctx, schemaRequest(url.Values{}, stream, connectionID))
	}
	if err != nil {
		return nil, err
	}
	return withDocument(response, func(document Object) (Object, error) {
		document, err := narrowSchema(document, stream, connectionID)
		if err == nil && !isCompact(document) {
			document, err = projectCompact(document)
		}
		return document, err
	})
}

// AdvertisesExpansion asks the live schema whether a stream, under the connection where one is named, advertises any
// relation to expand: the compact one, and where that says nothing of relations, the full one (S4-5a). known is false when
// the schema cannot tell: then the resource server decides (S4-R5).
func AdvertisesExpansion(ctx context.Context, d Doer, scope Scope) (advertised, known bool) {
	for _, read := range []func(context.Context, Doer, string, string) (*Response, error){CompactSchema, FullSchema} {
		response, err := read(ctx, d, scope.Stream, scope.ConnectionID)
		if err != nil {
			return false, false
		}
		r, err := readSchemaRows(response.Body)
		if err != nil || len(r.rows) == 0 {
			return false, false
		}
		if slices.ContainsFunc(r.rows, func(r SchemaRow) bool { return r.Expands }) {
			return true, true
		}
		if !r.silent {
			break
		}
	}
	return false, true
}

// SchemaRows lists the streams of a schema document, those of connectors first. Its error is an InvalidResponse.
func SchemaRows(body string) ([]SchemaRow, error) {
	r, err := readSchemaRows(body)
	return r.rows, err
}

func readSchemaRows(body string) (schemaRows, error) {
	document, _, err := SchemaDocument(body)
	if err != nil {
		return schemaRows{}, err
	}
	var r schemaRows
	for _, raw := range r.array(document.Get("connectors")) {
		connector := r.object(raw)
		key := r.text(connector, "connector_key")
		granted := r.connections(connector.Get("granted_connections"), key)
		for _, raw := range r.array(connector.Get("streams")) {
			r.add(r.object(raw), key, granted)
		}
	}
	for _, raw := range r.array(document.Get("streams")) {
		row := r.object(raw)
		r.add(row, r.text(row, "connector_key"), nil)
	}
	if r.wrong {
		return schemaRows{}, InvalidSchema()
	}
	return r, nil
}

// schemaRows reads rows one after the other.
type schemaRows struct {
	strictReader
	rows   []SchemaRow
	silent bool // a row says nothing of relations, not even that there are none
}

// add adds a row, which has the connections of its connector unless it names its own.
func (r *schemaRows) add(row Object, key string, granted []Connection) {
	id, label := r.text(row, "connection_id"), r.text(row, "display_name")
	if own := r.connections(row.Get("granted_connections"), key); len(own) > 0 {
		granted = own
	} else if id != "" {
		granted = []Connection{{ConnectorKey: key, ID: id, DisplayName: label}}
	}
	r.silent = r.silent || !row.Includes("expand_capabilities")
	r.rows = append(r.rows, SchemaRow{ConnectorKey: key, Stream: r.text(row, "name"), Connections: granted, Expands: hasMembers(row.Get("expand_capabilities"))})
}

// connections reads the connections of a connector.
func (r *schemaRows) connections(raw, key string) []Connection {
	var list []Connection
	for _, raw := range r.array(raw) {
		connection := r.object(raw)
		list = append(list, Connection{GrantID: r.text(connection, "grant_id"), ConnectorKey: key, ID: r.text(connection, "connection_id"), DisplayName: r.text(connection, "display_name")})
	}
	return list
}

// GrantID returns the grant that a schema document was read under, or "".
func GrantID(body string) string {
	return StringMember(AsObject(body).Object("bearer"), "grant_id")
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

// withDocument replaces a response's body with the schema document in it, changed as asked. What is not changed keeps
// its bytes.
func withDocument(response *Response, change func(Object) (Object, error)) (*Response, error) {
	document, raw, err := SchemaDocument(response.Body)
	if err != nil {
		return nil, err
	}
	changed, err := change(document)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(changed, document) {
		return response.WithBody(changed.JSON()), nil
	}
	return response.WithBody(raw), nil
}

// SchemaDocument reads a schema document, out of a {"data":…} wrapper where there is one (D5). It returns the text of the
// document too.
func SchemaDocument(body string) (document Object, raw string, err error) {
	if document = AsObject(body); document == nil {
		return nil, "", InvalidSchema()
	}
	if !document.Has("connectors") && !document.Has("streams") {
		if inner := document.Object("data"); inner != nil {
			return inner, document.Get("data"), nil
		}
	}
	return document, body, nil
}

// narrowSchema drops the connectors, connections and streams that were not asked for, for resource servers that
// ignore the parameters. Where nothing is to drop it returns the document as it is.
func narrowSchema(document Object, stream, connectionID string) (Object, error) {
	if stream == "" && connectionID == "" {
		return document, nil
	}
	if raw := document.Get("connectors"); raw != "" {
		kept, dropped, err := NarrowList(raw, func(connector Object) (Object, bool, error) {
			return narrowConnector(connector, stream, connectionID)
		})
		if err != nil {
			return nil, err
		}
		if dropped {
			document = document.With("connectors", kept).Without("connector_count").Without("stream_count")
		}
	}
	if raw := document.Get("streams"); raw != "" {
		kept, dropped, err := NarrowList(raw, func(row Object) (Object, bool, error) {
			return narrowRow(row, stream, connectionID)
		})
		if err != nil {
			return nil, err
		}
		if dropped {
			document = document.With("streams", kept).Without("stream_count")
		}
	}
	return document, nil
}

func narrowConnector(connector Object, stream, connectionID string) (Object, bool, error) {
	if raw := connector.Get("granted_connections"); raw != "" && connectionID != "" {
		kept, dropped, err := NarrowList(raw, func(c Object) (Object, bool, error) {
			return c, StringMember(c, "connection_id") == connectionID, nil
		})
		if err != nil {
			return nil, false, err
		}
		if kept == "[]" {
			return nil, false, nil
		}
		if dropped {
			connector = connector.With("granted_connections", kept)
		}
	}
	raw := connector.Get("streams")
	if raw == "" {
		return connector, stream == "", nil
	}
	kept, dropped, err := NarrowList(raw, func(row Object) (Object, bool, error) {
		return narrowRow(row, stream, connectionID)
	})
	if err != nil {
		return nil, false, err
	}
	if dropped {
		connector = connector.With("streams", kept).Without("stream_count")
	}
	return connector, kept != "[]" || stream == "" && !dropped, nil
}

// narrowRow keeps a row of the stream, with the one of its connections that was asked for.
func narrowRow(row Object, stream, connectionID string) (Object, bool, error) {
	if stream != "" && StringMember(row, "name") != stream || !matchesConnection(row, connectionID) {
		return nil, false, nil
	}
	if raw := row.Get("granted_connections"); raw != "" && connectionID != "" {
		kept, dropped, err := NarrowList(raw, func(c Object) (Object, bool, error) {
			return c, StringMember(c, "connection_id") == connectionID, nil
		})
		if err == nil && dropped {
			row = row.With("granted_connections", kept)
		}
	}
	return row, true, nil
}

// NarrowList keeps the objects of an array that keep returns true for, and reports whether anything changed. What is not
// changed keeps its bytes.
func NarrowList(raw string, keep func(Object) (Object, bool, error)) (string, bool, error) {
	items, ok := AsArray(raw)
	if !ok && Kind(raw) != "null" {
		return "", false, InvalidSchema()
	}
	kept, changed := []byte{'['}, false
	for _, item := range items {
		own := AsObject(item)
		if own == nil {
			return "", false, InvalidSchema()
		}
		narrowed, ok, err := keep(own)
		if err != nil {
			return "", false, err
		}
		if !ok {
			changed = true
			continue
		}
		if len(kept) > len("[") {
			kept = append(kept, ',')
		}
		if slices.Equal(narrowed, own) {
			kept = append(kept, item...)
		} else {
			kept, changed = narrowed.AppendJSON(kept), true
		}
	}
	return string(append(kept, ']')), changed, nil
}

// matchesConnection reports whether a row may belong to a connection; a row that names none may.
func matchesConnection(row Object, connectionID string) bool {
	if connectionID == "" {
		return true
	}
	if own := StringMember(row, "connection_id"); own != "" {
		return own == connectionID
	}
	var r schemaRows
	connections := r.connections(row.Get("granted_connections"), "")
	return r.wrong || len(connections) == 0 || slices.ContainsFunc(connections, func(c Connection) bool { return c.ID == connectionID })
}

// StringMember returns the text of a member; "" where there is none.
func StringMember(o Object, name string) string {
	raw := o.Get(name)
	if Kind(raw) != "string" {
		return ""
	}
	text, _ := AsText(raw)
	return text
}

// hasMembers reports whether a value is a non-empty array or object.
func hasMembers(raw string) bool {
	text := strings.TrimSpace(raw)
	return len(text) > 2 && (text[0] == '[' || text[0] == '{') && strings.Trim(text, "[]{} \t\r\n") != ""
}

// InvalidSchema is the error of a schema document that cannot be read.
func InvalidSchema() *Error {
	return &Error{
		Code:    InvalidResponse,
		Message: "The resource server's schema document does not have the shape that the contract promises.",
		Hint:    "Retry once; if it persists, tell the operator of the resource server.",
	}
}
