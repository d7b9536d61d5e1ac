package tools

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// fetchTool reads one record as a document. recordBase is the public URL of the resource server, for citations.
func fetchTool(recordBase string, schemas *schemaCache) *Tool {
	return &Tool{
		Name:  "fetch",
		Title: "Fetch",
		Description: "Read one record as a document by the id that search or query_records printed (GET /v1/streams/{stream}/records/{id}). Read-only. " +
			"Structured output and text are the same document, texts attached to it inside. Long texts are cut and read on with read_record_field; name fields to narrow.",
		Input: object(`"id"`,
			stringProperty("id", "Id as printed: connection_id/stream:record_id or pdpp://record/..."),
			connectionProperty,
			namesProperty("fields", "Fields to return"),
			namesProperty("expand", "Relations to include"),
			expandLimitProperty,
		),
		Output: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"title":{"type":"string"},"text":{"type":"string"},` +
			`"url":{"type":"string"},"metadata":{"type":"object"},` + errorProperty + `}}`),
		Listed:  true,
		Decode:  decodeFetch,
		Forward: fetcher{schemas}.forward,
		Render: func(call Call, answer Answer) (render.Result, error) {
			args := call.Args.(fetchArgs)
			return render.Document(answer.Response, render.DocumentQuery{
				Ref: args.scopedRef(call.Scope), Fields: args.fields, Attached: answer.Attached, Relations: answer.Related, RecordBase: recordBase,
			})
		},
	}
}

// A recordArg is the id of one record with the connection_id that may go with it.
type recordArg struct {
	ref          rs.Ref
	connectionID string
}

// record reads id and connection_id.
func (a *arguments) record() recordArg {
	r := recordArg{connectionID: a.name("connection_id")}
	if text := a.text("id", rs.MaxIDBytes); text != "" {
		ref, err := rs.ParseRef(text)
		if err != nil {
			a.fail(err)
		}
		r.ref = ref
	}
	return r
}

// Scope returns the record, with the connection from the id or from connection_id; two different ones are an error
// rather than a silent preference, which could read the wrong source (S2-8, S3-19d).
func (r recordArg) scope() (rs.Scope, error) {
	connection := r.ref.ConnectionID
	switch {
	case connection == "":
		connection = r.connectionID
	case r.connectionID != "" && r.connectionID != connection:
		return rs.Scope{}, &rs.Error{
			Code: rs.ConflictingConnectionID, Param: "connection_id",
			Message: fmt.Sprintf("The id names connection %q and connection_id is %q.", connection, r.connectionID),
			Hint:    "Send the id alone; it already says which connection is meant.",
		}
	}
	return rs.Scope{Stream: r.ref.Stream, RecordID: r.ref.RecordID, ConnectionID: connection}, nil
}

// scopedRef is the record as it was read: with the connection that the read named.
func (r recordArg) scopedRef(scope rs.Scope) rs.Ref {
	return rs.Ref{ConnectionID: scope.ConnectionID, Stream: scope.Stream, RecordID: scope.RecordID}
}

type fetchArgs struct {
	recordArg
	fields    []string
	expansion expansion
}

func decodeFetch(raw json.RawMessage) (Args, error) {
	a := readArguments(raw, "id", "connection_id", "fields", "expand", "expand_limit")
	a.required("id", `{"id":"messages:m1"}; search prints ids`)
	args := fetchArgs{recordArg: a.record(), fields: a.fields(), expansion: a.expansion()}
	if a.err != nil {
		return nil, a.err
	}
	return args, nil
}

// Scope returns what the read touches.
func (f fetchArgs) Scope() (rs.Scope, error) {
	scope, err := f.scope()
	scope.Expands = err == nil && f.expansion.asked()
	return scope, err
}

// Request returns GET /v1/streams/{stream}/records/{id}.
func (f fetchArgs) Request(scope rs.Scope) rs.Request {
	query := url.Values{}
	setText(query, "connection_id", scope.ConnectionID)
	setList(query, "fields", f.fields)
	f.expansion.write(query)
	return rs.Request{Path: rs.Path("streams", scope.Stream, "records", scope.RecordID), Query: query}
}
