package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// schemaTool lists the granted streams and what each can do.
func schemaTool() *Tool {
	return &Tool{
		Name:  "schema",
		Title: "Schema",
		Description: "Call first. The granted streams by connector and connection; with stream, its fields and what each can do (GET /v1/schema). Read-only. " +
			"Text and structured output each say how to read on.",
		Input: inputSchema("",
			stringProperty("stream", "One stream"),
			connectionProperty,
			enumProperty("detail", "full adds JSON Schema; needs stream", "compact", "full"),
			namesProperty("fields", "Only these fields of stream"),
			offsetProperty,
		),
		Output: dataOutput,
		Listed: true,
		Decode: decodeSchema,
		Read:   readSchema,
		Render: func(call Call, answer Answer) (render.Result, error) {
			args := call.Args.(schemaArgs)
			q := args.SchemaQuery
			q.Stream, q.ConnectionID, q.Meant = call.Scope.Stream, call.Scope.ConnectionID, args.meant(answer.Response, call.Scope.Stream)
			q.Counts, q.Now, q.Coverage, q.NoFilter = answer.Streams, answer.Now, answer.Coverage, answer.NoFilter
			return render.Schema(answer.Response, q)
		},
	}
}

type schemaArgs struct {
	source
	render.SchemaQuery // Fields and Offset are not sent to the resource server
}

func decodeSchema(values rs.Object) (Args, error) {
	a := takes(values, "stream", "connection_id", "detail", "fields", "offset")
	args := schemaArgs{a.source(), render.SchemaQuery{
		Full: a.Choice("detail", "compact", "full") == "full", Fields: a.Fields(), Offset: a.Number("offset", 0, maxSchemaOffset),
	}}
	if args.Full && args.stream == "" {
		// Refused before any read: the whole grant's JSON Schema fits no host (S0-5e, D6).
		a.Failf("stream", `Call schema without arguments to see the streams, then schema(stream, connection_id, detail:"full").`, `detail "full" needs a stream.`)
	}
	a.Requires("fields", "stream")
	return a.done(args)
}

// meant returns the requested fields, with each one that the stream lacks replaced by the most similar field; nil if one of them resembles
// no field.
func (s schemaArgs) meant(response *rs.Response, stream string) []string {
	known := fields.Read(stream, response.Schema())
	var meant []string
	for _, name := range s.Fields {
		if known.Field(name) == nil {
			name = append(known.Near(name, nil), "")[0]
		}
		if name == "" {
			return nil
		}
		if !slices.Contains(meant, name) {
			meant = append(meant, name)
		}
	}
	return meant
}

// Request returns GET /v1/schema?view=compact. readSchema makes the further reads that some answers need.
func (s schemaArgs) Request(scope rs.Scope) rs.Request {
	return rs.CompactSchemaRequest(scope.Stream, scope.ConnectionID)
}

// readSchema reads the compact document or, for detail full, the exhaustive one once it is clear which connection is meant (S0-5f). In
// parallel it reads how fresh the data is and, for an index, how many records there are.
func readSchema(ctx context.Context, call Call) (answer Answer, err error) {
	var detail *rs.Response
	full, reads := call.Args.(schemaArgs).Full, 2
	_, answer.NoFilter = call.Tool.schemas.Unfiltered.Get(auth.PrincipalFrom(ctx).GrantKey())
	listed := !full && (call.Scope.Stream == "" || auth.PrincipalFrom(ctx).Package != nil)
	if listed {
		answer.Streams, answer.Now = call.Tool.schemas.CachedStreams(ctx, call.Scope.ConnectionID), call.Now.UTC().Format("2006-01-02T15:04Z")
	}
	if full || answer.Streams != nil { // nothing else is needed
		reads = 1
	}
	err = read.Parallel(ctx, reads, func(ctx context.Context, i int) (err error) {
		switch {
		case i == 1 && listed:
			answer.Streams = listStreams(ctx, call)
		case i == 1:
			detail = streamDetail(ctx, call, call.Scope.Stream)
		default:
			answer.Response, err = schemaDocument(ctx, call.RS, call.Scope, full)
			if err == nil && answer.Response.Unavailable == 0 {
				err = notGranted(call.Scope, answer.Response)
			}
		}
		return err
	})
	if err != nil || full {
		return answer, err
	}
	if call.Scope.Stream != "" {
		answer.Coverage = coverageOfStream(ctx, call, answer, detail)
	}
	if answer.Response.Unavailable == 0 { // the next calls need the same schema
		call.Tool.schemas.Keep(ctx, call.Scope, answer.Response.Schema())
	}
	return answer, nil
}

