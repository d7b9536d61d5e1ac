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

// A Handler recognizes plain requests, and writes their answers. It is safe for concurrent use.
type Handler struct {
	server mcp.Implementation
	tools  map[string]*tools.Tool
	lists  map[string][]byte // the part after the id of the answer to tools/list, by version of MCP
}

// New returns a handler for the calls of tools, which reports server as the SDK does. It asks the SDK's stateless handler once for its
// answer to tools/list in each version of MCP, which is the same for every caller. Versions that the SDK does not serve are left to it.
func New(server mcp.Implementation, all []*tools.Tool, sdk http.Handler) *Handler {
	h := &Handler{server: server, tools: map[string]*tools.Tool{}, lists: map[string][]byte{}}
	for _, tool := range all {
		h.tools[tool.Name] = tool
	}
	for _, version := range versions {
		if list, ok := listTools(sdk, version); ok {
			h.lists[version] = list
		}
	}
	return h
}

// Write answers a plain request. A tools/call gets the result of its call or, if refused is not nil, that error.
func (h *Handler) Write(w http.ResponseWriter, m rpc.Message, call tools.Call, result *mcp.CallToolResult, refused *jsonrpc.Error) {
	switch version := call.Protocol; {
	case call.Tool == nil:
		writeAnswer(w, []byte(answerStart+m.ID), h.lists[version])
	case refused == nil:
		writeAnswer(w, writeResult(m.ID, version, result, h.server))
	case version == rpc.Stateless && refused.Code == jsonrpc.CodeInvalidParams:
		rpc.WriteError(w, http.StatusBadRequest, m.ID, refused)
	default:
		rpc.WriteError(w, http.StatusOK, m.ID, refused)
	}
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
