package rs

import (
	"context"
	"net/http"
	"net/url"
)

// FullSchema reads the exhaustive schema document of one stream, reduced to the rows that match (S0-5f).
func FullSchema(ctx context.Context, d Doer, stream, connectionID string) (*Response, error) {
	response, err := d.Do(ctx, schemaRequest(url.Values{"detail": {"full"}}, stream, connectionID))
	if err != nil {
		return nil, err
	}
	return (&schemaView{stream: stream, connectionID: connectionID}).apply(response, false)
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
	return (&schemaView{stream: stream, connectionID: connectionID}).apply(response, true)
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
