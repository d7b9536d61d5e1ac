package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// ServerOptions configure [NewServer].
type ServerOptions struct {
	Name         string
	Title        string
	Version      string
	Instructions string
	Tools        []*tools.Tool
	Resources    []tools.Resource
	Prompts      []tools.Prompt
	Handler      tools.Handler // the pipeline: every tool call and every resource read goes through it
	Logger       zerolog.Logger
}

// A Server is the one MCP server that all sessions and requests share, over either transport (S3-R5). Making one per
// request would cost a hundred times as much as a call.
type Server struct {
	*mcp.Server
	self    mcp.Implementation
	options ServerOptions
}

// NewServer returns a server of these tools, resources and prompts. What is added to it later is served too, save a tool of
// a name that it has.
func NewServer(o ServerOptions) *Server {
	self := mcp.Implementation{Name: o.Name, Title: o.Title, Version: o.Version}
	server := mcp.NewServer(
		&self,
		&mcp.ServerOptions{
			Instructions: o.Instructions,
			Logger:       sdkLogger(o.Logger),
			// Set in full, because what is left out is inferred: with logging, and with listChanged.
			Capabilities: capabilities(o),
			SetCacheable: setCacheable,
		},
	)
	for _, tool := range o.Tools {
		server.AddTool(listing(tool), toolHandler(o.Handler, tool))
	}
	for _, resource := range o.Resources {
		addResource(server, o.Handler, resource)
	}
	for _, prompt := range o.Prompts {
		server.AddPrompt(&mcp.Prompt{
			Name: prompt.Name, Title: prompt.Title, Description: prompt.Description,
			Arguments: []*mcp.PromptArgument{{Name: prompt.Argument, Description: prompt.ArgumentDescription, Required: true}},
		}, getPrompt(prompt))
	}
	server.AddReceivingMiddleware(recoverAll(o.Logger), hideUnlisted(o.Tools), addIcon(self))
	return &Server{server, self, o}
}

// fastCall is how the fast path answers a call: through the same pipeline as toolHandler, with the recovery that the SDK's
// calls have from recoverAll.
func (s *Server) fastCall(ctx context.Context, call tools.Call, traceparent string) (result *mcp.CallToolResult, refused *jsonrpc.Error) {
	err := recovered(ctx, s.options.Logger, "tools/call", func() (err error) {
		result, err = callTool(ctx, s.options.Handler, call, traceparent)
		return err
	})
	errors.As(err, &refused)
	return result, refused
}

// capabilities are what the server says it can do. Prompts are declared only where there is one.
func capabilities(o ServerOptions) *mcp.ServerCapabilities {
	c := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	if len(o.Prompts) > 0 {
		c.Prompts = &mcp.PromptCapabilities{}
	}
	return c
}

// protocolOf is the version of MCP that a client speaks, or "". The SDK has checked that it is one that it knows.
func protocolOf(session *mcp.ServerSession) string {
	if hello := session.InitializeParams(); hello != nil {
		return hello.ProtocolVersion
	}
	return ""
}

// traceparent is the trace that a client names in a request's _meta, which works over stdio too.
func traceparent(meta mcp.Meta) string {
	named, _ := meta["traceparent"].(string)
	return named
}

func listing(tool *tools.Tool) *mcp.Tool {
	no := false
	listed := &mcp.Tool{
		Name: tool.Name, Title: tool.Title, Description: tool.Description,
		InputSchema: tool.Input, // raw bytes: the SDK encodes it again on every call
		Annotations: &mcp.ToolAnnotations{
			Title: tool.Title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no,
		},
	}
	if len(tool.Output) > 0 {
		listed.OutputSchema = tool.Output
	}
	return listed
}

func toolHandler(handle tools.Handler, tool *tools.Tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		call := tools.Call{Tool: tool, Raw: request.Params.Arguments, Protocol: protocolOf(request.Session)}
		return callTool(ctx, handle, call, traceparent(request.Params.Meta))
	}
}

// callTool has the pipeline answer a tool call. Its errors are *jsonrpc.Error values.
func callTool(ctx context.Context, handle tools.Handler, call tools.Call, traceparent string) (*mcp.CallToolResult, error) {
	reply, err := handle(middleware.ContinueTrace(ctx, traceparent), call)
	if err == nil && reply.Result == nil {
		err = &rs.Error{Code: rs.Internal, Message: "The adapter produced no result."}
	}
	if err != nil {
		return nil, wireError(err, "")
	}
	return reply.Result, nil
}

