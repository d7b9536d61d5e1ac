package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A workload is one call, made over and over.
type workload struct {
	name      string
	says      string // what comes back from the resource server
	tool      string // empty: tools/list
	arguments string
	holds     string // what a right answer's text has in it
	large     bool
	token     string // empty: each client has its own
}

func workloads() []workload {
	return []workload{
		{name: "schema", says: "2.5 KB", tool: "schema", arguments: `{}`, holds: "messages"},
		{name: "records", says: "25 records of 0.8 KB", tool: "query_records", arguments: `{"stream":"messages"}`, holds: "m-0000"},
		{name: "search", says: "25 hits in 38 KB", tool: "search", arguments: `{"q":"invoice"}`, holds: "m-0000"},
		{name: "tools-list", says: "nothing", holds: "query_records"},
		{name: "schema-large", says: "100 KB", tool: "schema", arguments: `{"connection_id":"cin_archive"}`, holds: "messages", large: true},
		{name: "records-large", says: "100 records of 8 KB", tool: "query_records", arguments: `{"stream":"letters","limit":100}`, holds: "m-0000", large: true},
		{name: "search-large", says: "100 hits in 152 KB", tool: "search", arguments: `{"q":"everything","limit":100}`, holds: "m-0000", large: true},
	}
}

// packageSearch is a search of so many connections at once.
func packageSearch(children int, slow bool) workload {
	token := fmt.Sprintf("package-%d", children)
	if slow {
		token = "slow-" + token
	}
	return workload{name: token, tool: "search", arguments: `{"q":"invoice"}`, holds: "m-0000", token: token}
}

// tokenOf is what a client bears.
func (w workload) tokenOf(client int) string {
	if w.token != "" {
		return w.token
	}
	return fmt.Sprintf("client-%d", client)
}

// path is the one read that the call stands for.
func (w workload) path() (string, error) {
	if w.tool == "" {
		return toolsPath, nil
	}
	return pathOf(w.tool, []byte(w.arguments))
}

// method is the call's in JSON-RPC.
func (w workload) method() string {
	if w.tool == "" {
		return "tools/list"
	}
	return "tools/call"
}

// The protocol's two eras, by the version that each is asked for with.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// message is the call as JSON-RPC.
func (w workload) message(era string, id int) []byte {
	var params []string
	if w.tool != "" {
		params = append(params, fmt.Sprintf(`"name":%q,"arguments":%s`, w.tool, w.arguments))
	}
	if era == modern {
		params = append(params, `"_meta":{"io.modelcontextprotocol/protocolVersion":"`+modern+`","io.modelcontextprotocol/clientInfo":{"name":"load","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, w.method(), strings.Join(params, ","))
}

// checkWhole reads all of an answer in JSON-RPC and says what is wrong with it.
func (w workload) checkWhole(answer []byte) error {
	var document struct {
		Error  json.RawMessage `json:"error"`
		Result struct {
			IsError bool `json:"isError"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &document); err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	if len(document.Error) > 0 || document.Result.IsError {
		return errors.New("an error")
	}
	for _, content := range document.Result.Content {
		if strings.Contains(content.Text, w.holds) {
			return nil
		}
	}
	for _, tool := range document.Result.Tools {
		if tool.Name == w.holds {
			return nil
		}
	}
	return fmt.Errorf("no %q in it", w.holds)
}
