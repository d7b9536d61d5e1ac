package tools

import (
	"encoding/json"
	"net/url"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// listStreamsTool lists the granted streams with their record counts. It is callable but not listed (D1, S3-2a).
func listStreamsTool() *Tool {
	return &Tool{
		Name:        "list_streams",
		Title:       "List streams",
		Description: "List the granted streams with record counts (GET /v1/streams). Read-only. Structured output holds the list.",
		Input:       object("", connectionProperty, offsetProperty()),
		Output:      dataOutput,
		Decode: func(raw json.RawMessage) (Args, error) {
			a := readArguments(raw, "connection_id", "offset")
			args := listStreamsArgs{connectionID: a.name("connection_id")}
			args.offset, _ = a.number("offset", 0, maxSchemaOffset)
			if a.err != nil {
				return nil, a.err
			}
			return args, nil
		},
		Render: func(call Call, answer Answer) (render.Result, error) {
			args, _ := call.Args.(listStreamsArgs)
			return render.Streams(answer.Response, render.StreamsQuery{ConnectionID: call.Scope.ConnectionID, Offset: args.offset})
		},
	}
}

type listStreamsArgs struct {
	connectionID string
	offset       int // the adapter's own; it does not reach the resource server
}

// Scope returns what the read touches.
func (l listStreamsArgs) Scope() (rs.Scope, error) {
	return rs.Scope{ConnectionID: l.connectionID}, nil
}

// Request returns GET /v1/streams.
func (l listStreamsArgs) Request(scope rs.Scope) rs.Request {
	query := url.Values{}
	setText(query, "connection_id", scope.ConnectionID)
	return rs.Request{Path: rs.Path("streams"), Query: query}
}