func addResource(server *mcp.Server, handle tools.Handler, resource tools.Resource) {
	read := readResource(handle, resource)
	if resource.Template {
		server.AddResourceTemplate(&mcp.ResourceTemplate{
			URITemplate: resource.URI, Name: resource.Name, Title: resource.Title,
			Description: resource.Description, MIMEType: resource.MIMEType,
		}, read)
		return
	}
	server.AddResource(&mcp.Resource{
		URI: resource.URI, Name: resource.Name, Title: resource.Title,
		Description: resource.Description, MIMEType: resource.MIMEType,
	}, read)
}

func readResource(handle tools.Handler, resource tools.Resource) mcp.ResourceHandler {
	return func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := request.Params.URI
		call, err := resource.Call(uri)
		if err != nil {
			return nil, wireError(err, uri)
		}
		call.Protocol = protocolOf(request.Session)
		reply, err := handle(middleware.ContinueTrace(ctx, traceparent(request.Params.Meta)), call)
		if err == nil && reply.Resource == nil {
			err = &rs.Error{Code: rs.Internal, Message: "The adapter produced no resource."}
		}
		if err != nil {
			return nil, wireError(err, uri)
		}
		return reply.Resource, nil
	}
}

// getPrompt fills in a prompt. It reads nothing.
func getPrompt(prompt tools.Prompt) mcp.PromptHandler {
	return func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		argument := strings.TrimSpace(request.Params.Arguments[prompt.Argument])
		if argument == "" || len(argument) > tools.MaxPromptBytes {
			return nil, wireError(rs.Invalid(prompt.Argument,
				fmt.Sprintf("%s has %d bytes; 1 to %d are needed.", prompt.Argument, len(argument), tools.MaxPromptBytes),
				"Send "+prompt.Argument+" as text."), "")
		}
		return &mcp.GetPromptResult{
			Description: prompt.Description,
			Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: prompt.Message(argument)}}},
		}, nil
	}
}

// codeRefused is the JSON-RPC code of a read that the resource server, or our own checks, refused: the first of the
// codes that JSON-RPC leaves to servers. -32603 stays for faults of the adapter.
const codeRefused = -32000

// wireError makes an error a JSON-RPC one. Any other error type would go out as code 0, with its full text. A
// resource that does not exist is invalid params with the URI in data, as the protocol has it.
func wireError(err error, uri string) *jsonrpc.Error {
	e := rs.AsError(err)
	code := int64(codeRefused)
	switch {
	case e.Code == rs.Internal:
		code = jsonrpc.CodeInternalError
	case e.Status == 404, e.Code == rs.NotFound, e.Code == rs.InvalidURI, e.Code == rs.InvalidID, e.Code == rs.InvalidArguments:
		code = jsonrpc.CodeInvalidParams
	}
	data, _ := json.Marshal(struct { // marshals strings only
		Code      rs.Code `json:"code"`
		Message   string  `json:"message"`
		Hint      string  `json:"hint,omitempty"`
		RetryWith string  `json:"retry_with,omitempty"`
		RequestID string  `json:"request_id,omitempty"`
		URI       string  `json:"uri,omitempty"`
	}{e.Code, e.Message, e.Hint, e.RetryWith, e.RequestID, uri})
	return &jsonrpc.Error{Code: code, Message: e.Message, Data: data}
}

// staticTTL is how long a client may keep what is the same for everybody, in milliseconds.
const staticTTL = 5 * 60 * 1000

// setCacheable tells clients and intermediaries what they may keep. The SDK's own default is "public", for
// everything.
func setCacheable(_ context.Context, request mcp.Request, c *mcp.Cacheable) {
	switch request.(type) {
	case *mcp.ListToolsRequest, *mcp.ListResourceTemplatesRequest, *mcp.ServerRequest[*mcp.DiscoverParams]:
		c.CacheScope, c.TTLMs = "public", staticTTL
	default: // read under a grant, or close to it
		c.CacheScope, c.TTLMs = "private", 0
	}
}
