package rpc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// WriteError answers with a JSON-RPC error. An empty id is written as null: the request's could not be read.
func WriteError(w http.ResponseWriter, status int, id string, e *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(Error(id, e))
}

// Error returns a JSON-RPC error response, on one line. The id is not escaped for HTML: it is returned as received.
func Error(id string, e *jsonrpc.Error) []byte {
	var answer bytes.Buffer
	encoder := json.NewEncoder(&answer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // marshals an id that was parsed, and strings
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", json.RawMessage(cmp.Or(id, "null")), e})
	return answer.Bytes()
}
