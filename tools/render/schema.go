package render

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Schema renders a schema document: an index of streams, or what one stream can do (S0-R5). Structured is {"data": document},
// each stream row once (D5), and a legend beside it where the document has flags. What does not fit is cut between two streams
// of an index or two fields of a stream, on each channel for itself; each says what it shows and how to read on (D18). An
// offset past the end is rs.InvalidArguments.
func Schema(response *rs.Response, q SchemaQuery) (Result, error) {
	const what = "schema"
	schema := response.Schema()
	switch {
	case schema.Members == nil:
		return Result{}, notAnObject(response.Body, what)
	case !schema.Members.Has("connectors") && !schema.Members.Has("streams"):
		return Result{}, invalidResponse(what, "has neither connectors nor streams")
	}
	d := readSchema(schema, q)
	if q.Stream == "" && len(d.rows) > 0 {
		x, err := newIndex(d)
		if err != nil {
			return Result{}, err
		}
		return x.result(), nil
	}
	var err error
	if d.page, err = newOffsetPage("field", len(d.units), q.Offset, what, q.at); err != nil {
		return Result{}, err
	}
	return Result{Text: d.text(), Structured: d.structured()}, nil
}
