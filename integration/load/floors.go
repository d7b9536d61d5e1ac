package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// stubClient has the connections of a floor to the stub.
var stubClient = &http.Client{Transport: &http.Transport{MaxIdleConns: maxClients, MaxIdleConnsPerHost: maxClients}}

// forward makes the read of the stub at base that a call requires. Both floors use it.
func forward(ctx context.Context, base, tool string, arguments []byte, bearer string) ([]byte, error) {
	var a struct {
		Stream       string      `json:"stream"`
		ConnectionID string      `json:"connection_id"`
		Q            string      `json:"q"`
		Limit        json.Number `json:"limit"`
	}
	if err := json.Unmarshal(arguments, &a); err != nil {
		return nil, err
	}
	path := map[string]string{"schema": "/v1/schema?", "query_records": "/v1/streams/" + a.Stream + "/records?", "search": "/v1/search?"}[tool]
	query := url.Values{"connection_id": {a.ConnectionID}, "q": {a.Q}, "limit": {a.Limit.String()}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Authorization": {bearer}, "Accept": {"application/json"}}
	response, err := stubClient.Do(request) // #nosec G704 -- the stub's address
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the stub answered %s with %d", path, response.StatusCode)
	}
	return io.ReadAll(response.Body)
}

// newBare returns the lower bound of any adapter: JSON-RPC in, one read, JSON-RPC out.
func newBare(base string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message struct {
			ID     json.RawMessage `json:"id"`
			Params struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		err := json.NewDecoder(r.Body).Decode(&message)
		var body []byte
		if err == nil {
			body, err = forward(r.Context(), base, message.Params.Name, message.Params.Arguments, r.Header.Get("Authorization"))
		}
		var answer bytes.Buffer
		encoder := json.NewEncoder(&answer)
		encoder.SetEscapeHTML(false)
		if err == nil {
			content := []map[string]string{{"type": "text", "text": string(body)}}
			err = encoder.Encode(map[string]any{"jsonrpc": "2.0", "id": message.ID, "result": map[string]any{"content": content}})
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(answer.Len()))
		_, _ = w.Write(answer.Bytes())
	})
}

// newSDK returns the same through the MCP library: the tools as listed, one read each, no rendering.
func newSDK(base string) http.Handler {
	logger := slog.New(slog.DiscardHandler)
	server := mcp.NewServer(&mcp.Implementation{Name: "load", Version: "1"}, &mcp.ServerOptions{Logger: logger})
	for _, tool := range tools.All(tools.Options{}) {
		t := &mcp.Tool{Name: tool.Name, Title: tool.Title, Description: tool.Description, InputSchema: tool.Input}
		if len(tool.Output) > 0 {
			t.OutputSchema = tool.Output
		}
		server.AddTool(t, func(ctx context.Context, call *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			body, err := forward(ctx, base, call.Params.Name, call.Params.Arguments, call.Extra.Header.Get("Authorization"))
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}}, err
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, Logger: logger,
	})
}