// coverageOfStream returns how fresh a stream is, and to which time the grant is limited in it, as far as that was read.
func coverageOfStream(ctx context.Context, call Call, answer Answer, detail *rs.Response) render.Coverage {
	rows, list := answer.Response.Schema().Streams, answer.Streams.ListedStreams()
	switch several := slices.ContainsFunc(rows, func(s rs.SchemaStream) bool { return s.ConnectorKey != rows[0].ConnectorKey }); {
	case several && answer.Now == "": // of several connectors, detail has one
		list = listStreams(ctx, call).ListedStreams()
	case detail != nil && len(rows) > 0 && !several: // freshness is that of the connector's runs
		row := rs.ReadListedStream(rs.Object{{Name: "freshness", Value: detail.Object().Object("freshness").JSON()}})
		row.Name, row.Label = call.Scope.Stream, rows[0].ConnectorKey
		list = []rs.ListedStream{row}
	}
	if limitsKnown(ctx) {
		detail = nil
	}
	return render.CoverageOf(list, detail, call.Scope.Stream)
}

// notGranted returns an error if the document has no streams although a stream or connection was named.
func notGranted(scope rs.Scope, response *rs.Response) error {
	if scope.Stream == "" && scope.ConnectionID == "" || len(response.Schema().Streams) > 0 {
		return nil
	}
	e := &rs.Error{Code: "unknown_stream", Param: "stream", Hint: "schema without arguments lists the streams and connections."}
	e.Message = fmt.Sprintf("no stream %s in this grant.", quote.Exact(scope.Stream))
	if scope.Stream == "" {
		e.Code, e.Param = "unknown_connection", "connection_id"
		e.Message = fmt.Sprintf("no connection %s in this grant.", quote.Exact(scope.ConnectionID))
	}
	return e
}

func schemaDocument(ctx context.Context, d rs.Doer, scope rs.Scope, full bool) (*rs.Response, error) {
	if full && auth.PrincipalFrom(ctx).Package != nil {
		// A package knows which members have the stream, so it refuses an ambiguous one without a read (S0-8a).
		return rs.FullSchema(ctx, d, scope.Stream, scope.ConnectionID)
	}
	response, err := rs.CompactSchema(ctx, d, scope.Stream, scope.ConnectionID)
	if err != nil || !full {
		return response, err
	}
	schema := response.Schema()
	if err := schema.Check(); err != nil {
		return nil, err
	}
	if options := known.ReadStream(schema, scope).Connections; len(options) > 1 {
		for i := range options {
			options[i].GrantID = cmp.Or(options[i].GrantID, schema.GrantID())
		}
		return nil, &rs.Error{
			Code: "ambiguous_connection", Param: "connection_id", RetryWith: "connection_id",
			Message:     fmt.Sprintf("Stream %q exists under %d connections.", scope.Stream, len(options)),
			Hint:        "Call again with one of these as connection_id; schema without arguments lists all connections.",
			Connections: options[:min(len(options), rs.MaxConnectionOptions)], ConnectionTotal: len(options),
		}
	}
	return rs.FullSchema(ctx, d, scope.Stream, scope.ConnectionID)
}
