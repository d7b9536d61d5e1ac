// Package fastpath answers plain tools/call and tools/list requests without a session of the MCP SDK.
//
// The SDK makes a session for each stateless POST and reads its message about ten times, which makes 300 KB of garbage. Nearly
// all traffic is tools/call and tools/list in a form that can be read in one way only. Those are answered here, with what the
// SDK would have answered. Every other message, valid or not, is left to the SDK. TestAnswersAsTheSDK and FuzzAnswersAsTheSDK
// of package transport compare the two paths.
//
// The package can be deleted when the SDK answers a stateless request without a session: when the load harness, with
// transport.HandlerOptions.NoFastPath set, still keeps what docs/performance.md promises. Nothing but speed depends on it.
package fastpath

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rpc"
)

// Options configure [New]. All of them are needed.
type Options struct {
	Server mcp.Implementation // as the SDK introduces it
	Tools  []*tools.Tool      // whose calls are answered here
	SDK    http.Handler       // the SDK's stateless handler

	// Call answers one call as the SDK's tool handler does, and recovers from panics. Its errors are *jsonrpc.Error values.
	Call func(ctx context.Context, call tools.Call, traceparent string) (*mcp.CallToolResult, error)
}

// A Handler answers plain requests. It is safe for concurrent use.
type Handler struct {
	options Options
	tools   map[string]*tools.Tool
	lists   map[string][]byte // the answer to tools/list by version of MCP, from the end of its id on
}

// New returns a handler. It asks the SDK once for its answer to tools/list in each version of MCP, which is the same for every
// caller. Versions that the SDK does not serve are left to it.
func New(o Options) *Handler {
	h := &Handler{options: o, tools: map[string]*tools.Tool{}, lists: map[string][]byte{}}
	for _, tool := range o.Tools {
		h.tools[tool.Name] = tool
	}
	for _, version := range versions {
		if list, ok := listTools(o.SDK, version); ok {
			h.lists[version] = list
		}
	}
	return h
}

// Serve answers a request if its message is plain, and reports whether it has. The headers must not contradict the message.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, m rpc.Message) bool {
	request, plain := readRequest(r.Header, m)
	list, served := h.lists[request.version]
	if !plain || !served {
		return false
	}
	if m.Method == methodListTools {
		writeAnswer(w, []byte(answerStart+m.ID), list)
		return true
	}
	tool, known := h.tools[request.tool]
	if !known {
		return false
	}
	call := tools.Call{Tool: tool, Raw: json.RawMessage(request.arguments), Protocol: request.version}
	result, err := h.options.Call(r.Context(), call, request.traceparent)
	if err != nil {
		var refused *jsonrpc.Error
		errors.As(err, &refused)
		status := http.StatusOK
		if request.version == rpc.Stateless && refused.Code == jsonrpc.CodeInvalidParams {
			status = http.StatusBadRequest
		}
		rpc.WriteError(w, status, m.WireID(), refused)
		return true
	}
	writeAnswer(w, writeResult(m.ID, request.version, result, h.options.Server))
	return true
}

// writeAnswer sends an answer in its parts, with its length, so that it is not sent in chunks.
func writeAnswer(w http.ResponseWriter, parts ...[]byte) {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(http.StatusOK)
	for _, part := range parts {
		_, _ = w.Write(part) // #nosec G705 -- JSON, and declared as JSON
	}
}

// listTools asks the SDK for its answer to tools/list in one version of MCP, and returns what follows the id.
func listTools(sdk http.Handler, version string) ([]byte, bool) {
	request := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/"}, Header: http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, versionHeader: {version},
	}}
	params := `{}`
	if version == rpc.Stateless {
		request.Header.Set("Mcp-Method", methodListTools)
		params = `{"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"` + version + `","` + mcp.MetaKeyClientCapabilities + `":{}}}`
	}
	request.Body = io.NopCloser(strings.NewReader(answerStart + `0,"method":"` + methodListTools + `","params":` + params + `}`))
	kept := &keptAnswer{header: http.Header{}}
	sdk.ServeHTTP(kept, request)
	list, ok := bytes.CutPrefix(kept.body.Bytes(), []byte(answerStart+"0"))
	return list, ok && bytes.HasPrefix(list, []byte(resultStart))
}

// A keptAnswer is an http.ResponseWriter that keeps the body.
type keptAnswer struct {
	header http.Header
	body   bytes.Buffer
}

func (k *keptAnswer) Header() http.Header         { return k.header }
func (k *keptAnswer) WriteHeader(int)             {}
func (k *keptAnswer) Write(p []byte) (int, error) { return k.body.Write(p) }
