package tools

import (
	"encoding/json"
	"net/url"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// listStreamsTool lists the granted streams with their record counts. It is callable but not listed (D1, S3-2a).
func listStreamsTool() *Tool {
	return &Tool{
		Name:        "list_streams",
		Title:       "List streams",
		Description: "List the granted streams with record counts (GET /v1/streams). Read-only. Structured output holds the list.",
		Input:       inputSchema("", connectionProperty, offsetProperty),
		Output:      dataOutput,
		Decode: func(values rs.Object) (Args, error) {
			a := takes(values, "connection_id", "offset")
			return a.done(listStreamsArgs{a.source(), a.Number("offset", 0, maxSchemaOffset)})
		},
		Render: func(call Call, answer Answer) (render.Result, error) {
			args, _ := call.Args.(listStreamsArgs)
			return render.Streams(answer.Response, render.StreamsQuery{ConnectionID: call.Scope.ConnectionID, Offset: args.offset})
		},
	}
}

type listStreamsArgs struct {
	source
	offset int // not sent to the resource server
}

// Request returns GET /v1/streams.
func (l listStreamsArgs) Request(scope rs.Scope) rs.Request {
	return read.Request(scope.ConnectionID, "streams")
}

// fetchBlobTool reads the bytes that a record's blob_ref names. It is callable but not listed (D1, S3-2c).
func fetchBlobTool() *Tool {
	return &Tool{
		Name:        "fetch_blob",
		Title:       "Fetch a blob",
		Description: "Read an attachment by the blob_id in a record's blob_ref (GET /v1/blobs/{blob_id}). Read-only. Texts are inline; structured output describes the blob.",
		Input:       inputSchema(`"blob_id"`, stringProperty("blob_id", "blob_ref.blob_id of a record"), connectionProperty),
		Output:      json.RawMessage(`{"type":"object","properties":{"blob_id":{"type":"string"},` + errorProperty + `}}`),
		Binary:      true,
		Decode: func(values rs.Object) (Args, error) {
			a := takes(values, "blob_id", "connection_id")
			a.Required("blob_id", `{"blob_id":"blob_sha256_..."}`)
			return a.done(fetchBlobArgs{blobID: a.Name("blob_id"), source: a.source()})
		},
		Render: func(call Call, answer Answer) (render.Result, error) {
			return render.Blob(answer.Response.Body, answer.Response.ContentType, render.BlobQuery{
				BlobID: call.Args.(fetchBlobArgs).blobID, ConnectionID: call.Scope.ConnectionID,
			})
		},
	}
}

type fetchBlobArgs struct {
	source
	blobID string
}

// Request returns GET /v1/blobs/{blob_id}. The resource server knows blobs by id alone; the connection
// only says which grant of a package holds it.
func (b fetchBlobArgs) Request(scope rs.Scope) rs.Request {
	return rs.Request{Path: rs.Path("blobs", b.blobID), Query: url.Values{}, Binary: true, ConnectionID: scope.ConnectionID}
}
