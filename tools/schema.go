package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// schemaTool says which streams are granted and what may be asked of them.
func schemaTool() *Tool {
	return &Tool{
		Name:  "schema",
		Title: "Schema",
		Description: "Call first. The granted streams by connector and connection; with stream, its fields and what each can do (GET /v1/schema). Read-only. " +
			"Text and structured output each say how to read on.",
		Input: object("",
			stringProperty("stream", "One stream"),
			connectionProperty,
			enumProperty("detail", "full adds JSON Schema; needs stream", "compact", "full"),
			namesProperty("fields", "Only these fields of stream"),
			offsetProperty(),
		),
		Output:  dataOutput,
		Listed:  true,
		Decode:  decodeSchema,
		Forward: forwardSchema,
		Render: func(call Call, answer Answer) (render.Result, error) {
			args := call.Args.(schemaArgs)
			return render.Schema(answer.Response, render.SchemaQuery{
				Stream: call.Scope.Stream, ConnectionID: call.Scope.ConnectionID, Full: args.full, Fields: args.fields, Offset: args.offset,
				Counts: answer.Counts.streams(), Now: answer.Counts.at(), Said: answer.Said,
			})
		},
	}
}

func offsetProperty() string {
	return integerProperty("offset", "As printed, to read on", 0, maxSchemaOffset)
}

// maxSchemaOffset bounds offset; no grant has as many streams or fields.
const maxSchemaOffset = 1_000_000

type schemaArgs struct {
	stream, connectionID string
	full                 bool
	fields               []string // the adapter's own projection, as offset: neither reaches the resource server
	offset               int
}

func decodeSchema(raw json.RawMessage) (Args, error) {
	a := readArguments(raw, "stream", "connection_id", "detail", "fields", "offset")
	args := schemaArgs{
		stream:       a.name("stream"),
		connectionID: a.name("connection_id"),
		full:         a.choice("detail", "compact", "full") == "full",
		fields:       a.fields(),
	}
	args.offset, _ = a.number("offset", 0, maxSchemaOffset)
	if args.full && args.stream == "" {
		// Refused before any read: the whole grant's JSON Schema fits no host (S0-5e, D6).
		a.failf("stream", `Call schema without arguments to see the streams, then schema(stream, connection_id, detail:"full").`, `detail "full" needs a stream.`)
	}
	a.requires("fields", "stream")
	if a.err != nil {
		return nil, a.err
	}
	return args, nil
}

// Scope returns what the read touches.
func (s schemaArgs) Scope() (rs.Scope, error) {
	return rs.Scope{Stream: s.stream, ConnectionID: s.connectionID}, nil
}

// Request returns GET /v1/schema?view=compact. forwardSchema makes the further reads that some answers need.
func (s schemaArgs) Request(scope rs.Scope) rs.Request {
	return rs.CompactSchemaRequest(scope.Stream, scope.ConnectionID)
}

// forwardSchema reads the compact document, or for detail full the exhaustive one, once it is clear which
// connection is meant (S0-5f); at the same time how fresh it is, and for an index how many records there are.
func forwardSchema(ctx context.Context, call Call) (Reply, error) {
	var response *rs.Response
	var counts *Counts
	var detail *rs.Response
	reads := 2
	if call.Args.(schemaArgs).full { // whose document says it
		reads = 1
	}
	err := inParallel(ctx, reads, func(ctx context.Context, i int) (err error) {
		switch {
		case i == 1 && (call.Scope.Stream == "" || auth.PrincipalFrom(ctx).Package != nil):
			counts = countStreams(ctx, call.RS, call.Scope.ConnectionID)
			return nil
		case i == 1:
			detail = streamDetail(ctx, call, call.Scope.Stream)
			return nil
		}
		response, err = readSchema(ctx, call.RS, call.Scope, call.Args.(schemaArgs).full)
		if err == nil && response.Unavailable == 0 {
			err = notGranted(call.Scope, response)
		}
		return err
	})
	return Reply{Call: call, Answer: Answer{Response: response, Counts: counts, Said: said(ctx, call, response, counts, detail)}}, err
}

