// Package tools holds what can be called: each tool's listing, its arguments, and the one read it stands for.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A Tool is one thing that can be called. Tools are made once and never change.
type Tool struct {
	Name        string
	Title       string
	Description string
	Input       json.RawMessage // JSON schema of the arguments: one flat object (D22)
	Output      json.RawMessage // JSON schema that both a good and an error result satisfy
	Listed      bool            // false: callable by those who know it, never in tools/list (D1)
	Binary      bool            // the answer is bytes, which a resource read passes on as they are

	// Known is what is known of the arguments where some are to be corrected; it is read from Input.
	Known correct.Tool

	// Schema reads the compact schema of a stream, of all streams where it is "", under one connection where that is named; nil where it
	// cannot be read. All tools hold it together, for a minute per grant.
	Schema func(ctx context.Context, d rs.Doer, stream, connectionID string) *rs.Schema
	// Held is what is held of it, without a read.
	Held func(ctx context.Context, stream, connectionID string) *rs.Schema

	schemas *known.Schemas // what both ask

	// Named is the tool of that name in the same list, nil for none.
	Named func(name string) *Tool

	// Decode parses the arguments. Its errors are *rs.Error values.
	Decode func(rs.Object) (Args, error)
	// Render turns the answer to a call into its result.
	Render func(Call, Answer) (render.Result, error)
	// Forward replaces the core [Forward] where a tool may need more than one read; nil for most.
	Forward Handler
}

// Parse reads and decodes the arguments of a call that is not under way, such as one that an answer prints.
func (t *Tool) Parse(raw json.RawMessage) (Args, error) {
	values, err := ReadArguments(raw)
	if err != nil {
		return nil, err
	}
	return t.Decode(values)
}

// ReadArguments reads the arguments of a call: one JSON object whose names are each given once. Those that were left out, and null, are an
// object without members.
func ReadArguments(raw json.RawMessage) (rs.Object, error) {
	text := string(raw)
	if trimmed := strings.TrimSpace(text); trimmed == "" || trimmed == "null" {
		return rs.Object{}, nil
	}
	values, err := written.Object(text)
	if err != nil {
		return nil, rs.Invalid("", "The arguments are not one JSON object: "+err.Error()+".", `Send an object such as {"stream":"messages"}.`)
	}
	return values, nil
}

// A Call is one use of a Tool on its way down. Calls are values: a stage that learns something changes its own copy alone and passes
// that on. A tool's Forward may replace Args and RS.
type Call struct {
	Tool *Tool           // what was called
	Raw  json.RawMessage // its arguments, as received
	URI  string          // the resource that was asked for; empty for a tool call
	// Protocol is the version of MCP that the client speaks, such as "2025-11-25"; empty when it did not say. Nothing but
	// observation looks at it.
	Protocol  string
	RS        rs.Doer   // the caller's resource server; set by admit
	Arguments rs.Object // the arguments, as the tool lists them; set by correctCall
	Args      Args      // the arguments, checked; set by validate
	Scope     rs.Scope  // stream, record, connection, relations; set by validate
}

// An Answer is what the core read: the resource server's answer, and what further reads add to it.
type Answer struct {
	Response *rs.Response
	Streams  *rs.Response         // the list of streams, with counts; nil where it was not read or not answered
	Now      string               // the minute when that was read; "" for any call but an index
	Coverage render.Coverage      // of an answer without records, and of a stream's schema
	Empty    []render.EmptyField  // why a filter leaves no records
	Repair   *render.Repair       // what a search did that found nothing at first; nil for any other call
	document render.DocumentQuery // what is known of a record beside the arguments of its fetch
	search   render.SearchQuery   // what is known of a search beside its arguments
	spent    bool                 // a repair made all reads that it may make
}

// A Reply is what comes back up.
type Reply struct {
	Call      Call                    // the call as the core saw it; set by the core
	Answer                            // set by the core
	Ungranted *render.Ungranted       // what the answer leaves out because it is not granted; set by correctCall
	Reads     int                     // of the resource server, or of members of a package, for this call; set by admit
	Rendered  render.Result           // what Render made of the answer or of its error, for those who measure it
	Refused   *rs.Error               // why Result is an error; nil if it is not; set by renderResult
	Result    *mcp.CallToolResult     // set by renderResult for a tool call
	Resource  *mcp.ReadResourceResult // set by renderResult for a resource read
}

// A Handler answers a call. Its errors are *rs.Error values; only the stage renderResult turns them into results.
type Handler func(context.Context, Call) (Reply, error)

// Args are a tool's arguments, valid by construction.
type Args interface {
	Scope() (rs.Scope, error)    // what they touch; an error when two of them disagree
	Request(rs.Scope) rs.Request // the read they stand for
}

// Forward is the core: it runs the tool's own Forward, or makes the one read of its Request.
func Forward(ctx context.Context, call Call) (Reply, error) {
	if call.Tool.Forward != nil {
		return call.Tool.Forward(ctx, call)
	}
	response, err := call.RS.Do(ctx, call.Args.Request(call.Scope))
	return replied(call, response, err)
}

// replied is the reply to a call whose answer is that of one read.
func replied(call Call, response *rs.Response, err error) (Reply, error) {
	return Reply{Call: call, Answer: Answer{Response: response}}, err
}

// inputSchema returns the schema of an object with the given properties; required is a list of quoted names. Schemas are written as text,
// because hosts differ in what JSON Schema they accept: one flat object, single types, no combinators at the root, no references, no
// backticks (D22).
func inputSchema(required string, properties ...string) json.RawMessage {
	tail := `}`
	if required != "" {
		tail = `,"required":[` + required + `]}`
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"additionalProperties":false` + tail)
}

func stringProperty(name, description string) string {
	return fmt.Sprintf(`%q:{"type":"string","description":%q}`, name, description)
}

func enumProperty(name, description string, values ...string) string {
	return fmt.Sprintf(`%q:{"type":"string","enum":["%s"],"description":%q}`, name, strings.Join(values, `","`), description)
}

func integerProperty(name, description string, least, most int) string {
	return fmt.Sprintf(`%q:{"type":"integer","minimum":%d,"maximum":%d,"description":%q}`, name, least, most, description)
}

func namesProperty(name, description string) string {
	return fmt.Sprintf(`%q:{"type":"array","items":{"type":"string"},"description":%q}`, name, description)
}

const (
	connectionProperty  = `"connection_id":{"type":"string","description":"Which source, where several have the stream: id or name from schema"}`
	zoneProperty        = `"time_zone":{"type":"string","description":"IANA zone of dates, UTC if absent"}`
	expandLimitProperty = `"expand_limit":{"type":"object","description":"Most records by relation: {\"attachments\":3}","additionalProperties":{"type":"integer"}}`
)

// filterProperty is the filter of a tool.
var filterProperty = `"filter":{"type":"object","description":"By field an exact value or range (` + strings.Join(rs.RangeOperators, " ") + `), a date is the whole day:` +
	` {\"status\":\"paid\",\"total\":{\"gte\":10}}","additionalProperties":true}`

// Output schemas. A good result and an error both satisfy them, because nothing is required: clients that validate
// error results would otherwise refuse them.
const errorProperty = `"error":{"type":"object","description":"code, message, hint of a failure"}`

var dataOutput = json.RawMessage(`{"type":"object","properties":{"data":{"type":"object"},` + errorProperty + `}}`)

var offsetProperty = integerProperty("offset", "As printed, to read on", 0, maxSchemaOffset)

// maxSchemaOffset bounds offset; no grant has as many streams or fields.
const maxSchemaOffset = 1_000_000
