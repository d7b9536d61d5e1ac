package transport

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

type serverOptions struct {
	Self         mcp.Implementation
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
	options serverOptions
}

func newServer(o serverOptions) *Server {
	// Set in full, because the SDK would infer the rest, with logging and listChanged.
	capabilities := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	if len(o.Prompts) > 0 {
		capabilities.Prompts = &mcp.PromptCapabilities{}
	}
	server := mcp.NewServer(&o.Self, &mcp.ServerOptions{
		Instructions: o.Instructions, Logger: sdkLogger, Capabilities: capabilities, SetCacheable: setCacheable,
	})
	s := &Server{server, o}
	for _, tool := range o.Tools {
		server.AddTool(listing(tool), s.toolHandler(tool))
	}
	for _, resource := range o.Resources {
		if read := s.resourceHandler(resource); resource.Template {
			server.AddResourceTemplate(&mcp.ResourceTemplate{
				URITemplate: resource.URI, Name: resource.Name, Title: resource.Title, Description: resource.Description, MIMEType: resource.MIMEType,
			}, read)
		} else {
			server.AddResource(&mcp.Resource{
				URI: resource.URI, Name: resource.Name, Title: resource.Title, Description: resource.Description, MIMEType: resource.MIMEType,
			}, read)
		}
	}
	for _, prompt := range o.Prompts {
		server.AddPrompt(&mcp.Prompt{
			Name: prompt.Name, Title: prompt.Title, Description: prompt.Description,
			Arguments: []*mcp.PromptArgument{{Name: prompt.Argument, Description: prompt.ArgumentDescription, Required: true}},
		}, getPrompt(prompt))
	}
	server.AddReceivingMiddleware(adapt(o))
	return s
}

// Call makes a tool call in this process, through the pipeline without a session, and returns what would be sent. ctx carries the
// principal; see [auth.WithPrincipal]. Its errors are *jsonrpc.Error values, with jsonrpc.CodeInvalidParams for an unknown tool.
func (s *Server) Call(ctx context.Context, name string, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	at := slices.IndexFunc(s.options.Tools, func(tool *tools.Tool) bool { return tool.Name == name })
	if at < 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such tool"}
	}
	return s.callTool(ctx, tools.Call{Tool: s.options.Tools[at], Raw: arguments})
}

// callTool passes a tool call to the pipeline. Its errors are *jsonrpc.Error values.
func (s *Server) callTool(ctx context.Context, call tools.Call) (*mcp.CallToolResult, error) {
	reply, err := s.options.Handler(ctx, call)
	if err != nil {
		return nil, wireError(err, "")
	}
	return reply.Result, nil
}

// Listed returns the tools that tools/list shows, as they are sent.
func (s *Server) Listed() (listed []*mcp.Tool) {
	for _, tool := range s.options.Tools {
		if tool.Listed {
			listed = append(listed, listing(tool))
		}
	}
	return listed
}

// protocolOf returns the version of MCP that a client speaks, or "". The SDK has checked that it knows the version.
func protocolOf(session *mcp.ServerSession) string {
	if hello := session.InitializeParams(); hello != nil {
		return hello.ProtocolVersion
	}
	return ""
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

func (s *Server) toolHandler(tool *tools.Tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.callTool(ctx, tools.Call{Tool: tool, Raw: request.Params.Arguments, Protocol: protocolOf(request.Session)})
	}
}

func (s *Server) resourceHandler(resource tools.Resource) mcp.ResourceHandler {
	return func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := request.Params.URI
		call, err := resource.Call(uri)
		var reply tools.Reply
		if err == nil {
			call.Protocol = protocolOf(request.Session)
			reply, err = s.options.Handler(ctx, call)
		}
		if err != nil {
			return nil, wireError(err, uri)
		}
		return reply.Resource, nil
	}
}

// getPrompt fills in a prompt. It makes no reads.
func getPrompt(prompt tools.Prompt) mcp.PromptHandler {
	return func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text, err := prompt.Message(request.Params.Arguments[prompt.Argument])
		if err != nil {
			return nil, wireError(err, "")
		}
		return &mcp.GetPromptResult{
			Description: prompt.Description,
			Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
		}, nil
	}
}

// PipelineOptions configure [NewPipeline].
type PipelineOptions struct {
	Client     *rsclient.Client // reads the one resource server
	RecordBase string           // the resource server's public URL, for citations; empty means the client's own
	Name       string           // of the server, shown to clients; empty means "pdpp"
	Version    string           // of the server
	Deadline   time.Duration    // of one call; 0 means middleware.DefaultDeadline
	// NoSearchRelax turns off the relaxation of a search that finds nothing: see docs/search.md.
	NoSearchRelax bool
	// NoHitContext turns off the reads of the titles, authors and times that hits lack.
	NoHitContext bool
	Logger       zerolog.Logger
	Tracer       trace.Tracer            // nil makes no spans
	Observer     middleware.CallObserver // nil counts nothing
}

// NewPipeline returns the adapter's MCP server over one resource server: every tool and resource, behind the chain of
// [middleware.Standard]. [Handler] mounts it and [Stdio] serves it, so that both use the same pipeline. A Go host may add tools and
// resources with new names before [Handler] mounts it.
func NewPipeline(o PipelineOptions) *Server {
	all := tools.All(tools.Options{
		RecordBase: cmp.Or(o.RecordBase, o.Client.Base()), NoSearchRelax: o.NoSearchRelax, NoHitContext: o.NoHitContext,
	})
	handle := middleware.Standard(middleware.Options{
		Log: o.Logger, Deadline: o.Deadline, Source: middleware.SourceOf(o.Client), Tracer: o.Tracer, Observer: o.Observer,
	}, tools.Forward)
	return newServer(serverOptions{
		Self:         mcp.Implementation{Name: cmp.Or(o.Name, "pdpp"), Title: "Personal data (PDPP)", Version: o.Version},
		Instructions: tools.Instructions, Tools: all, Resources: tools.Resources(all), Prompts: tools.Prompts(),
		Handler: handle, Logger: o.Logger,
	})
}