// said is how fresh a stream is, and to which time the grant is limited in it, as far as that was read.
func said(ctx context.Context, call Call, schema *rs.Response, counts *Counts, detail *rs.Response) (said rs.Object) {
	stream := call.Scope.Stream
	if stream == "" || schema == nil || call.Args.(schemaArgs).full {
		return nil
	}
	rows := schema.Schema().Streams
	several := slices.ContainsFunc(rows, func(s rs.SchemaStream) bool { return s.ConnectorKey != rows[0].ConnectorKey })
	if several && counts == nil { // of which the resource server names one
		counts = countStreams(ctx, call.RS, call.Scope.ConnectionID)
	}
	fresh := render.FreshnessOf(counts.streams(), stream)
	if detail != nil && len(rows) > 0 && !several { // runs count for a connector
		row := rs.Object{{Name: "name", Value: rs.EncodeJSON(stream)}, {Name: "display_name", Value: rs.EncodeJSON(rows[0].ConnectorKey)}}
		row = append(row, rs.Member{Name: "freshness", Value: rs.AsObject(detail.Distinct()).Object("freshness").JSON()})
		fresh = render.FreshnessOf(detail.WithBody(rs.Object{{Name: "data", Value: rs.JoinArray([]string{row.JSON()})}}.JSON()), stream)
	}
	if fresh != "" {
		said = append(said, rs.Member{Name: "freshness", Value: fresh})
	}
	if limit := render.GrantedTimeOf(detail); limit != "" && !limitsKnown(ctx) {
		said = append(said, rs.Member{Name: "granted_time", Value: limit})
	}
	return said
}

// limitsKnown reports whether every answer says without a read to which time the grant is limited.
func limitsKnown(ctx context.Context) bool {
	terms := auth.PrincipalFrom(ctx).Terms
	return terms != nil && terms.LimitsKnown
}

// Counts are what an index says beside the names of the streams.
type Counts struct {
	Streams *rs.Response // the list of streams; nil where it was not read or not answered
	Now     time.Time
}

func (c *Counts) streams() *rs.Response {
	if c == nil {
		return nil
	}
	return c.Streams
}

func (c *Counts) at() string {
	if c == nil {
		return ""
	}
	return c.Now.UTC().Format("2006-01-02T15:04Z")
}

// Bounds of what is read for an index beside the schema.
const (
	maxCountedMembers = 8           // of a package
	countsDeadline    = time.Second // the index stands without counts
)

// countStreams reads how many records each stream has and how new they are. The index stands without that where it is not answered.
func countStreams(ctx context.Context, d rs.Doer, connectionID string) *Counts {
	counts := &Counts{Now: time.Now()}
	if len(auth.PrincipalFrom(ctx).MemberTokens()) > maxCountedMembers {
		return counts
	}
	ctx, cancel := context.WithTimeout(ctx, countsDeadline)
	defer cancel()
	query := url.Values{}
	setText(query, "connection_id", connectionID)
	if response, err := d.Do(ctx, rs.Request{Path: rs.Path("streams"), Query: query}); err == nil {
		counts.Streams = response
	}
	return counts
}

// notGranted refuses a document without streams for a stream or connection that was named.
func notGranted(scope rs.Scope, response *rs.Response) error {
	const hint = "schema without arguments lists the streams and connections."
	switch {
	case scope.Stream == "" && scope.ConnectionID == "" || len(response.Schema().Streams) > 0:
		return nil
	case scope.Stream == "":
		return &rs.Error{Code: rs.UnknownConnection, Param: "connection_id", Message: fmt.Sprintf("no connection %s in this grant.", quote(scope.ConnectionID)), Hint: hint}
	}
	return &rs.Error{Code: rs.UnknownStream, Param: "stream", Message: fmt.Sprintf("no stream %s in this grant.", quote(scope.Stream)), Hint: hint}
}

func readSchema(ctx context.Context, d rs.Doer, scope rs.Scope, full bool) (*rs.Response, error) {
	if full && auth.PrincipalFrom(ctx).Package != nil {
		// A package knows who has the stream, so it refuses an ambiguous one without a read (S0-8a).
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
	if options := connectionsOf(schema); len(options) > 1 {
		return nil, &rs.Error{
			Code: rs.AmbiguousConnection, Param: "connection_id", RetryWith: "connection_id",
			Message:     fmt.Sprintf("Stream %q exists under %d connections.", scope.Stream, len(options)),
			Hint:        "Call again with one of these as connection_id; schema without arguments lists all connections.",
			Connections: options[:min(len(options), rs.MaxConnectionOptions)], ConnectionTotal: len(options),
		}
	}
	return rs.FullSchema(ctx, d, scope.Stream, scope.ConnectionID)
}

// connectionsOf lists the distinct connections of a schema.
func connectionsOf(schema *rs.Schema) []rs.Connection {
	var all []rs.Connection
	seen := map[string]bool{}
	for _, row := range schema.Streams {
		for _, c := range row.Connections {
			if !seen[c.ID] {
				seen[c.ID] = true
				if c.GrantID == "" {
					c.GrantID = schema.GrantID()
				}
				all = append(all, c)
			}
		}
	}
	return all
}
