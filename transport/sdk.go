package transport

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// adapt returns middleware for every method that the SDK receives. It may change contexts, lists and errors, but not answer a tools/call:
// the result would lack what 2026-07-28 clients require. It turns a panic into an internal error, and gives a code to plain errors of the
// SDK, which would be sent with code 0.
//
// It removes tools that are callable but not advertised from tools/list (D1). The others are in the order of [tools.All], before those that
// a Go host added. It adds the icon to initialize and server/discover (S3-R17); over stdio there is no
// public URL, hence no icon.
func adapt(o serverOptions) mcp.Middleware {
	hidden, place := map[string]bool{}, map[string]int{}
	for i, tool := range o.Tools {
		hidden[tool.Name], place[tool.Name] = !tool.Listed, i-len(o.Tools) // negative: tools of a Go host are not in place, and come last
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
			defer endRequest(ctx, o.Logger, method, &err)
			if result, err = next(ctx, method, request); err != nil {
				return result, err
			}
			self := o.Self // one copy per answer: the origin is the request's
			if url := middleware.RequestFrom(ctx).IconURL; url != "" {
				self.Icons = []mcp.Icon{{Source: url, MIMEType: "image/svg+xml", Sizes: []string{"any"}}}
			}
			switch answer := result.(type) {
			case *mcp.ListToolsResult:
				shown := *answer
				shown.Tools = slices.DeleteFunc(slices.Clone(answer.Tools), func(tool *mcp.Tool) bool { return hidden[tool.Name] })
				slices.SortStableFunc(shown.Tools, func(a, b *mcp.Tool) int { return place[a.Name] - place[b.Name] })
				return &shown, nil
			case *mcp.InitializeResult:
				answer.ServerInfo = &self
			case *mcp.DiscoverResult:
				answer.Meta = mcp.Meta{mcp.MetaKeyServerInfo: &self}
			}
			return result, nil
		}
	}
}

// codeRefused is the JSON-RPC code of a read that the resource server or the adapter's own checks refused: the first of the codes that
// JSON-RPC reserves for servers. -32603 remains for faults of the adapter.
const codeRefused = -32000

// wireError converts an error to a JSON-RPC error. Any other error type would be sent with code 0 and its full text. A resource that does
// not exist becomes invalid params with the URI in data, as the protocol requires.
func wireError(err error, uri string) *jsonrpc.Error {
	e := rs.AsError(err)
	code := int64(codeRefused)
	switch {
	case e.Code == "internal_error":
		code = jsonrpc.CodeInternalError
	case e.Status == 404, e.Code == "not_found", e.Code == "invalid_uri", e.Code == "invalid_id", e.Code == "invalid_arguments":
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

// endRequest is deferred around what answers a request of the SDK. It makes the error a bounded *jsonrpc.Error, and so recovers a panic:
// the SDK runs handlers outside of net/http's recovery, so a panic would end the process.
func endRequest(ctx context.Context, log zerolog.Logger, method string, err *error) {
	if fault := recover(); fault != nil {
		method, id := middleware.Bounded(method, middleware.MaxLoggedWord), middleware.RequestFrom(ctx).ID
		rs.LogPanic(log.With().Str("mcp_method", method).Str("request_id", id).Logger())(fault)
		*err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
	}
	if *err != nil {
		*err = boundedError(auth.PrincipalFrom(ctx).Token.Redactor(), *err)
	}
}

// maxErrorPart is the most bytes of an error's message, which is truncated, and of its data, which are omitted if they are longer: both
// quote names that a client sent.
const maxErrorPart = 1500

// boundedError returns an error as a *jsonrpc.Error of bounded parts, without the token of its caller.
func boundedError(redactor *rs.Redactor, err error) error {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	bounded := &jsonrpc.Error{Code: e.Code, Message: middleware.Bounded(redactor.Text(e.Message), maxErrorPart)}
	if data := redactor.JSON(string(e.Data)); data != "" && len(data) <= maxErrorPart {
		bounded.Data = []byte(data)
	}
	return bounded
}

// staticTTL is how long a client may cache what is the same for all callers, in milliseconds.
const staticTTL = 5 * 60 * 1000

// setCacheable sets what clients and intermediaries may cache. The SDK's default is "public" for everything.
func setCacheable(_ context.Context, request mcp.Request, c *mcp.Cacheable) {
	switch request.(type) {
	case *mcp.ListToolsRequest, *mcp.ListResourceTemplatesRequest, *mcp.ServerRequest[*mcp.DiscoverParams]:
		c.CacheScope, c.TTLMs = "public", staticTTL
	default: // may depend on a grant
		c.CacheScope, c.TTLMs = "private", 0
	}
}

// sdkLogger discards the SDK's log: it has three lines for each request, and reports mistakes of clients as errors. The adapter logs each
// request, call and panic itself.
var sdkLogger = slog.New(slog.DiscardHandler)
