package middleware

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// renderResult is the only stage that writes a result. A tool call always gets one: an answer, or an error document with isError. A
// resource read gets its contents, or keeps its error, because an error is not the content of a resource.
//
// It removes the tokens of the call from everything that it returns. The client has already removed the token of each read from its answer,
// but cleaning a text can join the parts of a token, and the answer of one member may contain the token of another.
func renderResult(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (reply tools.Reply, err error) {
		reply, err = next(ctx, call)
		_, reads, _ := rsclient.WithCallReads(ctx) // the record that observeCall has begun
		caller := auth.PrincipalFrom(ctx)
		redactor := reads.Redactor(caller.Token, caller.MemberTokens())
		reply.Response = reply.Response.Redacted(redactor, call.Tool.Binary)
		if err == nil {
			reply.Rendered, err = call.Tool.Render(reply.Call, reply.Answer)
			reply.Rendered = reply.Rendered.WithUngranted(leavesOut(ctx, call.Tool.Known, reply)).Clean(reply.Response).Redact(redactor)
		}
		if call.URI != "" {
			if err != nil {
				return tools.Reply{Answer: tools.Answer{Response: reply.Response}}, redactor.Error(rs.AsError(err))
			}
			reply.Resource = resource(call, reply.Response, reply.Rendered)
			return reply, nil
		}
		if err != nil {
			reply.Refused = redactor.Error(rs.AsError(err))
			reply.Rendered = render.Error(reply.Refused).Clean(&rs.Response{}).Redact(redactor)
		}
		reply.Result = &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: reply.Rendered.Text}},
			StructuredContent: json.RawMessage(reply.Rendered.Structured),
			Meta:              reply.Rendered.Meta,
			IsError:           err != nil,
		}
		return reply, nil
	}
}

// resource returns the contents of a resource: the bytes of a blob, or the tool's structured result.
func resource(call tools.Call, response *rs.Response, result render.Result) *mcp.ReadResourceResult {
	contents := &mcp.ResourceContents{URI: call.URI, MIMEType: "application/json"}
	if call.Tool.Binary {
		contents.MIMEType, contents.Blob = response.ContentType, []byte(response.Body)
	} else {
		contents.Text = result.Structured
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}
}
