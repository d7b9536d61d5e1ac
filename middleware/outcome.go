package middleware

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// An Outcome is how one call went. It is all that a log, a metric or a trace is notified of a call: names and codes from
// short lists, ids that were made for logs, and numbers; never an argument, a token or anything of a record.
type Outcome struct {
	Tool      string
	Resource  bool    // a resource was read, not a tool called
	Protocol  string  // the version of MCP; empty when the client did not say
	Code      rs.Code // "ok", or the code of the error; see [rs.Code.Label]
	Status    int     // the resource server's status, where it refused; else 0
	RequestID string  // the resource server's
	Took      time.Duration

	// What was read and what went out, in bytes. Text and structured say the same twice, for different hosts.
	ReadBytes, TextBytes, StructuredBytes, ResourceBytes int
	// Reads is how many reads the answer took, those of members of a package among them.
	Reads int
	// Repaired says that it was a search that found nothing, and was made again of single words.
	Repaired bool
	// Unavailable is how many connections of a package the answer names as unavailable.
	Unavailable int
	// Cuts is how many parts of the answer did not fit; Removed is how many characters were taken out of record text.
	Cuts, Removed int
}

// outcomeOf says how a call went. Its stages are outside renderResult, which turns most errors into results.
func outcomeOf(call tools.Call, reply tools.Reply, err error, took time.Duration) Outcome {
	o := Outcome{
		Tool: call.Tool.Name, Resource: call.URI != "", Protocol: call.Protocol, Code: "ok", Took: took,
		Cuts: reply.Rendered.Cuts, Removed: removed(reply.Rendered.Meta),
	}
	if reply.Response != nil {
		o.RequestID, o.ReadBytes, o.Unavailable = reply.Response.RequestID, len(reply.Response.Body), reply.Response.Unavailable
	}
	o.Reads, o.Repaired = reply.Reads, reply.Repair != nil
	if refused := refusalOf(reply, err); refused != nil {
		o.Code, o.Status = refused.Code, refused.Status
		if refused.RequestID != "" {
			o.RequestID = refused.RequestID
		}
	}
	if reply.Result != nil {
		o.TextBytes, o.StructuredBytes = len(reply.Rendered.Text), len(reply.Rendered.Structured)
	}
	if reply.Resource != nil {
		for _, contents := range reply.Resource.Contents {
			o.ResourceBytes += len(contents.Text) + len(contents.Blob)
		}
	}
	return o
}

// refusalOf is why a call failed, whether or not that has become a result; nil when it did not fail.
func refusalOf(reply tools.Reply, err error) *rs.Error {
	if err != nil {
		return rs.AsError(err)
	}
	return reply.Refused
}

// removedKey is where a result says which characters were taken out of the text of its records.
const removedKey = "pdpp/removed_characters"

func removed(meta map[string]any) int {
	counted, _ := meta[removedKey].(render.Removed)
	return counted.Total()
}
