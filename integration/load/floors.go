package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolsPath is where the stub has the answer to tools/list.
const toolsPath = "/load/tools"

// A forwarder reads from the stub what a call names. Both floors use it.
type forwarder struct {
	client *http.Client
	base   string
}

func newForwarder(base string) forwarder {
	return forwarder{&http.Client{Transport: &http.Transport{MaxIdleConns: maxClients, MaxIdleConnsPerHost: maxClients}}, base}
}

// read makes the one read that a call stands for, with the caller's bearer.
func (f forwarder) read(ctx context.Context, tool string, arguments []byte, bearer string) ([]byte, error) {
	path, err := pathOf(tool, arguments)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", bearer)
	request.Header.Set("Accept", "application/json")
	response, err := f.client.Do(request) // #nosec G704 -- the stub's address
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the stub answered %s with %d", path, response.StatusCode)
	}
	return io.ReadAll(response.Body)
}

// pathOf is the read of a call, with its query.
func pathOf(tool string, arguments []byte) (string, error) {
	var a struct {
		Stream       string `json:"stream"`
		ConnectionID string `json:"connection_id"`
		Q            string `json:"q"`
		Limit        int    `json:"limit"`
	}
	if err := json.Unmarshal(arguments, &a); err != nil {
		return "", err
	}
	query := url.Values{}
	for name, value := range map[string]string{"connection_id": a.ConnectionID, "q": a.Q} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if a.Limit > 0 {
		query.Set("limit", strconv.Itoa(a.Limit))
	}
	path := map[string]string{"schema": "/v1/schema", "query_records": "/v1/streams/" + a.Stream + "/records", "search": "/v1/search"}[tool]
	if path == "" {
		return "", fmt.Errorf("no such tool: %q", tool)
	}
	if tool == "schema" {
		query.Set("view", "compact")
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path, nil
}

// newBare is the least that can stand between a client and the stub: JSON-RPC in, one read, JSON-RPC out. tools is what
// it answers to tools/list.
func newBare(base string, tools []byte) http.Handler {
	from := newForwarder(base)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if message.Method == "tools/list" {
			w.Header().Set("Content-Length", strconv.Itoa(len(tools)))
			_, _ = w.Write(tools)
			return
		}
		body, err := from.read(r.Context(), message.Params.Name, message.Params.Arguments, r.Header.Get("Authorization"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		type content struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		type result struct {
			Content []content `json:"content"`
		}
		var answer bytes.Buffer
		encoder := json.NewEncoder(&answer)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  result          `json:"result"`
		}{"2.0", message.ID, result{[]content{{"text", string(body)}}}})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(answer.Len()))
		_, _ = w.Write(answer.Bytes())
	})
}

// newSDK is the same through the MCP library: raw tools, listed as ours are, one read each, no shaping.
func newSDK(base string, tools []byte) (http.Handler, error) {
	var listed struct {
		Result struct {
			Tools []struct {
				Name         string               `json:"name"`
				Title        string               `json:"title"`
				Description  string               `json:"description"`
				InputSchema  json.RawMessage      `json:"inputSchema"`
				OutputSchema json.RawMessage      `json:"outputSchema"`
				Annotations  *mcp.ToolAnnotations `json:"annotations"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(tools, &listed); err != nil {
		return nil, err
	}
	from := newForwarder(base)
	server := mcp.NewServer(&mcp.Implementation{Name: "load", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, Logger: slog.New(slog.DiscardHandler),
	})
	for _, tool := range listed.Result.Tools {
		t := &mcp.Tool{Name: tool.Name, Title: tool.Title, Description: tool.Description, InputSchema: tool.InputSchema, Annotations: tool.Annotations}
		if len(tool.OutputSchema) > 0 {
			t.OutputSchema = tool.OutputSchema
		}
		server.AddTool(t, func(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			body, err := from.read(ctx, call.Params.Name, call.Params.Arguments, call.Extra.Header.Get("Authorization"))
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}}, nil
		})
	}
	if len(listed.Result.Tools) == 0 {
		return nil, errors.New("no tools to list")
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, Logger: slog.New(slog.DiscardHandler),
	}), nil
}

// handlerOf is what a role serves.
func handlerOf(role, rs, toolsFile string) (http.Handler, error) {
	if role == "stub" {
		return newStub(toolsFile), nil
	}
	tools, err := os.ReadFile(toolsFile) // #nosec G304 -- this program's own
	if err != nil {
		return nil, err
	}
	switch role {
	case "bare":
		return newBare(rs, tools), nil
	case "sdk":
		return newSDK(rs, tools)
	}
	return nil, fmt.Errorf("no such role: %q", role)
}
