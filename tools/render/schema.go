package render

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/schema"
)

// A SchemaQuery is the call that a schema document answers.
type SchemaQuery = schema.Query

// A StreamsQuery is the call that a list of streams answers.
type StreamsQuery = schema.ListQuery

// Schema renders a schema document: an index of streams, or what one stream can do (S0-R5).
func Schema(response *rs.Response, q SchemaQuery) (Result, error) {
	text, structured, err := schema.Render(response, q)
	return Result{Text: text, Structured: []byte(structured)}, err
}

// Streams renders the granted streams, a line per stream and connection (S3-2a).
func Streams(response *rs.Response, q StreamsQuery) (Result, error) {
	text, structured, err := schema.List(response, q)
	return Result{Text: text, Structured: []byte(structured)}, err
}
