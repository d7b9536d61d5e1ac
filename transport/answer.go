package transport

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// codeRefused is the JSON-RPC code of a read that the resource server, or our own checks, refused: the first of the
// codes that JSON-RPC leaves to servers. -32603 stays for faults of the adapter.
const codeRefused = -32000

// wireError makes an error a JSON-RPC one. Any other error type would go out as code 0, with its full text. A
// resource that does not exist is invalid params with the URI in data, as the protocol has it.
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

// allowMethods answers 405 unless the request's method is one of those allowed. Hosts are content with 405 for
// GET and DELETE at the endpoint, and loop on anything else.
func allowMethods(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	allow := strings.Join(methods, ", ")
	w.Header().Set("Allow", allow)
	web.Refuse(w, r, &rs.Error{Code: "method_not_allowed", Message: "This method is not served at this path.", Hint: "Allowed: " + allow + "."})
	return false
}
