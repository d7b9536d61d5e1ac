// Package tools defines the MCP tools: how each is listed, its arguments, the reads of the resource server that it makes, and its result.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A Tool is one MCP tool. Tools are built once and never change.
type Tool struct {
	Name        string
	Title       string
	Description string
	Input       json.RawMessage // JSON schema of the arguments: one flat object (D22)
	Output      json.RawMessage // JSON schema that both a good and an error result satisfy
	Listed      bool            // false: callable, but never in tools/list (D1)
	Binary      bool            // the answer is bytes, which a resource read passes on unchanged

	// Known describes the arguments, so that wrong ones can be corrected; it is read from Input.
	Known correct.Tool

	// Schema reads the compact schema of a stream, or of all streams if stream is "", under one connection if one is named; nil if it
	// cannot be read. All tools share one cache, which keeps a schema for a minute per grant.
	Schema func(ctx context.Context, d rs.Doer, stream, connectionID string) *rs.Schema
	// CachedSchema returns the schema from that cache without a read; nil if it is not cached.
	CachedSchema func(ctx context.Context, stream, connectionID string) *rs.Schema

	schemas *known.Schemas // the cache behind Schema and CachedSchema

	// Named returns the tool with a name from the same list; nil if there is none.
	Named func(name string) *Tool

	// Decode parses the arguments. Its errors are *rs.Error values.
	Decode func(rs.Object) (Args, error)
	// Render turns the answer to a call into its result.
	Render func(Call, Answer) (render.Result, error)
	// Read makes the reads of a tool that may need more than one; nil if the one of its Request is enough.
	Read func(context.Context, Call) (Answer, error)
}

// Parse reads and decodes arguments without making the call, such as those of a call that an answer prints.
func (t *Tool) Parse(raw json.RawMessage) (Args, error) {
	values, err := ReadArguments(raw)
	if err != nil {
		return nil, err
	}
	return t.Decode(values)
}

// ReadArguments reads the arguments of a call: one JSON object in which no name occurs twice. Absent arguments and null are read as an
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

// A Call is one use of a Tool on its way down the call pipeline. Calls are values: each stage changes its own copy and passes that on.
type Call struct {
	Tool *Tool           // what was called
	Raw  json.RawMessage // its arguments, as received
	URI  string          // the requested resource; empty for a tool call
	// Protocol is the version of MCP that the client speaks, such as "2025-11-25"; empty if the client did not send one. Only
	// observation reads it.
	Protocol  string
	Now       time.Time // the one clock of the call; set by observeCall, and put into the zone of the call by correctCall
	RS        rs.Doer   // the caller's resource server; set by admit
	Arguments rs.Object // the arguments, as the tool lists them; set by correctCall
	Args      Args      // the arguments, checked; set by validate
	Scope     rs.Scope  // stream, record, connection, relations; set by validate
}

// InZone returns the call with its clock in the zone that it names, or probably means; else in UTC. Relative times, such as today, are read
// in that zone.
func (c Call) InZone() Call {
	name, _ := rs.AsText(c.Arguments.Get("time_zone"))
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" { // of the machine
		zone, err = time.LoadLocation(written.Zone(name))
	}
	if err != nil {
		zone = time.UTC
	}
	c.Now = c.Now.In(zone)
	return c
}

// Known returns what is known of the arguments of a tool from the same list, at the time of the call.
func (c Call) Known(tool string) correct.Tool { return c.Tool.Named(tool).Known.At(c.Now) }

// An Answer is what the core read: the resource server's answer, and what further reads add to it.
type Answer struct {
	Response *rs.Response
	Streams  *rs.Response         // the list of streams, with counts; nil if it was not read or the read failed
	Now      string               // the time of the call, to the minute in UTC; "" unless schema shows Streams
	Coverage render.Coverage      // of an answer without records, and of a stream's schema
	NoFilter bool                 // the resource server refused to filter what this grant reads; set by schema
	Empty    []render.EmptyField  // why a filter leaves no records
	Repair   *render.Repair       // how a search that found nothing at first was repaired; nil for any other call
	document render.DocumentQuery // what the reads of fetch found, for its renderer
	records  render.RecordsQuery  // what those of query_records found, and the limit that was read in the end
	search   render.SearchQuery   // what those of search found
	spent    bool                 // the repair of a search has no reads left
}

// A Reply is what a Handler returns up the call pipeline.
type Reply struct {
	Call      Call                    // the call as the core saw it; set by the core
	Answer                            // set by the core
	Ungranted *render.Ungranted       // which streams the answer leaves out because they are not granted; set by correctCall
	Reads     int                     // of the resource server, or of members of a package, for this call; set by observeCall
	Rendered  render.Result           // what Render made of the answer or the error, for measurements
	Refused   *rs.Error               // why Result is an error; nil if it is not; set by renderResult
	Result    *mcp.CallToolResult     // set by renderResult for a tool call
	Resource  *mcp.ReadResourceResult // set by renderResult for a resource read
}

// A Handler answers a call. Its errors are *rs.Error values; only the stage renderResult turns them into results.
type Handler func(context.Context, Call) (Reply, error)

// Args are a tool's arguments, valid by construction.
type Args interface {
	Scope() (rs.Scope, error)    // what the call reads; an error if two arguments disagree
	Request(rs.Scope) rs.Request // the read that the arguments ask for
}

// Forward is the core: it runs the tool's own Read, or makes the one read of its Request. It remembers which grants may not filter.
func Forward(ctx context.Context, call Call) (Reply, error) {
	reads := call.Tool.Read
	if reads == nil {
		reads = readOnce
	}
	answer, err := reads(ctx, call)
	if err != nil && rs.RefusesFilters(err) {
		if grant := auth.PrincipalFrom(ctx).GrantKey(); grant != "" {
			call.Tool.schemas.Unfiltered.Put(grant, true)
		}
	}
	return Reply{Call: call, Answer: answer}, err
}

func readOnce(ctx context.Context, call Call) (Answer, error) {
	response, err := call.RS.Do(ctx, call.Args.Request(call.Scope))
	return Answer{Response: response}, err
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

var filterProperty = `"filter":{"type":"object","description":"By field an exact value or range (` + strings.Join(rs.RangeOperators, " ") + `), a date is the whole day:` +
	` {\"status\":\"paid\",\"total\":{\"gte\":10}}","additionalProperties":true}`

// Output schemas. A good result and an error both satisfy them, because nothing is required: clients that validate
// error results would otherwise refuse them.
const errorProperty = `"error":{"type":"object","description":"code, message, hint"}`

var dataOutput = json.RawMessage(`{"type":"object","properties":{"data":{"type":"object"},` + errorProperty + `}}`)

var offsetProperty = integerProperty("offset", "As printed, to read on", 0, maxSchemaOffset)

// maxSchemaOffset bounds offset; no grant has as many streams or fields.
const maxSchemaOffset = 1_000_000
